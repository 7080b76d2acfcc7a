/* Files by inode number. A file is one inode and one block; -1 says that there is no such file, or no room. */
#ifndef DAISY_FILES_H
#define DAISY_FILES_H

#include "blocks.h"
#include "inodes.h"

struct attributes {
    unsigned size;
};

/* A new empty file; its number. */
static inline int daisy_creat(void) {
    struct inode inode;
    if (!ialloc(&inode))
        return -1;
    int block = alloc_block();
    if (block < 0) {
        ifree(&inode);
        iput(&inode);
        return -1;
    }
    inode.block = (unsigned)block;
    inode.size = 0;
    iput(&inode);
    return (int)inode.number;
}

/* Gets the inode of a file that exists. */
static inline int open_file(int number, struct inode *inode) {
    if (number < 0 || number >= INODES)
        return 0;
    iget((unsigned)number, inode);
    if (!inode->used)
        unlock_inode(inode->number);
    return inode->used;
}

static inline int daisy_unlink(int number) {
    struct inode inode;
    if (!open_file(number, &inode))
        return -1;
    ifree(&inode);
    free_block(inode.block);
    iput(&inode);
    return 0;
}

/* Reads up to `size` bytes; how many there were. */
static inline int daisy_read(int number, unsigned offset, unsigned size, unsigned char *buffer) {
    struct inode inode;
    unsigned done = 0;
    if (!open_file(number, &inode))
        return -1;
    lock_block(inode.block);
    while (done < size && offset + done < inode.size) {
        buffer[done] = read_block_byte(inode.block, offset + done);
        done++;
    }
    unlock_block(inode.block);
    unlock_inode(inode.number);
    return (int)done;
}

/* Writes up to `size` bytes, as far as the block goes; how many. The file grows if need be. */
static inline int daisy_write(int number, unsigned offset, unsigned size, const unsigned char *buffer) {
    struct inode inode;
    unsigned done = 0;
    if (!open_file(number, &inode))
        return -1;
    lock_block(inode.block);
    while (done < size && offset + done < BLOCK_SIZE) {
        write_block_byte(inode.block, offset + done, buffer[done]);
        done++;
    }
    unlock_block(inode.block);
    if (done > 0 && offset + done > inode.size)
        inode.size = offset + done;
    iput(&inode);
    return (int)done;
}

static inline int daisy_get_attr(int number, struct attributes *attributes) {
    struct inode inode;
    if (!open_file(number, &inode))
        return -1;
    attributes->size = inode.size;
    unlock_inode(inode.number);
    return 0;
}

/* Only to what the block can hold. */
static inline int daisy_set_attr(int number, const struct attributes *attributes) {
    struct inode inode;
    if (attributes->size > BLOCK_SIZE || !open_file(number, &inode))
        return -1;
    inode.size = attributes->size;
    iput(&inode);
    return 0;
}

#endif
