bit choosing[N]; byte ticket[N]; byte inside;
proctype worker(byte id) { byte r, k, most, t;
  do
  :: r < R -> most = 0; choosing[id] = 1; k = 0;
     do :: k < N -> t = ticket[k]; d_step { if :: t > most -> most = t :: else fi; t = 0; k++ } :: else -> break od;
     ticket[id] = most + 1; atomic { choosing[id] = 0; k = 0 };
     do
     :: k < N -> choosing[k] == 0;
        do
        :: t = ticket[k];
           if
           :: d_step { (t == 0 || t > most + 1 || (t == most + 1 && k >= id)) -> t = 0 }; break
           :: else -> t = 0
           fi
        od; k++
     :: else -> break
     od;
     t = inside; atomic { inside = t + 1; t = 0 }; assert(inside == 1);
     t = inside; atomic { inside = t - 1; t = 0 };
     atomic { ticket[id] = 0; r++; most = 0; k = 0 }
  :: else -> break
  od }
active proctype main() { byte k; do :: k < N -> atomic { run worker(k); k++ } :: else -> break od }
