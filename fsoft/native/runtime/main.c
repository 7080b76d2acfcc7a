/* Arguments: seconds (0: no limit), states, megabytes, workers, whether freed objects may stand for others, a folder for the file of levels.
   The program ends when its standard input does: nobody waits for an answer then. */

static void *listen_main(void *argument) {
    Search *q = argument;
    for (;;) {
        char byte;
        fd_set set;
        struct timeval wait = {0, 100000};
        FD_ZERO(&set);
        FD_SET(0, &set);
        int ready = select(1, &set, 0, 0, &wait);
        if (ready > 0 && read(0, &byte, 1) <= 0) _exit(4);
        atomic_store(&q->pause, 1);
    }
    return 0;
}

static void *some(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) exit(3);
    return memory;
}

static void open_worker(Search *q, Worker *c, int number) {
    memset(c, 0, sizeof *c);
    c->search = q;
    c->number = number;
    c->held = some(OBJECTS, 1);
    c->found = some(CLASSES, sizeof(Seen));
    c->examples = some(EVENTS, sizeof(Seen));
    c->sampled = some(QUESTIONS, 1);
    c->passed = some(MOVES, 1);
    c->ids = some(2 * WORDS, sizeof(u32));
    c->after = some(2 * WORDS, sizeof(u32));
    c->changed = some(2 * WORDS, 1);
    c->recent = some(RECENT, sizeof(Recent));
    c->next = some(WORDS, sizeof(u64));
    c->trial = some(WORDS, sizeof(u64));
    c->work = some(WORDS, sizeof(u64));
    if (!new_number(&q->store.nodes, c)) exit(3);
}

static int open_file(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/levels-XXXXXX", folder);
    int file = mkstemp(path);
    if (file >= 0) unlink(path);
    return file;
}

static void begin(Search *q) {
    Worker *c = &q->worker[0];
    u64 *root = malloc(BLOCK * sizeof(u64));
    if (!root) exit(3);
    memcpy(c->next, INITIAL, sizeof(u64) * WORDS);
    *root = whole_root(&q->store, c, c->next);
    insert(&q->store, *root);
    q->now = some(1, sizeof(Block));
    q->now[0] = (Block){root, 1};
    q->now_count = 1;
    if (!write_level(q)) exit(3);
}

static void report(Search *q) {
    merge(q); /* of a level that was not finished, too */
    progress(q);
    for (int event = 0; event < EVENTS; event++) {
        const Seen *one = &q->worker[0].examples[event];
        if (!one->state) continue;
        printf("event %d %d %d", event, one->slot, one->step);
        print_words(one->state);
    }
    for (int k = 0; k < QUESTIONS; k++)
        if (q->worker[0].sampled[k]) printf("sampled %d\n", k);
    for (u32 k = 0; k < MOVES; k++)
        if (q->worker[0].passed[k]) printf("passed %u\n", k);
    for (int class = 0; class < CLASSES; class++) {
        const Seen *one = &q->found[class];
        if (!one->state || strcmp(q->why, "strayed") == 0) continue;
        printf("found %d %d %d\n", class, one->slot, one->step);
        way_back(q, one);
        break;
    }
    printf("end %s\n", q->why);
    fflush(stdout);
}

int main(int count, char **arguments) {
    static Search search;
    Search *q = &search;
    pthread_t thread[256], listener;
    pthread_attr_t attributes;
    if (count != 7) return 2;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    q->started = q->told = now_seconds();
    q->seconds = atof(arguments[1]);
    q->most = strtoull(arguments[2], 0, 10);
    q->megabytes = strtoull(arguments[3], 0, 10);
    q->workers = atoi(arguments[4]);
    if (q->workers < 1 || q->workers > 256) return 2;
    alike = atoi(arguments[5]);
    q->why = "";
    q->file = open_file(arguments[6]);
    if (q->file < 0 || !open_store(&q->store)) return 3;
    pthread_mutex_init(&q->lock, 0);
    pthread_barrier_init(&q->barrier, 0, (unsigned)q->workers);
    q->worker = some((size_t)q->workers, sizeof(Worker));
    q->seen_event = some(EVENTS, 1);
    q->start = some(LEVELS, sizeof(u64));
    for (int k = 0; k < q->workers; k++) open_worker(q, &q->worker[k], k);
    begin(q);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)64 << 20);
    if (pthread_create(&listener, 0, listen_main, q)) return 3;
    for (int k = 1; k < q->workers; k++)
        if (pthread_create(&thread[k], &attributes, worker_main, &q->worker[k])) return 3;
    worker_main(&q->worker[0]);
    for (int k = 1; k < q->workers; k++) pthread_join(thread[k], 0);
    report(q);
    return 0;
}
