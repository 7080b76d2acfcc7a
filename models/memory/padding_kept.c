/* What is between the members of a struct after assignments. A struct with an initialiser, one that is set member by member and one that is
   assigned as a whole have anything there, so comparing all bytes with memcmp or with a generic compare-exchange can fail though all
   members are equal. By default every struct is filled before it is set; INIT, MEMBERS, ASSIGNED and EXCHANGE are not. OTHER reads
   the padding through a struct of another type that the bytes were copied to. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct record {
    char kind;
    int value;
};
struct numbers {
    int first;
    int second;
};

static struct record shared = {'a', 7};

static void *worker(void *unused) {
#ifdef EXCHANGE
    struct record expected, wanted;
    expected.kind = 'a';
    expected.value = 7;
#else
    struct record expected, wanted;
    memset(&expected, 0, sizeof expected);
    memset(&wanted, 0, sizeof wanted);
    expected.kind = 'a';
    expected.value = 7;
#endif
    wanted.kind = 'b';
    wanted.value = 8;
    _Bool done = __atomic_compare_exchange(&shared, &expected, &wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(done);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
#if defined(INIT)
    struct record mine = {'b', 8};
    assert(memcmp(&mine, &shared, sizeof mine) == 0);
#elif defined(ASSIGNED)
    struct record mine, other;
    memset(&mine, 1, sizeof mine);
    memset(&other, 0, sizeof other);
    other.kind = mine.kind;
    other.value = mine.value;
    mine = other;
    assert(memcmp(&mine, &other, sizeof mine) != 0);
#elif defined(OTHER)
    struct record mine;
    struct numbers same;
    mine.kind = 0;
    mine.value = 0;
    memcpy(&same, &mine, sizeof same);
    assert(same.first == 0);
#else
    struct numbers same;
    memcpy(&same, &shared, sizeof same);
    assert(same.first == 'b' && same.second == 8);
#endif
    return 0;
}
