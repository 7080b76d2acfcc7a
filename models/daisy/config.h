/* The sizes of the file system and its variants. Everything here can be set by -D.
 *
 * Sizes: INODES, BLOCKS, BLOCK_SIZE (bytes), WORD_BYTES (bytes of a number on the disk), NAME_BYTES.
 * Drivers: THREADS, OPERATIONS (per thread).
 *
 * Variants. The source as it is has both defects. Each repair takes one of them away:
 *
 *   (none)                     both defects
 *   HEAD_LOCK                  seek and transfer under one lock: only defect 1, the allocation byte
 *   ALLOC_LOCK                 a lock for each allocation byte: only defect 2, seek and transfer
 *   HEAD_LOCK and ALLOC_LOCK   repaired
 *   HEAD_PER_THREAD            each thread has a head of its own: only defect 1, and the bytes of the disk are without any
 *                              lock. (Under HEAD_LOCK an update can be lost, but no two accesses to a byte are a data race.)
 */
#ifndef DAISY_CONFIG_H
#define DAISY_CONFIG_H

#ifndef INODES
#define INODES 2
#endif
#ifndef BLOCKS
#define BLOCKS 3
#endif
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 1
#endif
#ifndef WORD_BYTES
#define WORD_BYTES 1
#endif
#ifndef NAME_BYTES
#define NAME_BYTES 1
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 1
#endif

/* The first allocation byte of a new disk: which of the blocks 0 to 7 are taken. */
#ifndef TAKEN
#define TAKEN 0x00
#endif

/* What is where on the disk: inodes (block number, size, used flag), blocks, allocation bits (one for each block). */
#define INODE_BYTES (2 * WORD_BYTES + 1)
#define ALLOC_BYTES ((BLOCKS + 7) / 8)

#define INODE_AREA 0
#define BLOCK_AREA (INODE_AREA + INODES * INODE_BYTES)
#define ALLOC_AREA (BLOCK_AREA + BLOCKS * BLOCK_SIZE)
#define DISK_SIZE (ALLOC_AREA + ALLOC_BYTES)

#endif
