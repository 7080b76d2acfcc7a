/* Blocks are allocated and freed one by one, each under its own lock. */
#ifndef DAISY_BLOCKS_H
#define DAISY_BLOCKS_H

#include "layout.h"

/* The first free block, which is now taken, or -1. */
static inline int alloc_block(void) {
    for (unsigned block = 0; block < BLOCKS; block++) {
        lock_block(block);
        if (!read_alloc_bit(block)) {
            write_alloc_bit(block, 1);
            unlock_block(block);
            return (int)block;
        }
        unlock_block(block);
    }
    return -1;
}

static inline void free_block(unsigned block) {
    lock_block(block);
    write_alloc_bit(block, 0);
    unlock_block(block);
}

#endif
