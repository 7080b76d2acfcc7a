/* What the bytes of the disk mean: inodes, bytes of blocks, allocation bits.
 *
 * Defect 1: the bits of eight blocks share a byte, and to change one bit the whole byte is read, changed and written. The
 * caller holds the lock of its block, and nobody has a lock for the byte: two threads that change the bits of different blocks lose
 * one of the changes. ALLOC_LOCK adds that lock.
 */
#ifndef DAISY_LAYOUT_H
#define DAISY_LAYOUT_H

#include "config.h"
#include "disk.h"
#include "locks.h"

struct inode {
    unsigned number; /* not on the disk */
    unsigned block;
    unsigned size;
    unsigned char used;
};

static inline void read_inode(unsigned number, struct inode *inode) {
    unsigned address = INODE_AREA + number * INODE_BYTES;
    inode->number = number;
    inode->block = read_word(address);
    inode->size = read_word(address + WORD_BYTES);
    inode->used = read_byte(address + 2 * WORD_BYTES);
}

static inline void write_inode(const struct inode *inode) {
    unsigned address = INODE_AREA + inode->number * INODE_BYTES;
    write_word(address, inode->block);
    write_word(address + WORD_BYTES, inode->size);
    write_byte(address + 2 * WORD_BYTES, inode->used);
}

static inline unsigned char read_block_byte(unsigned block, unsigned offset) {
    return read_byte(BLOCK_AREA + block * BLOCK_SIZE + offset);
}

static inline void write_block_byte(unsigned block, unsigned offset, unsigned char value) {
    write_byte(BLOCK_AREA + block * BLOCK_SIZE + offset, value);
}

static inline int read_alloc_bit(unsigned block) {
    lock_alloc(block);
    unsigned char byte = read_byte(ALLOC_AREA + block / 8);
    unlock_alloc(block);
    return byte >> block % 8 & 1;
}

static inline void write_alloc_bit(unsigned block, int allocated) {
    unsigned address = ALLOC_AREA + block / 8;
    unsigned char bit = (unsigned char)(1u << block % 8);
    lock_alloc(block);
    unsigned char byte = read_byte(address);
    write_byte(address, allocated ? byte | bit : byte & ~bit);
    unlock_alloc(block);
}

#endif
