/* A read that is not aligned is a violation even if nobody uses what it gives. With ALIGNED it is. */
static char buffer[16];

int main(void) {
#ifdef ALIGNED
    int seen = *(int *)(buffer + 4);
#else
    int seen = *(int *)(buffer + 1);
#endif
    (void)seen;
    return 0;
}
