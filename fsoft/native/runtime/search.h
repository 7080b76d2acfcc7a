/* One breadth-first search by all workers, level by level. A level is finished before anything is concluded from it, and of all findings the
   least by content is taken: the answer does not depend on who was faster. What is reported goes to the standard output, line by line. */

enum { BLOCK = 512, LEVELS = 1 << 20 };

typedef struct {
    u64 *root;
    u32 count;
} Block;

typedef struct Search {
    Store store;
    Worker *worker;
    int workers;
    Block *now, *next; /* the blocks of this level and of the next one */
    u32 now_count, next_count, next_room;
    _Atomic u32 taken;
    pthread_mutex_t lock;
    pthread_barrier_t barrier;
    _Atomic int pause; /* workers are wanted at the barrier */
    int stop;
    const char *why;
    u32 level;
    double started, seconds, told;
    u64 most, megabytes;
    int file; /* the roots of all levels, one after the other */
    u64 *start;
    Seen found[CLASSES];
    u8 *seen_event;
    int matching; /* predecessors of `target` are looked for */
    u64 target, from, to;
    _Atomic u64 cursor;
} Search;

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static u64 resident(void) {
    unsigned long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%lu %lu", &size, &pages) != 2) pages = 0;
    fclose(f);
    return (u64)pages * (u64)sysconf(_SC_PAGESIZE);
}

/* ---------------------------------------------------------------- what is found */

static int less(const u64 *a, int slot, int step, const Seen *b) {
    for (u32 k = 0; k < WORDS; k++)
        if (a[k] != b->state[k]) return a[k] < b->state[k];
    return slot != b->slot ? slot < b->slot : step < b->step;
}

static void keep_least(Seen *seen, const u64 *state, int slot, int step) {
    if (seen->state && !less(state, slot, step, seen)) return;
    if (!seen->state && !(seen->state = malloc(sizeof(u64) * WORDS))) exit(3);
    memcpy(seen->state, state, sizeof(u64) * WORDS);
    seen->slot = slot;
    seen->step = step;
}

static void found(Worker *c, int class, const u64 *state, int slot, int step) {
    if (!c->search->matching) keep_least(&c->found[class], state, slot, step);
}

/* The first level on which an event occurs has its example. */
static void example(Worker *c, int event, const u64 *state, int slot, int step) {
    if (!c->search->matching && !c->search->seen_event[event]) keep_least(&c->examples[event], state, slot, step);
}

/* ---------------------------------------------------------------- levels */

static void push_block(Search *q, u64 *root, u32 count) {
    pthread_mutex_lock(&q->lock);
    if (q->next_count == q->next_room) {
        q->next_room = q->next_room ? 2 * q->next_room : 1024;
        q->next = realloc(q->next, q->next_room * sizeof(Block));
        if (!q->next) exit(3);
    }
    q->next[q->next_count++] = (Block){root, count};
    pthread_mutex_unlock(&q->lock);
}

static void push(Worker *c, u64 root) {
    if (!c->out && !(c->out = malloc(BLOCK * sizeof(u64)))) exit(3);
    c->out[c->out_size++] = root;
    if (c->out_size == BLOCK) {
        push_block(c->search, c->out, BLOCK);
        c->out = 0;
        c->out_size = 0;
    }
}

/* Adds the successors that wait; 0 if the table has to grow first (some of them wait on). */
static int settle_pending(Worker *c) {
    while (c->waiting) {
        u64 root = c->pending[c->waiting - 1];
        int outcome = insert(&c->search->store, root);
        if (outcome == FULL) return 0;
        if (outcome == NEW) push(c, root);
        c->waiting--;
    }
    return 1;
}

static void arrive(Worker *c, int slot, const Move *move) {
    Search *q = c->search;
    (void)slot, (void)move;
    if (c->full) return;
    u64 root = root_of(&q->store, c, c->next, c->before, c->ids);
    if (!root) {
        c->full = 1;
        return;
    }
    if (q->matching) {
        c->matched |= root == q->target;
        return;
    }
    if (c->waiting == PENDING && !settle_pending(c)) {
        c->full = 1;
        return;
    }
    c->pending[c->waiting++] = root;
    fetch(&q->store, root);
}

