/* The lock manager: one table of mutexes, in areas. Locks are taken in the order file, inode, block, allocation byte. */
#ifndef DAISY_LOCKS_H
#define DAISY_LOCKS_H

#include "config.h"
#include "mutex.h"

#define INODE_LOCKS 0
#define BLOCK_LOCKS (INODE_LOCKS + INODES)
#define FILE_LOCKS (BLOCK_LOCKS + BLOCKS)
#ifdef ALLOC_LOCK
#define ALLOC_LOCKS (FILE_LOCKS + INODES)
#define LOCKS (ALLOC_LOCKS + ALLOC_BYTES)
#else
#define LOCKS (FILE_LOCKS + INODES)
#endif

static struct mutex lock_table[LOCKS] = {[0 ... LOCKS - 1] = MUTEX_INITIALIZER};

static inline void lock_inode(unsigned number) { acquire(&lock_table[INODE_LOCKS + number]); }
static inline void unlock_inode(unsigned number) { release(&lock_table[INODE_LOCKS + number]); }

static inline void lock_block(unsigned block) { acquire(&lock_table[BLOCK_LOCKS + block]); }
static inline void unlock_block(unsigned block) { release(&lock_table[BLOCK_LOCKS + block]); }

static inline void lock_file(unsigned number) { acquire(&lock_table[FILE_LOCKS + number]); }
static inline void unlock_file(unsigned number) { release(&lock_table[FILE_LOCKS + number]); }

#ifdef ALLOC_LOCK
static inline void lock_alloc(unsigned block) { acquire(&lock_table[ALLOC_LOCKS + block / 8]); }
static inline void unlock_alloc(unsigned block) { release(&lock_table[ALLOC_LOCKS + block / 8]); }
#else
static inline void lock_alloc(unsigned block) { (void)block; }
static inline void unlock_alloc(unsigned block) { (void)block; }
#endif

#endif
