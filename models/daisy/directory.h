/* Files by name: one directory, itself a file (number 0), under its file lock. An entry is the number of a file in one byte, 0 if
 * the entry is free, and a name of NAME_BYTES bytes. */
#ifndef DAISY_DIRECTORY_H
#define DAISY_DIRECTORY_H

#include "files.h"

#define DIRECTORY 0
#define ENTRY_BYTES (1 + NAME_BYTES)
#define ENTRIES (BLOCK_SIZE / ENTRY_BYTES)

typedef unsigned char entry[ENTRY_BYTES];

/* Makes the directory on an empty disk. */
static inline int directory_make(void) { return daisy_creat() == DIRECTORY ? 0 : -1; }

static inline int same_name(const unsigned char *one, const unsigned char *other) {
    for (unsigned i = 0; i < NAME_BYTES; i++)
        if (one[i] != other[i])
            return 0;
    return 1;
}

/* The place of a name, or with a null pointer of the first free entry; -1 if there is none. The caller holds the file lock. */
static inline int find_entry(const unsigned char *name, entry found) {
    for (unsigned place = 0; place < ENTRIES; place++) {
        int there = daisy_read(DIRECTORY, place * ENTRY_BYTES, ENTRY_BYTES, found) == ENTRY_BYTES && found[0] != 0;
        if (name ? there && same_name(found + 1, name) : !there)
            return (int)place;
    }
    return -1;
}

static inline int write_entry(int place, int number, const unsigned char *name) {
    entry written;
    written[0] = (unsigned char)number;
    for (unsigned i = 0; i < NAME_BYTES; i++)
        written[1 + i] = name[i];
    return daisy_write(DIRECTORY, (unsigned)place * ENTRY_BYTES, ENTRY_BYTES, written) == ENTRY_BYTES ? 0 : -1;
}

/* The number of a file, or -1. */
static inline int lookup_locked(const unsigned char *name) {
    entry found;
    return find_entry(name, found) < 0 ? -1 : found[0];
}

static inline int directory_lookup(const unsigned char *name) {
    lock_file(DIRECTORY);
    int number = lookup_locked(name);
    unlock_file(DIRECTORY);
    return number;
}

static inline int create_locked(const unsigned char *name) {
    entry found;
    if (find_entry(name, found) >= 0)
        return -1;
    int place = find_entry(0, found);
    if (place < 0)
        return -1;
    int number = daisy_creat();
    if (number >= 0)
        write_entry(place, number, name);
    return number;
}

/* A new empty file; its number, or -1 if the name is taken or there is no room. */
static inline int directory_create(const unsigned char *name) {
    lock_file(DIRECTORY);
    int number = create_locked(name);
    unlock_file(DIRECTORY);
    return number;
}

static inline int directory_unlink(const unsigned char *name) {
    entry found;
    int result = -1;
    lock_file(DIRECTORY);
    int place = find_entry(name, found);
    if (place >= 0) {
        write_entry(place, 0, name);
        result = daisy_unlink(found[0]);
    }
    unlock_file(DIRECTORY);
    return result;
}

static inline int directory_read(const unsigned char *name, unsigned offset, unsigned size, unsigned char *buffer) {
    lock_file(DIRECTORY);
    int number = lookup_locked(name);
    int result = number < 0 ? -1 : daisy_read(number, offset, size, buffer);
    unlock_file(DIRECTORY);
    return result;
}

static inline int directory_write(const unsigned char *name, unsigned offset, unsigned size, const unsigned char *buffer) {
    lock_file(DIRECTORY);
    int number = lookup_locked(name);
    int result = number < 0 ? -1 : daisy_write(number, offset, size, buffer);
    unlock_file(DIRECTORY);
    return result;
}

#endif
