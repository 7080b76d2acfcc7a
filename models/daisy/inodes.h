/* Inodes: locked when they are got, unlocked when they are put back. */
#ifndef DAISY_INODES_H
#define DAISY_INODES_H

#include "layout.h"

static inline void iget(unsigned number, struct inode *inode) {
    lock_inode(number);
    read_inode(number, inode);
}

static inline void iput(const struct inode *inode) {
    write_inode(inode);
    unlock_inode(inode->number);
}

/* The first unused inode, which is now used and locked; 0 if there is none. */
static inline int ialloc(struct inode *inode) {
    for (unsigned number = 0; number < INODES; number++) {
        iget(number, inode);
        if (!inode->used) {
            inode->used = 1;
            return 1;
        }
        unlock_inode(number);
    }
    return 0;
}

/* The inode, which is locked, is unused once it has been put back. */
static inline void ifree(struct inode *inode) { inode->used = 0; }

#endif
