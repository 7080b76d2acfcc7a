int i = 1, j = 1;
proctype first() { byte k; int t;
  do :: k < N -> t = i; t = t + j; atomic { i = t; t = 0; k++ } :: else -> break od }
proctype second() { byte k; int t;
  do :: k < N -> t = j; t = t + i; atomic { j = t; t = 0; k++ } :: else -> break od }
active proctype main() { int x; run first(); run second();
  x = i; d_step { assert(x < 1000000 && j < 1000000) } }
