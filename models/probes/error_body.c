/* reach_error() with a body of its own that ends the process, or does nothing with QUIET: that it is called is the error, whatever it
   does. With SAFE it is not called. */
extern void abort(void);

void reach_error(void) {
#ifndef QUIET
    abort();
#endif
}

int main(void) {
#ifndef SAFE
    reach_error();
#endif
    return 0;
}
