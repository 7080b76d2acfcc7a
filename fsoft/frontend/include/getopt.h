#ifndef _FSOFT_GETOPT_H
#define _FSOFT_GETOPT_H
#define no_argument 0
#define required_argument 1
#define optional_argument 2
extern char *optarg;
extern int optind, opterr, optopt;
struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};
int getopt(int count, char *const arguments[], const char *options);
int getopt_long(int count, char *const arguments[], const char *options, const struct option *more, int *index);
#endif
