/* getopt and getopt_long as glibc has them: arguments that are no options come to the end unless the options begin with '+', and count as
   the option 1 if they begin with '-'. Messages go nowhere. */

char *optarg;

int optind = 1;

int opterr = 1;

int optopt = '?';

static const char *__fsoft_next_letter;

static int __fsoft_first_other; /* what is no option and has been passed by: from here */

static int __fsoft_last_other; /* up to here */

static int __fsoft_reads_options;

/* Brings the arguments from the second place up to the third in front of those from the first place on. */
__fsoft_plain static void move_others(char **arguments) {
    int to = __fsoft_first_other, from, k;
    for (from = __fsoft_last_other; from < optind; from++) {
        char *argument = arguments[from];
        for (k = from; k > to; k--) arguments[k] = arguments[k - 1];
        arguments[to++] = argument;
    }
    __fsoft_first_other = to;
    __fsoft_last_other = optind;
}

__fsoft_plain static int is_option(const char *argument) {
    return argument[0] == '-' && argument[1] != 0;
}

__fsoft_plain static int starts_with(const char *name, const char *part, __SIZE_TYPE__ length) {
    __SIZE_TYPE__ i;
    for (i = 0; i < length; i++)
        if (name[i] != part[i]) return 0;
    return 1;
}

__fsoft_plain static int alike(const struct __fsoft_option *a, const struct __fsoft_option *b) {
    return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

/* The number of the long option of this name or of the only one that begins so; -1 for none, -2 for several. */
__fsoft_plain static int find_long(const struct __fsoft_option *options, const char *name, __SIZE_TYPE__ length) {
    int k, found = -1, several = 0;
    for (k = 0; options[k].name; k++) {
        if (!starts_with(options[k].name, name, length)) continue;
        if (options[k].name[length] == 0) return k;
        if (found < 0)
            found = k;
        else if (!alike(&options[found], &options[k]))
            several = 1;
    }
    return several ? -2 : found;
}

__fsoft_plain static int long_option(int count, char **arguments, const char *letters, const struct __fsoft_option *options, int *index) {
    const char *name = __fsoft_next_letter, *end = strchrnul(name, '=');
    int found = find_long(options, name, (__SIZE_TYPE__)(end - name)), value;
    __fsoft_next_letter = 0;
    optind++;
    if (found < 0) {
        optopt = 0;
        return '?';
    }
    value = options[found].val;
    if (*end) {
        if (options[found].has_arg == 0) {
            optopt = value;
            return '?';
        }
        optarg = (char *)end + 1;
    } else if (options[found].has_arg == 1) {
        if (optind >= count) {
            optopt = value;
            return letters[0] == ':' ? ':' : '?';
        }
        optarg = arguments[optind++];
    }
    if (index) *index = found;
    if (options[found].flag) {
        *options[found].flag = value;
        return 0;
    }
    return value;
}

/* The next argument that is an option; 0 if there is one, else the result. */
__fsoft_plain static int next_word(int count, char **arguments, int order) {
    if (__fsoft_last_other > optind) __fsoft_last_other = optind;
    if (__fsoft_first_other > optind) __fsoft_first_other = optind;
    if (order == 0) {
        if (__fsoft_first_other != __fsoft_last_other && __fsoft_last_other != optind)
            move_others(arguments);
        else if (__fsoft_last_other != optind)
            __fsoft_first_other = optind;
        while (optind < count && !is_option(arguments[optind])) optind++;
        __fsoft_last_other = optind;
    }
    if (optind < count && strcmp(arguments[optind], "--") == 0) {
        optind++;
        if (__fsoft_first_other != __fsoft_last_other && __fsoft_last_other != optind)
            move_others(arguments);
        else if (__fsoft_first_other == __fsoft_last_other)
            __fsoft_first_other = optind;
        __fsoft_last_other = count;
        optind = count;
    }
    if (optind >= count) {
        if (__fsoft_first_other != __fsoft_last_other) optind = __fsoft_first_other;
        return -1;
    }
    if (is_option(arguments[optind])) return 0;
    if (order == '+') return -1;
    optarg = arguments[optind++];
    return 1;
}

__fsoft_plain static int next_option(int count, char **arguments, const char *letters, const struct __fsoft_option *options, int *index) {
    int order = letters[0] == '+' || letters[0] == '-' ? letters[0] : 0, c, found;
    const char *letter;
    if (count < 1) return -1;
    optarg = 0;
    if (optind == 0 || !__fsoft_reads_options) {
        if (optind == 0) optind = 1;
        __fsoft_first_other = __fsoft_last_other = optind;
        __fsoft_next_letter = 0;
        __fsoft_reads_options = 1;
    }
    if (order) letters++;
    if (!__fsoft_next_letter || !*__fsoft_next_letter) {
        found = next_word(count, arguments, order);
        if (found) return found;
        if (options && arguments[optind][1] == '-') {
            __fsoft_next_letter = arguments[optind] + 2;
            return long_option(count, arguments, letters, options, index);
        }
        __fsoft_next_letter = arguments[optind] + 1;
    }
    c = *__fsoft_next_letter++;
    letter = strchr(letters, c);
    if (*__fsoft_next_letter == 0) optind++;
    if (!letter || c == ':' || c == ';') {
        optopt = c;
        return '?';
    }
    if (letter[1] != ':') return c;
    if (*__fsoft_next_letter) {
        optarg = (char *)__fsoft_next_letter;
        optind++;
    } else if (letter[2] != ':') {
        if (optind >= count) {
            optopt = c;
            c = letters[0] == ':' ? ':' : '?';
        } else
            optarg = arguments[optind++];
    }
    __fsoft_next_letter = 0;
    return c;
}

int getopt(int count, char *const *arguments, const char *letters) {
    return next_option(count, (char **)arguments, letters, 0, 0);
}

int getopt_long(int count, char *const *arguments, const char *letters, const struct __fsoft_option *options, int *index) {
    return next_option(count, (char **)arguments, letters, options, index);
}
