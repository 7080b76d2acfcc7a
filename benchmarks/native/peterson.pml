byte level[N], last[N]; byte inside;
proctype worker(byte id) { byte l, k, t;
  do
  :: l = 1;
     do
     :: l < N -> level[id] = l; last[l] = id; k = 0;
        do
        :: k < N ->
           if
           :: k != id ->
wait:         if :: level[k] >= l -> if :: last[l] == id -> goto wait :: else fi :: else fi
           :: else
           fi; k++
        :: else -> break
        od; l++
     :: else -> break
     od;
     t = inside; atomic { inside = t + 1; t = 0 }; assert(inside == 1);
     t = inside; atomic { inside = t - 1; t = 0 };
     atomic { level[id] = 0; l = 0; k = 0 }
  od }
active proctype main() { byte k; do :: k < N -> atomic { run worker(k); k++ } :: else -> break od; false }
