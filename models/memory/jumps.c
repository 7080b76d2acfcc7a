/* A variable lives from the entry to its block until the block is left, however that happens: a switch and a goto enter blocks past
   declarations. With CONTINUE a `continue` inside a switch leaves the block of the loop, with SIBLING a goto leaves one block for
   another; a pointer to a variable of the block that was left is then used. */
static int *p;

static void remember(int *q) {
    p = q;
}

static void set(int *q) {
    *q = 7;
}

static int choose(int v) {
    switch (v) {
        int y;
    case 1:
        set(&y);
        return y;
    default:
        return 0;
    }
}

int main(void) {
    int n = choose(1);
    remember(0);
    goto inside;
    {
        int x;
    inside:
        set(&x);
        n += x;
    }
#ifdef CONTINUE
    while (p ? *p < 20 : 1) {
        int z = n++;
        remember(&z);
        switch (n) {
        case 15:
            continue;
        default:
            return 0;
        }
    }
#endif
#ifdef SIBLING
    {
        int a = 1;
        remember(&a);
        goto other;
    }
    {
        int b;
    other:
        b = 2;
        return *p + b;
    }
#endif
    return n == 14 && !p ? 0 : *p;
}
