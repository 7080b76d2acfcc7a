bit counting, busy, writing; byte readers;
proctype reader() { byte t;
  do
  :: atomic { counting == 0 -> counting = 1 };
     t = readers; atomic { readers = t + 1; t = t + 1 };
     if :: atomic { t == 1 -> t = 0 }; atomic { busy == 0 -> busy = 1 } :: atomic { else -> t = 0 } fi;
     counting = 0;
     assert(!writing);
     atomic { counting == 0 -> counting = 1 };
     t = readers; atomic { readers = t - 1; t = t - 1 };
     if :: t == 0 -> busy = 0 :: atomic { else -> t = 0 } fi;
     counting = 0
  od }
proctype writer() {
  do :: atomic { busy == 0 -> busy = 1 }; writing = 1; writing = 0; busy = 0 od }
active proctype main() { byte k; do :: k < N -> atomic { run reader(); run writer(); k++ } :: else -> break od; false }
