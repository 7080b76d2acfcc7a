byte count, sense, phase[N], ended;
proctype worker(byte id) { byte r, k, t; bit mine;
  do
  :: r < R ->
     mine = !mine; t = phase[id]; phase[id] = t + 1;
     atomic { count++; t = count };
     if
     :: t == N -> count = 0; atomic { sense = mine; t = 0 }
     :: else -> t = 0; sense == mine
     fi;
     do :: k < N -> assert(phase[k] >= r + 1); k++ :: else -> break od;
     atomic { k = 0; r++ }
  :: else -> break
  od; ended++ }
active proctype main() { byte k; do :: k < N -> atomic { run worker(k); k++ } :: else -> break od; ended == N }
