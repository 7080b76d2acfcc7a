#pragma once
#include "runtime.h"

int overlap(uintptr_t a, size_t m, uintptr_t b, size_t n);
int skippable(const struct event *e);
struct event *match(struct thread *me, const struct arrival *a, int *left);
int comes_late(const struct thread *me, const struct arrival *a);
struct event *silent_read(const struct thread *me, const struct arrival *a);
void bind_object(const struct event *e, const struct arrival *a);
extern int torn_line; /* where gcc makes one access of what the run makes in parts, with others in between; 0: nowhere */
void take_along(const struct event *first, const struct arrival *a);
