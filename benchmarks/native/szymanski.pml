byte flag[N]; byte inside;
proctype worker(byte id) { byte k, m, t; bit open;
  do
  :: flag[id] = 1; k = 0;
     do :: k < N -> flag[k] < 3; k++ :: else -> break od;
     flag[id] = 3; k = 0;
     do
     :: k < N ->
        if
        :: flag[k] == 1 -> flag[id] = 2; open = 0;
           do
           :: !open -> m = 0;
              do :: m < N -> if :: flag[m] == 4 -> open = 1 :: else fi; m++ :: else -> break od
           :: else -> break
           od; break
        :: else -> k++
        fi
     :: else -> break
     od;
     atomic { flag[id] = 4; k = 0; m = 0; open = 0 };
     do :: k < id -> flag[k] < 2; k++ :: else -> break od;
     t = inside; atomic { inside = t + 1; t = 0 }; assert(inside == 1);
     t = inside; atomic { inside = t - 1; t = 0 };
     k = id + 1;
     do :: k < N -> t = flag[k]; if :: d_step { t == 2 || t == 3 -> t = 0 } :: else -> d_step { t = 0; k++ } fi :: else -> break od;
     atomic { flag[id] = 0; k = 0 }
  od }
active proctype main() { byte k; do :: k < N -> atomic { run worker(k); k++ } :: else -> break od; false }
