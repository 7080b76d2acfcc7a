/* The states that were met, compressed as a tree (Blom, Lisser, van de Pol and Weber, "A database approach to distributed state space
   generation"; Laarman, van de Pol and Weber, "Parallel recursive state compression for free", SPIN 2011): the words of a state are leaves,
   each pair of numbers below a node is kept once and numbered, and a state is the pair below the root.

   Nodes are found through an index of numbers and never move; states are in segments of their own, each an open hash table of root pairs.
   Both tables are shared by all workers without locks. They grow while all workers wait. */

static inline u64 mixed(u64 x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ull;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ull;
    x ^= x >> 32;
    return x;
}

enum { CHUNK = 1 << 16, CHUNKS = 1 << 16, SEGMENTS = 256, OWN_NUMBERS = 64 };

typedef struct {
    _Atomic u32 *index; /* numbers of nodes, 0 for none */
    u64 places;
    _Atomic u64 count;
    _Atomic(u64 *) chunk[CHUNKS];
    _Atomic u32 taken;
    pthread_mutex_t lock;
} Nodes;

typedef struct {
    _Atomic u64 *place; /* root pairs, 0 for none */
    u64 places;
    _Atomic u64 count;
} Segment;

typedef struct {
    Nodes nodes;
    Segment segment[SEGMENTS];
    _Atomic int grow; /* a table is nearly full */
} Store;

enum { OLD, NEW, FULL };

static inline u64 *node(const Nodes *t, u32 number) {
    return atomic_load_explicit(&t->chunk[number / CHUNK], memory_order_acquire) + number % CHUNK;
}

/* A number that nobody uses yet; 0 if memory is exhausted. */
static u32 new_number(Nodes *t, Worker *c) {
    if (c->spare && (c->spare + 1) % OWN_NUMBERS) return ++c->spare;
    u64 first = atomic_fetch_add(&t->taken, OWN_NUMBERS);
    if (first + OWN_NUMBERS > 0xFFFFFFFFull) return 0;
    u32 k = (u32)(first / CHUNK);
    if (!atomic_load(&t->chunk[k])) {
        pthread_mutex_lock(&t->lock);
        if (!atomic_load(&t->chunk[k])) atomic_store(&t->chunk[k], malloc(CHUNK * sizeof(u64)));
        pthread_mutex_unlock(&t->lock);
        if (!atomic_load(&t->chunk[k])) return 0;
    }
    return c->spare = (u32)first + (first == 0);
}

static u32 find_number(Store *store, Worker *c, u64 value, u64 hash) {
    Nodes *t = &store->nodes;
    u64 mask = t->places - 1, at = hash & mask;
    for (;; at = (at + 1) & mask) {
        u32 found = atomic_load_explicit(&t->index[at], memory_order_acquire);
        if (!found) {
            if (atomic_load_explicit(&t->count, memory_order_relaxed) * 10 > t->places * 6) {
                atomic_store(&store->grow, 1);
                if (atomic_load(&t->count) * 10 > t->places * 9) return 0;
            }
            u32 mine = c->spare;
            *node(t, mine) = value;
            if (atomic_compare_exchange_strong(&t->index[at], &found, mine)) {
                atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
                if (!new_number(t, c)) exit(3);
                return mine;
            }
        }
        if (*node(t, found) == value) return found;
    }
}

/* The number of a pair (or of a word: what is kept is 64 bits); 0 if the index is full. */
static inline u32 numbered(Store *store, Worker *c, u64 value) {
    u64 hash = mixed(value + 0x9E3779B97F4A7C15ull);
    Recent *recent = &c->recent[hash >> 52];
    if (recent->number && recent->value == value) return recent->number;
    u32 number = find_number(store, c, value, hash);
    if (number) recent->value = value, recent->number = number;
    return number;
}

static int grow_nodes(Nodes *t) {
    u64 places = t->places * 2, mask = places - 1;
    _Atomic u32 *index = calloc(places, sizeof(u32));
    if (!index) return 0;
    for (u64 k = 0; k < t->places; k++) {
        u32 number = atomic_load_explicit(&t->index[k], memory_order_relaxed);
        if (!number) continue;
        u64 at = mixed(*node(t, number) + 0x9E3779B97F4A7C15ull) & mask;
        while (atomic_load_explicit(&index[at], memory_order_relaxed)) at = (at + 1) & mask;
        atomic_store_explicit(&index[at], number, memory_order_relaxed);
    }
    free((void *)t->index);
    t->index = index;
    t->places = places;
    return 1;
}

/* ---------------------------------------------------------------- states */

static inline u64 place_of(u64 hash, u64 places) { return (u64)((u128)(hash << 8) * places >> 64); }

static inline void fetch(const Store *store, u64 root) {
    u64 hash = mixed(root);
    const Segment *segment = &store->segment[hash >> 56];
    __builtin_prefetch((const void *)&segment->place[place_of(hash, segment->places)], 1);
}

