/* What is printed is read: a thread that writes the text meanwhile races with the output, and text that is not there, was freed, is null or
   has no end is read all the same. Functions read no more than they must: a precision ends a text, `%p` does not look, nor does the output of
   what nobody changes any more.

   Without a define: all is well. RACY: the thread is joined only after the output, which reads what it writes (not in 8 and 9). FREED, NULL_TEXT
   and OPEN: no text is there, or no end. COUNT: `%n` writes how many characters were written, which is 2.
   RESULT: as many as were written, from 1 to 3, or a negative number. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char text[4] = "abc";
char *nothing;

void *writer(void *arg) {
    (void)arg;
    text[0] = 'x';
    return 0;
}

int main(void) {
    pthread_t t;
    char open[3] = {'a', 'b', 'c'};
    char *name = malloc(2);
    int count = 7;
    if (!name) return 1;
    name[0] = 'n';
    name[1] = 0;
    pthread_create(&t, 0, writer, 0);
#ifndef RACY
    pthread_join(t, 0);
#endif
#if RACY == 1
    printf("%d %s\n", 3, text);
#elif RACY == 2
    puts(text);
#elif RACY == 3
    write(1, text, 2);
#elif RACY == 4
    fputs(text + 0, stdout);
#elif RACY == 5
    printf(text);
#elif RACY == 6
    fprintf(stderr, "%.*s", 2, text);
#elif RACY == 7
    perror(text);
#elif RACY == 8
    printf("%p %d %.0s\n", (void *)text, 4, text); /* none of them is read */
#elif RACY == 9
    write(1, text + 1, 2); /* another part */
#else
    printf("%s %.2s\n", text, text);
    puts(text);
    fputs(text, stdout);
    write(1, text, sizeof text);
#endif
#ifdef FREED
    free(name);
#endif
#ifdef NULL_TEXT
    fputs(nothing, stdout);
#endif
    printf("%.3s %.*s %s\n", open, 2, open, name);
#ifdef OPEN
    puts(open);
#endif
#ifdef RESULT
    int result = printf("%.2s%c", text, 'c');
    assert(result < 0 || (result >= 1 && result <= RESULT));
#endif
#ifdef COUNT
    printf("ab%n\n", &count);
    assert(count == COUNT);
#endif
#ifndef FREED
    free(name);
#endif
#ifdef RACY
    pthread_join(t, 0);
#endif
    return count == 0;
}
