/* A compound literal lives as long as the block around it: the pointer to it is dangling after the loop's block. With INSIDE it is used in the
   block only. */
struct pair {
    int a, b;
};

static struct pair *last;

static int sum(struct pair *p) {
    last = p;
    return p->a + p->b;
}

int main(void) {
    int i, total = 0;
    for (i = 0; i < 2; i++) {
        total += sum(&(struct pair){i, 2});
        if (i == 1)
            continue;
        total += last->b;
    }
#ifdef INSIDE
    return total;
#else
    return total + last->a;
#endif
}
