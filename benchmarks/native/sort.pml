byte a[N + 1], before, after, ended; bit m[N + 1];
proctype worker(byte id) { byte r, x, y;
  do
  :: r < R ->
     atomic { m[id] == 0 -> m[id] = 1 };
     atomic { m[id + 1] == 0 -> m[id + 1] = 1 };
     x = a[id]; y = a[id + 1];
     if :: x > y -> a[id] = y; a[id + 1] = x :: else fi;
     m[id + 1] = 0; atomic { m[id] = 0; r++; x = 0; y = 0 }
  :: else -> break
  od; ended++ }
active proctype main() { byte k;
  do :: k <= N -> atomic { if :: a[k] = 0 :: a[k] = 1 :: a[k] = 2 :: a[k] = 3 fi; before = before + a[k]; k++ } :: else -> break od;
  k = 0;
  do :: k < N -> atomic { run worker(k); k++ } :: else -> break od;
  ended == N; d_step { k = 0; do :: k <= N -> after = after + a[k]; k++ :: else -> break od; assert(before == after) } }
