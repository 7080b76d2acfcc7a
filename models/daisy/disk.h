/* The disk: bytes behind a head. One byte is read or written by two operations, moving the head and the transfer.
 *
 * Defect 2: between one thread's seek and its transfer comes another thread's seek, and the byte of another address is
 * read or written. HEAD_LOCK holds a lock from the seek to the end of the transfer.
 */
#ifndef DAISY_DISK_H
#define DAISY_DISK_H

#include <pthread.h>

#include "config.h"

struct disk {
#ifndef HEAD_PER_THREAD
    unsigned head;
#endif
    unsigned char byte[DISK_SIZE];
};

static struct disk disk = {.byte = {[ALLOC_AREA] = TAKEN}};

#ifdef HEAD_PER_THREAD
static _Thread_local unsigned own_head;
#define HEAD own_head
#else
#define HEAD disk.head
#endif

static inline void disk_seek(unsigned address) { HEAD = address; }

/* Behind the last byte the head is at the first one again. */
static inline unsigned disk_next(unsigned address) { return address + 1 < DISK_SIZE ? address + 1 : 0; }

static inline unsigned char disk_read(void) {
    unsigned at = HEAD;
    unsigned char value = disk.byte[at];
    HEAD = disk_next(at);
    return value;
}

static inline void disk_write(unsigned char value) {
    unsigned at = HEAD;
    disk.byte[at] = value;
    HEAD = disk_next(at);
}

#ifdef HEAD_LOCK
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void lock_head(void) { pthread_mutex_lock(&head_lock); }
static inline void unlock_head(void) { pthread_mutex_unlock(&head_lock); }
#else
static inline void lock_head(void) {}
static inline void unlock_head(void) {}
#endif

static inline unsigned char read_byte(unsigned address) {
    lock_head();
    disk_seek(address);
    unsigned char value = disk_read();
    unlock_head();
    return value;
}

static inline void write_byte(unsigned address, unsigned char value) {
    lock_head();
    disk_seek(address);
    disk_write(value);
    unlock_head();
}

/* Numbers go byte by byte, the lowest first. */
static inline unsigned read_word(unsigned address) {
    unsigned value = 0;
    for (unsigned i = 0; i < WORD_BYTES; i++)
        value |= (unsigned)read_byte(address + i) << (8 * i);
    return value;
}

static inline void write_word(unsigned address, unsigned value) {
    for (unsigned i = 0; i < WORD_BYTES; i++)
        write_byte(address + i, (unsigned char)(value >> (8 * i)));
}

#endif
