#include "runtime.h"
static struct thread *first_one(struct thread *me, struct thread **can, int count) {
    (void)me, (void)count;
    return can[0];
}
const struct strategy exhaustive = {"exhaustive", NULL, first_one, NULL, NULL};
void exhaustive_prepare(void) {
}
int exhaustive_next(void) {
    return 0;
}