/* Whether the state could be expanded; if not, tables have to grow first. */
static int expand_root(Worker *c, u64 root) {
    u64 transitions = c->transitions;
    unfold(&c->search->store, root, c->work, c->ids, c->changed);
    c->before = c->work;
    c->full = c->matched = 0;
    expand(c);
    if (c->full) c->transitions = transitions;
    return !c->full;
}

static int next_block(Worker *c) {
    Search *q = c->search;
    u32 k = atomic_fetch_add(&q->taken, 1);
    if (k >= q->now_count) return 0;
    c->block = q->now[k].root;
    c->block_size = q->now[k].count;
    c->block_at = 0;
    return 1;
}

static void work(Worker *c) {
    Search *q = c->search;
    while (!atomic_load_explicit(&q->pause, memory_order_relaxed) && !atomic_load_explicit(&q->store.grow, memory_order_relaxed)) {
        if (!c->block && !next_block(c)) {
            settle_pending(c);
            return;
        }
        if (!expand_root(c, c->block[c->block_at])) return;
        if (++c->block_at == c->block_size) {
            free(c->block);
            c->block = 0;
        }
    }
}

static void progress(Search *q) {
    u64 transitions = 0, skipped = 0;
    for (int k = 0; k < q->workers; k++) transitions += q->worker[k].transitions, skipped += q->worker[k].skipped;
    printf("progress %llu %llu %u %llu %llu\n", (unsigned long long)states_of(&q->store), (unsigned long long)transitions, q->level,
           (unsigned long long)skipped, (unsigned long long)(resident() >> 20));
    fflush(stdout);
}

static void give_up(Search *q, const char *why) {
    q->stop = 1;
    q->why = why;
}

/* Findings, examples and flags of all workers become those of the search. */
static void merge(Search *q) {
    int merged = 0, bared = 0, strayed = 0;
    for (int k = 0; k < q->workers; k++) {
        Worker *c = &q->worker[k];
        merged |= c->merged, bared |= c->bared, strayed |= c->strayed;
        if (c->overflow) give_up(q, "choices");
        for (int class = 0; class < CLASSES; class++)
            if (c->found[class].state) keep_least(&q->found[class], c->found[class].state, c->found[class].slot, c->found[class].step);
        if (k == 0) continue;
        for (int event = 0; event < EVENTS; event++) {
            Seen *one = &c->examples[event];
            if (one->state && !q->seen_event[event]) keep_least(&q->worker[0].examples[event], one->state, one->slot, one->step);
        }
        for (int n = 0; n < QUESTIONS; n++) q->worker[0].sampled[n] |= c->sampled[n];
        for (u32 n = 0; n < MOVES; n++) q->worker[0].passed[n] |= c->passed[n];
    }
    for (int event = 0; event < EVENTS; event++) q->seen_event[event] |= q->worker[0].examples[event].state != 0;
    if (alike && merged && bared) give_up(q, "told");
    for (int class = 0; class < CLASSES; class++)
        if (q->found[class].state) give_up(q, "found");
    if (strayed) give_up(q, "strayed");
}

/* The roots of the next level go to the file: the way back reads them. */
static int write_level(Search *q) {
    u64 count = 0;
    for (u32 k = 0; k < q->now_count; k++) {
        size_t size = q->now[k].count * sizeof(u64), done = 0;
        while (done < size) {
            ssize_t some = write(q->file, (char *)q->now[k].root + done, size - done);
            if (some <= 0) return 0;
            done += (size_t)some;
        }
        count += q->now[k].count;
    }
    q->start[q->level + 1] = q->start[q->level] + count;
    return 1;
}

static void end_level(Search *q) {
    merge(q);
    if (q->stop) return;
    for (int k = 0; k < q->workers; k++) {
        Worker *c = &q->worker[k];
        if (c->out) push_block(q, c->out, c->out_size);
        c->out = 0, c->out_size = 0;
    }
    free(q->now);
    q->now = q->next, q->now_count = q->next_count;
    q->next = 0, q->next_count = q->next_room = 0;
    atomic_store(&q->taken, 0);
    if (!q->now_count) {
        q->stop = 1;
        return;
    }
    q->level++;
    if (q->level + 2 >= LEVELS) give_up(q, "depth");
    else if (!write_level(q)) give_up(q, "disk");
}

