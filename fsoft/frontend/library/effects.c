/* What the texts of rows of effects use: see frontend/effects. Contents that nobody knows are inputs. */

__fsoft_plain void __fsoft_read_bytes(const char *data, long size) {
    long i;
    if (LOOKS && !__fsoft_literal(data))
        for (i = 0; i < size; i++) (void)data[i];
}

__fsoft_plain void __fsoft_any_bytes(char *data, long size) {
    long i;
    for (i = 0; i < size; i++) data[i] = __VERIFIER_nondet_char();
}

/* A text that takes at most `most` bytes with its zero. */

__fsoft_plain void __fsoft_any_text(char *text, __SIZE_TYPE__ most) {
    __SIZE_TYPE__ i = 0;
    if (most == 0) return;
    while (i < most - 1 && __VERIFIER_nondet_bool()) {
        char c = __VERIFIER_nondet_char();
        __fsoft_assume(c != 0);
        text[i] = c;
        i++;
    }
    text[i] = 0;
}

/* Bytes from the pointer to the end of its object: where a text without a known bound must end if all is well. */

__SIZE_TYPE__ __fsoft_room(const char *text) {
    __SIZE_TYPE__ size = __fsoft_object_size(text);
    __fsoft_abstract("how long a text of the library is: it is taken to fit", 1);
    return size;
}

__fsoft_plain void *__fsoft_new_text(void) {
    __SIZE_TYPE__ size = __VERIFIER_nondet_ulong();
    char *text = malloc(size == 0 ? 1 : size);
    if (text) __fsoft_any_text(text, size == 0 ? 1 : size);
    return text;
}

/* Memory of the library or of the system: nothing is known of it. */

void *__fsoft_outside(void) {
    return __fsoft_external();
}

/* Handles: objects of the heap, as with glibc. */

struct __fsoft_stream {
    int open;
};

struct __fsoft_entry { /* struct dirent of glibc */
    unsigned long number;
    long offset;
    unsigned short length;
    unsigned char kind;
    char name[256];
};

struct __fsoft_directory {
    int open;
    struct __fsoft_entry entry;
};

#define CLOSED "a handle is used after it was closed"
#define CHECKS_HANDLES __fsoft_checks("no-handle-misuse")

void *__fsoft_open_stream(void) {
    struct __fsoft_stream *stream = __fsoft_alloc(sizeof(struct __fsoft_stream));
    stream->open = 1;
    return stream;
}

void __fsoft_use_stream(void *stream) {
    if (CHECKS_HANDLES) __fsoft_check(__fsoft_object_size(stream) != 0, "no-handle-misuse", CLOSED);
}

void __fsoft_close_stream(void *stream) {
    if (CHECKS_HANDLES) __fsoft_check(__fsoft_object_size(stream) != 0, "no-handle-misuse", "a handle is closed twice, or is none");
    free(stream);
}

void *__fsoft_open_directory(void) {
    struct __fsoft_directory *directory = __fsoft_alloc(sizeof(struct __fsoft_directory));
    directory->open = 1;
    return directory;
}

void __fsoft_use_directory(void *directory) {
    __fsoft_use_stream(directory);
}

void __fsoft_close_directory(void *directory) {
    __fsoft_close_stream(directory);
}

/* The entries of one directory are one storage. */

__fsoft_plain void *__fsoft_next_entry(void *handle) {
    struct __fsoft_directory *directory = handle;
    if (__VERIFIER_nondet_bool()) return 0;
    __fsoft_any(&directory->entry.number);
    __fsoft_any(&directory->entry.offset);
    __fsoft_any(&directory->entry.length);
    __fsoft_any(&directory->entry.kind);
    __fsoft_any_text(directory->entry.name, sizeof directory->entry.name);
    return &directory->entry;
}

/* A line takes what room there is, or a new block. */

__fsoft_plain long __fsoft_get_line(char **line, __SIZE_TYPE__ *size) {
    long length = __VERIFIER_nondet_long();
    if (length <= 0) return -1;
    if (*line == 0 || *size <= (__SIZE_TYPE__)length) {
        char *room = realloc(*line, (__SIZE_TYPE__)length + 1);
        if (room == 0) return -1;
        *line = room;
        *size = (__SIZE_TYPE__)length + 1;
    }
    __fsoft_any_bytes(*line, length);
    (*line)[length] = 0;
    return length;
}

