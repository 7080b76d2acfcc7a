byte fork[N]; bit eating[N];
proctype philosopher(byte id) { byte one = id, two = (id + 1) % N;
  d_step { if :: id == N - 1 -> one = 0; two = id :: else fi };
  do
  :: atomic { fork[one] == 0 -> fork[one] = 1 };
     atomic { fork[two] == 0 -> fork[two] = 1 };
     eating[id] = 1; assert(!eating[(id + 1) % N]); eating[id] = 0;
     fork[two] = 0; fork[one] = 0
  od }
active proctype main() { byte k; do :: k < N -> atomic { run philosopher(k); k++ } :: else -> break od; false }