static int insert(Store *store, u64 root) {
    u64 hash = mixed(root);
    Segment *segment = &store->segment[hash >> 56];
    u64 at = place_of(hash, segment->places);
    for (;; at = at + 1 == segment->places ? 0 : at + 1) {
        u64 found = atomic_load_explicit(&segment->place[at], memory_order_relaxed);
        if (!found) {
            u64 count = atomic_load_explicit(&segment->count, memory_order_relaxed);
            if (count * 10 > segment->places * 8) {
                atomic_store(&store->grow, 1);
                if (count * 20 > segment->places * 19) return FULL;
            }
            if (atomic_compare_exchange_strong(&segment->place[at], &found, root)) {
                atomic_fetch_add_explicit(&segment->count, 1, memory_order_relaxed);
                return NEW;
            }
        }
        if (found == root) return OLD;
    }
}

static int grow_segment(Segment *segment) {
    u64 places = segment->places + segment->places * 3 / 10 + 64;
    _Atomic u64 *place = calloc(places, sizeof(u64));
    if (!place) return 0;
    for (u64 k = 0; k < segment->places; k++) {
        u64 root = atomic_load_explicit(&segment->place[k], memory_order_relaxed);
        if (!root) continue;
        u64 at = place_of(mixed(root), places);
        while (atomic_load_explicit(&place[at], memory_order_relaxed)) at = at + 1 == places ? 0 : at + 1;
        atomic_store_explicit(&place[at], root, memory_order_relaxed);
    }
    free((void *)segment->place);
    segment->place = place;
    segment->places = places;
    return 1;
}

/* While nobody else looks: room for more. 0 if there is no memory. */
static int grow(Store *store) {
    atomic_store(&store->grow, 0);
    while (atomic_load(&store->nodes.count) * 10 > store->nodes.places * 6)
        if (!grow_nodes(&store->nodes)) return 0;
    for (u32 k = 0; k < SEGMENTS; k++)
        while (atomic_load(&store->segment[k].count) * 10 > store->segment[k].places * 8)
            if (!grow_segment(&store->segment[k])) return 0;
    return 1;
}

static u64 states_of(const Store *store) {
    u64 sum = 0;
    for (u32 k = 0; k < SEGMENTS; k++) sum += atomic_load(&((Store *)store)->segment[k].count);
    return sum;
}

static int open_store(Store *store) {
    memset(store, 0, sizeof *store);
    store->nodes.places = 1 << 12;
    store->nodes.index = calloc(store->nodes.places, sizeof(u32));
    pthread_mutex_init(&store->nodes.lock, 0);
    for (u32 k = 0; k < SEGMENTS; k++) {
        store->segment[k].places = 128;
        store->segment[k].place = calloc(store->segment[k].places, sizeof(u64));
        if (!store->segment[k].place) return 0;
    }
    return store->nodes.index != 0;
}

/* ---------------------------------------------------------------- states as trees: the leaves of TREE are the words of the state, node
   WORDS + k is above TREE[k].left and TREE[k].right, which have smaller numbers; the last node is the root */

enum { INNER = WORDS - 1, ROOT = 2 * WORDS - 2 };

/* The root pair of a state. `near` are the words of a state that is near, `known` its numbers; 0 if a table is full. */
static u64 root_of(Store *store, Worker *c, const u64 *state, const u64 *near, const u32 *known) {
    u32 *ids = c->after;
    u8 *changed = c->changed;
    for (u32 k = 0; k < WORDS; k++) {
        changed[k] = state[k] != near[k];
        ids[k] = known[k];
        if (changed[k] && !(ids[k] = numbered(store, c, state[k]))) return 0;
    }
    for (u32 k = 0; k < INNER - 1; k++) {
        u32 left = TREE[k].left, right = TREE[k].right;
        ids[WORDS + k] = known[WORDS + k];
        changed[WORDS + k] = changed[left] | changed[right];
        if (changed[WORDS + k] && !(ids[WORDS + k] = numbered(store, c, (u64)ids[left] << 32 | ids[right]))) return 0;
    }
    return (u64)ids[TREE[INNER - 1].left] << 32 | ids[TREE[INNER - 1].right];
}

/* The same for a state that is like no other. */
static u64 whole_root(Store *store, Worker *c, const u64 *state) {
    u32 *ids = c->after;
    for (u32 k = 0; k < WORDS; k++)
        if (!(ids[k] = numbered(store, c, state[k]))) return 0;
    for (u32 k = 0; k < INNER - 1; k++)
        if (!(ids[WORDS + k] = numbered(store, c, (u64)ids[TREE[k].left] << 32 | ids[TREE[k].right]))) return 0;
    return (u64)ids[TREE[INNER - 1].left] << 32 | ids[TREE[INNER - 1].right];
}

static inline void renew(u32 *ids, u8 *changed, u32 k, u32 number) {
    changed[k] = ids[k] != number;
    ids[k] = number;
}

/* The words and the numbers of a state. What is there already is that of another state (or zero): most of it stays. */
static void unfold(const Store *store, u64 root, u64 *state, u32 *ids, u8 *changed) {
    memset(changed, 0, ROOT);
    renew(ids, changed, TREE[INNER - 1].left, (u32)(root >> 32));
    renew(ids, changed, TREE[INNER - 1].right, (u32)root);
    for (u32 k = INNER - 1; k-- > 0;) {
        if (!changed[WORDS + k]) continue;
        u64 pair = *node(&store->nodes, ids[WORDS + k]);
        renew(ids, changed, TREE[k].left, (u32)(pair >> 32));
        renew(ids, changed, TREE[k].right, (u32)pair);
    }
    for (u32 k = 0; k < WORDS; k++)
        if (changed[k]) state[k] = *node(&store->nodes, ids[k]);
}