struct __fsoft_part { /* struct iovec */
    const char *base;
    __SIZE_TYPE__ size;
};

__fsoft_plain long __fsoft_write_parts(const void *vector, int count) {
    const struct __fsoft_part *parts = vector;
    __SIZE_TYPE__ all = 0, written = __VERIFIER_nondet_ulong();
    int i;
    for (i = 0; i < count; i++) {
        __fsoft_read_bytes(parts[i].base, (long)parts[i].size);
        all += parts[i].size;
    }
    return written > all ? -1 : (long)written;
}

/* Commands of fcntl that hand out no memory: descriptors, flags, owners. The others may write to what they are given. */

int __fsoft_control_file(int command) {
    if (command < 0 || (command > 4 && command != 8 && command != 9 && command != 1030))
        __fsoft_abstract("what 'fcntl' does with its argument", 1);
    return __VERIFIER_nondet_int();
}

/* The program is replaced by another one, or that fails. */

int __fsoft_execute(void) {
    if (__VERIFIER_nondet_bool()) __fsoft_end();
    return -1;
}

__fsoft_plain double __fsoft_parse(const char *text, char **end) {
    if (end) *end = (char *)text + __VERIFIER_nondet_ulong() % (strlen(text) + 1);
    return __VERIFIER_nondet_double();
}

/* Storage that functions of the library share: they are MT-Unsafe (glibc manual, "race:..."). Results point into it. */

struct __fsoft_date { /* struct tm */
    int field[9];
    long offset;
    const char *zone;
};

struct __fsoft_user { /* struct passwd */
    char *name, *password;
    unsigned number, group;
    char *about, *folder, *shell;
};

struct __fsoft_group { /* struct group */
    char *name, *password;
    unsigned number;
    char **members;
};

struct __fsoft_host { /* struct hostent */
    char *name, **aliases;
    int family, length;
    char **addresses;
};

struct __fsoft_service { /* struct servent */
    char *name, **aliases;
    int port;
    char *protocol;
};

struct __fsoft_protocol { /* struct protoent */
    char *name, **aliases;
    int number;
};

struct __fsoft_mount { /* struct mntent */
    char *name, *folder, *kind, *options;
    int frequency, pass;
};

struct __fsoft_shadow { /* struct spwd */
    char *name, *password;
    long days[6];
    unsigned long flag;
};

struct __fsoft_numbers { /* struct lconv */
    char *text[10];
    char number[14];
};

struct __fsoft_login { /* struct utmp */
    short kind;
    int process;
    char line[32], id[4], user[32], host[256];
    int rest[27];
};

struct __fsoft_date __fsoft_calendar;
struct __fsoft_date __fsoft_date_of_text;
char __fsoft_calendar_text[26];
int __fsoft_environment;
int __fsoft_locale;
struct __fsoft_numbers __fsoft_locale_numbers;
int __fsoft_shift_state;
int __fsoft_hash_table;
int __fsoft_log_mask;
int __fsoft_malloc_settings;
unsigned short __fsoft_random48[3];
char __fsoft_temporary_name[20];
char __fsoft_terminal_name[32];
char __fsoft_login_name[33];
char __fsoft_password_text[64];
char __fsoft_crypt_text[64];
char __fsoft_digits_text[32];
char __fsoft_l64a_text[7];
__thread int __fsoft_host_error;
struct __fsoft_user __fsoft_user_by_name;
struct __fsoft_user __fsoft_user_by_number;
struct __fsoft_user __fsoft_next_user;
struct __fsoft_group __fsoft_group_by_name;
struct __fsoft_group __fsoft_group_by_number;
struct __fsoft_group __fsoft_next_group;
struct __fsoft_shadow __fsoft_shadow_by_name;
struct __fsoft_login __fsoft_login_record;
struct __fsoft_mount __fsoft_mount_entry;
struct __fsoft_host __fsoft_host_by_name;
struct __fsoft_host __fsoft_host_by_address;
struct __fsoft_host __fsoft_next_host;
struct __fsoft_service __fsoft_service_by_name;
struct __fsoft_service __fsoft_service_by_port;
struct __fsoft_protocol __fsoft_protocol_by_name;
struct __fsoft_protocol __fsoft_protocol_by_number;
