byte next, serving, inside, ended;
proctype worker() { byte r, mine, t;
  do
  :: r < R -> atomic { mine = next; next++ };
     serving == mine;
     t = inside; atomic { inside = t + 1; t = 0 }; assert(inside == 1);
     t = inside; atomic { inside = t - 1; t = 0 };
     atomic { serving++; r++; mine = 0 }
  :: else -> break
  od; ended++ }
active proctype main() { byte k; do :: k < N -> atomic { run worker(); k++ } :: else -> break od;
  ended == N; assert(serving == N * R) }