/* What one worker does while the others wait. */
static void lead(Search *q) {
    double time = now_seconds();
    int idle = atomic_load(&q->taken) >= q->now_count;
    atomic_store(&q->pause, 0);
    for (int k = 0; k < q->workers; k++) idle &= !q->worker[k].block && !q->worker[k].waiting;
    if (atomic_load(&q->store.grow) && !grow(&q->store)) give_up(q, "memory");
    if (idle) end_level(q);
    if (q->stop) return;
    if (q->seconds > 0 && time - q->started > q->seconds) give_up(q, "time");
    if (q->most && states_of(&q->store) >= q->most) give_up(q, "states");
    if (time - q->told < 0.2) return;
    q->told = time;
    if (q->megabytes && resident() >> 20 > q->megabytes) give_up(q, "memory");
    progress(q);
}

static void *worker_main(void *argument) {
    Worker *c = argument;
    Search *q = c->search;
    while (!q->stop) {
        work(c);
        pthread_barrier_wait(&q->barrier);
        if (c->number == 0) lead(q);
        pthread_barrier_wait(&q->barrier);
    }
    return 0;
}

/* ---------------------------------------------------------------- the way back */

static void *match_main(void *argument) {
    Worker *c = argument;
    Search *q = c->search;
    u64 roots[BLOCK];
    for (;;) {
        u64 at = atomic_fetch_add(&q->cursor, BLOCK);
        if (at >= q->to) return 0;
        u64 count = q->to - at < BLOCK ? q->to - at : BLOCK;
        if (pread(q->file, roots, count * sizeof(u64), (off_t)(at * sizeof(u64))) != (ssize_t)(count * sizeof(u64))) exit(3);
        for (u64 k = 0; k < count; k++) {
            expand_root(c, roots[k]);
            if (!c->matched) continue;
            if (c->found[0].state && !less(c->work, 0, 0, &c->found[0])) continue;
            if (!c->found[0].state && !(c->found[0].state = malloc(sizeof(u64) * (WORDS + 1)))) exit(3);
            memcpy(c->found[0].state, c->work, sizeof(u64) * WORDS);
            c->found[0].state[WORDS] = roots[k];
            c->found[0].slot = c->found[0].step = 0;
        }
    }
}

/* The least of the states of a level that lead to the target; its root. */
static u64 predecessor(Search *q, u32 level) {
    pthread_t thread[q->workers];
    int many = q->start[level + 1] - q->start[level] > 4 * BLOCK ? q->workers : 1;
    const Seen *best = 0;
    q->to = q->start[level + 1];
    atomic_store(&q->cursor, q->start[level]);
    for (int k = 0; k < q->workers; k++) {
        free(q->worker[k].found[0].state);
        q->worker[k].found[0].state = 0;
    }
    for (int k = 1; k < many; k++)
        if (pthread_create(&thread[k], 0, match_main, &q->worker[k])) exit(3);
    match_main(&q->worker[0]);
    for (int k = 1; k < many; k++) pthread_join(thread[k], 0);
    for (int k = 0; k < many; k++) {
        const Seen *one = &q->worker[k].found[0];
        if (one->state && (!best || less(one->state, 0, 0, best))) best = one;
    }
    if (!best) exit(3);
    return best->state[WORDS];
}

static void print_words(const u64 *state) {
    for (u32 k = 0; k < WORDS; k++) printf(" %llx", (unsigned long long)state[k]);
    printf("\n");
}

/* The states from the one in which something was found back to the first. */
static void way_back(Search *q, const Seen *finding) {
    Worker *c = &q->worker[0];
    u32 level = q->level;
    memcpy(c->next, finding->state, sizeof(u64) * WORDS);
    u64 root = whole_root(&q->store, c, c->next);
    q->matching = 1;
    printf("way");
    print_words(finding->state);
    while (level > 0) {
        q->target = root;
        root = predecessor(q, --level);
        unfold(&q->store, root, c->work, c->ids, c->changed);
        printf("way");
        print_words(c->work);
    }
}
