/* Daisy in one thread: what each layer must do, on a disk of any size. No variant changes anything here. */
#ifndef INODES
#define INODES 3
#endif
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 4
#endif

#include "directory.h"
#include <assert.h>

#define SMALLER (INODES < BLOCKS ? INODES : BLOCKS)

static void test_disk(void) {
    for (unsigned address = 0; address < DISK_SIZE; address++)
        write_byte(address, (unsigned char)(address + 1));
    disk_seek(0); /* the head advances with each transfer, and comes back to the first byte */
    for (unsigned address = 0; address < DISK_SIZE; address++)
        assert(disk_read() == (unsigned char)(address + 1));
    assert(disk_read() == 1);
    write_word(0, 1u);
    assert(read_word(0) == 1u);
    for (unsigned address = 0; address < DISK_SIZE; address++)
        write_byte(address, 0);
}

static void test_blocks(void) {
    for (unsigned block = 0; block < BLOCKS; block++) {
        assert(!read_alloc_bit(block));
        assert(alloc_block() == (int)block);
        assert(read_alloc_bit(block));
    }
    assert(alloc_block() == -1);
    free_block(1);
    assert(!read_alloc_bit(1) && read_alloc_bit(0) && read_alloc_bit(2));
    assert(alloc_block() == 1);
    for (unsigned block = 0; block < BLOCKS; block++)
        free_block(block);
    for (unsigned i = 0; i < ALLOC_BYTES; i++)
        assert(read_byte(ALLOC_AREA + i) == 0);
}

static void test_files(void) {
    unsigned char text[2] = {7, 9}, back[3] = {0, 0, 0};
    struct attributes attributes;
    for (int file = 0; file < SMALLER; file++)
        assert(daisy_creat() == file);
    assert(daisy_creat() == -1);
    assert(daisy_get_attr(1, &attributes) == 0 && attributes.size == 0);
    assert(daisy_write(1, 0, 2, text) == 2);
    assert(daisy_write(1, 2, 1, text) == 1);
    assert(daisy_write(1, BLOCK_SIZE, 1, text) == 0);
    assert(daisy_get_attr(1, &attributes) == 0 && attributes.size == 3);
    assert(daisy_read(1, 0, 3, back) == 3 && back[0] == 7 && back[1] == 9 && back[2] == 7);
    assert(daisy_read(1, 2, 3, back) == 1 && daisy_read(1, 3, 1, back) == 0);
    assert(daisy_read(0, 0, 1, back) == 0);
    attributes.size = 1;
    assert(daisy_set_attr(1, &attributes) == 0 && daisy_read(1, 0, 3, back) == 1);
    attributes.size = BLOCK_SIZE + 1;
    assert(daisy_set_attr(1, &attributes) == -1);
    assert(daisy_unlink(1) == 0 && !read_alloc_bit(1) && daisy_unlink(1) == -1);
    assert(daisy_read(1, 0, 1, back) == -1 && daisy_write(1, 0, 1, text) == -1 && daisy_get_attr(1, &attributes) == -1);
    assert(daisy_read(-1, 0, 1, back) == -1 && daisy_read(INODES, 0, 1, back) == -1);
    assert(daisy_creat() == 1 && read_alloc_bit(1));
    for (int file = 0; file < SMALLER; file++)
        assert(daisy_unlink(file) == 0);
}

static void test_directory(void) {
    unsigned char a[NAME_BYTES] = {'a'}, b[NAME_BYTES] = {'b'}, byte = 5, back = 0;
    assert(directory_make() == 0);
    assert(directory_lookup(a) == -1 && directory_unlink(a) == -1 && directory_read(a, 0, 1, &back) == -1);
    assert(directory_create(a) == 1 && directory_create(a) == -1);
    assert(directory_create(b) == 2);
    assert(directory_lookup(a) == 1 && directory_lookup(b) == 2);
    assert(directory_write(b, 0, 1, &byte) == 1 && directory_read(a, 0, 1, &back) == 0);
    assert(directory_read(b, 0, 1, &back) == 1 && back == 5);
    assert(directory_unlink(a) == 0 && directory_lookup(a) == -1 && directory_lookup(b) == 2);
    assert(directory_create(a) == 1);
    assert(directory_unlink(a) == 0 && directory_unlink(b) == 0);
    assert(read_byte(ALLOC_AREA) == 1);
}

int main(void) {
    test_disk();
    test_blocks();
    test_files();
    test_directory();
    for (int i = 0; i < LOCKS; i++)
        assert(!lock_table[i].held);
    return 0;
}
