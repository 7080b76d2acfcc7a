#define SIZE 2
#define ALL (2 * N)
bit lock; byte items; bit waits[2 * ALL];
inline wait(which) { atomic { lock = 0; waits[which * ALL + id] = 1 }; 
  if :: waits[which * ALL + id] == 0 -> skip :: waits[which * ALL + id] = 0 fi;
  atomic { lock == 0 -> lock = 1 } }
inline signal(which) {
  atomic { k = 0;
    do :: k < ALL -> if :: waits[which * ALL + k] -> break :: k++ fi :: else -> break od;
    if :: k < ALL -> waits[which * ALL + k] = 0
       :: else -> k = 0; do :: k < ALL && waits[which * ALL + k] == 0 -> k++ :: else -> break od;
          if :: k < ALL -> waits[which * ALL + k] = 0 :: else fi fi; k = 0 } }
proctype producer(byte id) { byte k;
  do
  :: atomic { lock == 0 -> lock = 1 };
     do :: items == SIZE -> wait(0) :: else -> break od;
     items++; assert(items <= SIZE); signal(1); lock = 0
  od }
proctype consumer(byte id) { byte k;
  do
  :: atomic { lock == 0 -> lock = 1 };
     do :: items == 0 -> wait(1) :: else -> break od;
     assert(items > 0); items--; signal(0); lock = 0
  od }
active proctype main() { byte k;
  do :: k < N -> atomic { run producer(2 * k); run consumer(2 * k + 1); k++ } :: else -> break od; false }
