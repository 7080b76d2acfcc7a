/* The heap, and blocks of memory. Copies go by the widest unit that divides both addresses and the size.

   Pointers must be valid even where nothing is read or written (C11 7.24.1): null with a size of zero is undefined. */

static void present(const void *object) {
    if (!object) {
        __fsoft_check(0, "valid-deref", "a null pointer is given to a function of the library");
        __fsoft_undefined("a null pointer is given to a function of the library");
    }
}

/* What is written to `to` must not overlap what is read from `from`. */
static void apart(const void *to, __SIZE_TYPE__ written, const void *from, __SIZE_TYPE__ read) {
    if (written != 0 && read != 0 && ((__SIZE_TYPE__)to - (__SIZE_TYPE__)from < read || (__SIZE_TYPE__)from - (__SIZE_TYPE__)to < written)) {
        __fsoft_check(0, "valid-deref", "copying between objects that overlap");
        __fsoft_undefined("copying between objects that overlap");
    }
}

__fsoft_plain static void copy_up(void *to, const void *from, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i, both = (__SIZE_TYPE__)to | (__SIZE_TYPE__)from | size;
    if (both % 8 == 0)
        for (i = 0; i < size / 8; i++) ((unsigned long long *)to)[i] = ((const unsigned long long *)from)[i];
    else if (both % 4 == 0)
        for (i = 0; i < size / 4; i++) ((unsigned *)to)[i] = ((const unsigned *)from)[i];
    else
        for (i = 0; i < size; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

void *malloc(__SIZE_TYPE__ size) {
    if (__fsoft_malloc_may_fail() && __VERIFIER_nondet_bool()) {
        set_errno(ENOMEM);
        return 0;
    }
    return __fsoft_alloc(size);
}

static int too_many(__SIZE_TYPE__ count, __SIZE_TYPE__ size) { /* of them are more bytes than there can be */
    return size != 0 && count > ~(__SIZE_TYPE__)0 / size;
}

void *calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size) {
    if (too_many(count, size) || (__fsoft_malloc_may_fail() && __VERIFIER_nondet_bool())) {
        set_errno(ENOMEM);
        return 0;
    }
    return __fsoft_alloc_zero(count * size);
}

void *realloc(void *old, __SIZE_TYPE__ size) {
    void *object;
    __SIZE_TYPE__ kept;
    if (!old) return malloc(size);
    if (size == 0) {
        __fsoft_free(old);
        return 0;
    }
    object = malloc(size);
    if (!object) return 0;
    kept = __fsoft_object_size(old);
    copy_up(object, old, kept < size ? kept : size);
    __fsoft_free(old);
    return object;
}

void *reallocarray(void *old, __SIZE_TYPE__ count, __SIZE_TYPE__ size) {
    if (too_many(count, size)) {
        set_errno(ENOMEM);
        return 0;
    }
    return realloc(old, count * size);
}

void free(void *object) {
    if (object) __fsoft_free(object);
}

void cfree(void *object) {
    if (object) __fsoft_free(object);
}

void *alloca(__SIZE_TYPE__ size) {
    if (__fsoft_checks("valid-memtrack")) __fsoft_inexact("whether memory from alloca counts as a leak");
    return __fsoft_alloc(size);
}

void *aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
    return malloc(size);
}

void *memalign(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
    return malloc(size);
}

void *valloc(__SIZE_TYPE__ size) {
    return malloc(size);
}

__fsoft_plain int posix_memalign(void **result, __SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
    void *object;
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    object = malloc(size);
    if (!object) return ENOMEM;
    *result = object;
    return 0;
}

void *memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    if (size == 0) {
        present(to);
        present(from);
    }
    if (to != from) apart(to, size, from, size); /* compilers rely on copies to the same place */
    copy_up(to, from, size);
    return to;
}

void *mempcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    memcpy(to, from, size);
    return (char *)to + size;
}

__fsoft_plain static void copy_down(void *to, const void *from, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i, both = (__SIZE_TYPE__)to | (__SIZE_TYPE__)from | size;
    if (both % 8 == 0)
        for (i = size / 8; i > 0; i--) ((unsigned long long *)to)[i - 1] = ((const unsigned long long *)from)[i - 1];
    else if (both % 4 == 0)
        for (i = size / 4; i > 0; i--) ((unsigned *)to)[i - 1] = ((const unsigned *)from)[i - 1];
    else
        for (i = size; i > 0; i--) ((unsigned char *)to)[i - 1] = ((const unsigned char *)from)[i - 1];
}

void *memmove(void *to, const void *from, __SIZE_TYPE__ size) {
    if (size == 0) {
        present(to);
        present(from);
    }
    if ((__SIZE_TYPE__)to <= (__SIZE_TYPE__)from)
        copy_up(to, from, size);
    else
        copy_down(to, from, size);
    return to;
}

void bcopy(const void *from, void *to, __SIZE_TYPE__ size) {
    memmove(to, from, size);
}

__fsoft_plain void *memset(void *to, int byte, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i, both = (__SIZE_TYPE__)to | size;
    unsigned long long unit = (unsigned char)byte * 0x0101010101010101ull;
    if (size == 0) present(to);
    if (both % 8 == 0)
        for (i = 0; i < size / 8; i++) ((unsigned long long *)to)[i] = unit;
    else if (both % 4 == 0)
        for (i = 0; i < size / 4; i++) ((unsigned *)to)[i] = (unsigned)unit;
    else
        for (i = 0; i < size; i++) ((unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}

void bzero(void *to, __SIZE_TYPE__ size) {
    memset(to, 0, size);
}

void explicit_bzero(void *to, __SIZE_TYPE__ size) {
    memset(to, 0, size);
}

/* Both blocks are there as a whole; what is behind the first difference is read where somebody asks about accesses. */
__fsoft_plain static int order_of_blocks(const void *a, const void *b, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    int order = 0;
    if (size == 0) {
        present(a);
        present(b);
    }
    for (i = 0; i < size && (LOOKS || order == 0); i++) {
        unsigned char x = ((const unsigned char *)a)[i], y = ((const unsigned char *)b)[i];
        if (order == 0 && x != y) order = x < y ? -1 : 1;
    }
    return order;
}

int memcmp(const void *a, const void *b, __SIZE_TYPE__ size) {
    int order = order_of_blocks(a, b, size);
    return __fsoft_measured("memcmp") ? any_of_sign(order) : order;
}

int bcmp(const void *a, const void *b, __SIZE_TYPE__ size) {
    int order = order_of_blocks(a, b, size);
    return __fsoft_measured("bcmp") ? any_but_zero(order) : order;
}

__fsoft_plain void *memchr(const void *in, int byte, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    if (size == 0) present(in);
    for (i = 0; i < size; i++)
        if (((const unsigned char *)in)[i] == (unsigned char)byte) return (unsigned char *)in + i;
    return 0;
}

/* Reads the whole block. */
__fsoft_plain void *memrchr(const void *in, int byte, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    void *last = 0;
    if (size == 0) present(in);
    for (i = 0; i < size; i++)
        if (((const unsigned char *)in)[i] == (unsigned char)byte) last = (unsigned char *)in + i;
    return last;
}
