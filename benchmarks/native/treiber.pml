short top; byte below[N], ended; bit taken[N];
proctype worker(byte node) { byte r, under; short old;
  do
  :: r < R ->
     taken[node] = 0;
     do
     :: old = top; below[node] = old % 16;
        if :: atomic { top == old -> top = (old / 16 + 1) * 16 + node + 1; old = 0; node = 0 }; break :: atomic { else -> old = 0 } fi
     od;
     do
     :: old = top; assert(old % 16 != 0); under = below[old % 16 - 1];
        if :: atomic { top == old -> top = (old / 16 + 1) * 16 + under; node = old % 16 - 1; old = 0; under = 0 }; break
           :: atomic { else -> old = 0; under = 0 } fi
     od;
     assert(!taken[node]); atomic { taken[node] = 1; r++ }
  :: else -> break
  od; ended++ }
active proctype main() { byte k; do :: k < N -> atomic { run worker(k); k++ } :: else -> break od; ended == N }
