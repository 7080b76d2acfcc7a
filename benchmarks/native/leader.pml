byte box[N]; byte leaders;
proctype worker(byte id) { byte next = (id + 1) % N, mine = (id * 2) % N + 1, x = (id * 2) % N + 1;
  do
  :: box[next] == 0; box[next] = x;
     do
     :: atomic { box[id] != 0 -> x = box[id] };
        box[id] = 0;
        if :: x < mine -> x = 0 :: else -> break fi
     od;
     if :: x == mine -> break :: else fi
  od;
  leaders++; assert(leaders == 1) }
active proctype main() { byte k; do :: k < N -> atomic { run worker(k); k++ } :: else -> break od }
