/* The CUDA driver as far as cuda_host calls it, in the host's memory, for machines without a GPU.
 *
 * It does nothing before it must: work that is queued on a stream runs when somebody waits for it, with what it waits for
 * and nothing else. So memory that is freed, handed out again, or read on the host too early holds something else than it
 * would have, and a test sees that. Freed memory is overwritten. Four kernels of the test kernels are known.
 *
 * -DWITHOUT_GRAPHS, -DNO_DEVICE and -DCAPABILITY=61 make other drivers of it; with -DOTHERS_DO_NOTHING, kernels that are
 * not known run and compute nothing. -DMEGABYTES=16 is a smaller device, -DPINNED_MOST=65536 a host that locks no more bytes
 * at once. With -DDEVICES=2 there are two devices, each with its own memory, streams and events: what is used with the other
 * device's, or without its own context, is an error; copies between devices are none. -DWITHOUT_PEERS lets neither device reach the
 * other. With -DMICROSECONDS=500, kernels that compute nothing take so long. With -DCAPTURE_FORBIDS_WAITS nothing can be waited for
 * while a thread records a graph, as where another library records one in CUDA's global mode. With the variable
 * CUDA_SIMULATED_LAUNCHES=FILE, each kernel that runs adds a line with its name and the seed of its module's schedule. Machine code is
 * the bytes "\x7fELF", a chip's number, and the PTX that it was made from.
 *
 * simulated_fail lets later calls fail, for tests of errors. Work on freed memory ends the context.
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CAPABILITY
#define CAPABILITY 90
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef MICROSECONDS
#define MICROSECONDS 0
#endif
#ifndef MEGABYTES
#define MEGABYTES 256
#endif
#define TOTAL ((size_t)MEGABYTES << 20)
#ifndef PINNED_MOST
#define PINNED_MOST SIZE_MAX
#endif
#define API __attribute__((visibility("default"))) unsigned

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE_HERE = 100, NO_BINARY_FOR_GPU = 209, BAD_PTX = 218, NOT_FOUND = 500, NOT_READY = 600,
       INVALID_CONTEXT = 201, NO_PEERS = 217, INVALID_HANDLE = 400,
       ILLEGAL_ADDRESS = 700, PEERS_ALREADY = 704, NOT_SUPPORTED = 801, CAPTURE_UNSUPPORTED = 900 };
enum kind { COPY, SET, SET_WORDS, RECORD, WAIT, LAUNCH, REST };
enum { MOST_PARAMETERS = 96 };

struct op {
    enum kind kind;
    char *to;
    const char *from;
    size_t bytes;
    int value;
    struct event *event;
    struct stream *stream; /* until its work number `at` is done */
    size_t at;
    struct function *function;
    unsigned grid;
    uint64_t arguments[MOST_PARAMETERS];
};
struct ops { struct op *list; size_t count, room; };
struct stream { struct ops ops; size_t done; int device; struct ops *capture; struct stream *next; };
struct event { int device; struct stream *stream; size_t at; int timed; double milliseconds; };
struct module { char *text; int device, gone; const uint32_t *seed; };
struct function { char name[64]; struct module *module; int parameters; size_t offsets[MOST_PARAMETERS], sizes[MOST_PARAMETERS]; };
struct memory { char *begin; size_t bytes; int pinned, device; struct memory *next; };

static pthread_mutex_t lock;
static struct memory *memories, *freed; /* `freed`: what nobody gets again */
static struct stream *streams;
static size_t used[DEVICES];
static double now;        /* milliseconds of the device */
static unsigned sticky;   /* the error that has ended the context */
static size_t calls, failing_from, failing_until; /* of the calls that may fail; the others are not counted */
static unsigned failure;
static int peers[DEVICES][DEVICES];
static int contexts[DEVICES];
static _Thread_local int *current;
static int here(void) { return current ? (int)(current - contexts) : -1; }

__attribute__((constructor)) static void begin(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
}

static unsigned leave(unsigned code) {
    pthread_mutex_unlock(&lock);
    return code;
}
#define ENTER pthread_mutex_lock(&lock)
#define ENTER_ALIVE do { ENTER; if (sticky) return leave(sticky); if (fails_now()) return leave(failure); } while (0)

static int fails_now(void) {
    size_t number = calls++;
    return failing_from <= number && number < failing_until;
}
/* `count` calls fail after `after` others that succeed. Returns the number of calls so far. */
__attribute__((visibility("default"))) size_t simulated_fail(size_t after, size_t count, unsigned code) {
    ENTER;
    failing_from = calls + after, failing_until = failing_from + count, failure = code;
    size_t so_far = calls;
    pthread_mutex_unlock(&lock);
    return so_far;
}

static struct op *push(struct ops *ops, struct op op) {
    if (ops->count == ops->room) {
        ops->room = ops->room ? 2 * ops->room : 16;
        ops->list = realloc(ops->list, ops->room * sizeof op);
    }
    ops->list[ops->count] = op;
    return &ops->list[ops->count++];
}

static void queue(struct stream *stream, struct op op) { push(stream->capture ? stream->capture : &stream->ops, op); }

static struct memory *find(struct memory *list, const void *address, size_t bytes) {
    const char *at = address;
    for (struct memory *m = list; m; m = m->next)
        if (m->begin <= at && at + bytes <= m->begin + m->bytes) return m;
    return NULL;
}

/* Whether a kernel of a device may access it: the device's own memory, or page-locked memory. */
static int is_there(const void *address, size_t bytes, int device) {
    struct memory *m = find(memories, address, bytes);
    return m && (m->pinned || m->device == device);
}

/* Whether a device may copy from or to it, or set it: not what was freed. */
static int is_gone(const void *address, size_t bytes) { return find(freed, address, bytes) != NULL; }

/* Whether the memory of an address is of this device, if it is a device's. */
static int is_on(const void *address, int device) {
    struct memory *m = find(memories, address, 1);
    return !m || m->pinned || m->device == device;
}

/* The kernels of the tests. A panic record is 12 words, two of them the lengths of texts, and the texts. */
static void launch(const struct op *op, int device) {
    const uint64_t *a = op->arguments;
    const char *name = op->function->name;
    uint32_t *out = (uint32_t *)a[0], *input = (uint32_t *)a[2];
    const uint32_t *offsets = (const uint32_t *)a[1];
    uint64_t length = a[3];
    int turns = !strcmp(name, "turn"), fails = !strcmp(name, "fail"), roots = !strcmp(name, "roots");
    uint32_t failing = (uint32_t)a[4], index = (uint32_t)a[5];
    uint32_t *record = (uint32_t *)(turns ? a[4] : fails ? a[6] : a[5]);
    if (op->function->module->gone) {
        sticky = INVALID;
        return;
    }
    if (!is_there(offsets, 4 * (op->grid + 1), device) || !is_there(out, 4 * offsets[op->grid], device)
        || !is_there(input, 4 * length, device)) {
        sticky = ILLEGAL_ADDRESS;
        return;
    }
    for (uint32_t block = 0; block < op->grid; block++) {
        uint32_t first = offsets[block], n = offsets[block + 1] - first;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t x = input[first + i];
            if (turns) x = input[first + n - 1 - i];
            else if (roots) {
                float y, scale;
                memcpy(&y, &x, 4);
                memcpy(&scale, &a[4], 4);
                y = sqrtf(fmaf(y, scale, (float)i));
                memcpy(&x, &y, 4);
            } else if (fails && block == failing && i == 5) {
                if (index < length) { x = input[index]; }
                else {
                    if (record[0] == 0) {
                        record[1] = (uint32_t)a[7];
                        record[2] = block, record[3] = record[4] = 0;
                        record[5] = 5, record[6] = record[7] = 0;
                        record[8] = record[9] = 1, record[10] = record[11] = 0;
                        record[0] = 2;
                    }
                    continue;
                }
            } else if (!fails) {
                for (uint32_t rounds = (uint32_t)a[4]; rounds; rounds--) x = x * 1664525u + 1013904223u;
            }
            out[first + i] = x;
        }
    }
    now += turns || roots || fails ? 0.01 : 0.01 + (double)(uint32_t)a[4] * 1e-5;
}

static void list(const struct function *function) {
    const char *name = getenv("CUDA_SIMULATED_LAUNCHES");
    FILE *file = name ? fopen(name, "a") : NULL;
    if (!file) return;
    if (function->module->seed) fprintf(file, "%s %08x\n", function->name, *function->module->seed);
    else fprintf(file, "%s without\n", function->name);
    fclose(file);
}

/* Runs the first `until` pieces of a stream's work. */
static void run(struct stream *stream, size_t until) {
    while (!sticky && stream->done < until) {
        struct op op = stream->ops.list[stream->done];
        if ((op.kind == COPY || op.kind == SET) && (is_gone(op.to, op.bytes) || (op.kind == COPY && is_gone(op.from, op.bytes)))) {
            sticky = ILLEGAL_ADDRESS;
            return;
        }
        switch (op.kind) {
        case COPY: memmove(op.to, op.from, op.bytes); now += 0.001 + (double)op.bytes * 1e-7; break;
        case SET: memset(op.to, op.value, op.bytes); now += 0.001; break;
        case SET_WORDS: for (size_t i = 0; i < op.bytes; i += 4) memcpy(op.to + i, &op.value, 4); break;
        case RECORD: op.event->milliseconds = now; break;
        case WAIT: run(op.stream, op.at); break;
        case LAUNCH: list(op.function); launch(&op, stream->device); break;
        case REST: list(op.function); if (MICROSECONDS) usleep(MICROSECONDS); break;
        }
        stream->done++;
    }
}

/* Whether nothing can be waited for now. */
static int forbids_waits(void) {
#ifdef CAPTURE_FORBIDS_WAITS
    for (struct stream *stream = streams; stream; stream = stream->next) if (stream->capture) return 1;
#endif
    return 0;
}

API cuInit(unsigned flags) {
    (void)flags;
#ifdef NO_DEVICE
    return NO_DEVICE_HERE;
#else
    return OK;
#endif
}
API cuDriverGetVersion(int *version) { *version = 12040; return OK; }
API cuGetErrorName(unsigned code, const char **name) {
    *name = code == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT" : code == INVALID_HANDLE ? "CUDA_ERROR_INVALID_HANDLE"
        : code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : code == NO_DEVICE_HERE ? "CUDA_ERROR_NO_DEVICE"
        : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == INVALID ? "CUDA_ERROR_INVALID_VALUE"
        : "CUDA_ERROR_SIMULATED";
    return OK;
}
API cuGetErrorString(unsigned code, const char **text) { (void)code; *text = "an error of the simulated driver"; return OK; }
API cuDeviceGet(int *device, int ordinal) { *device = ordinal; return OK; }
API cuDeviceGetCount(int *count) { *count = DEVICES; return OK; }
API cuDeviceGetName(char *name, int length, int device) { (void)device; snprintf(name, (size_t)length, "Simulated"); return OK; }
API cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 1: *value = 1024; break;
    case 75: *value = CAPABILITY / 10; break;
    case 76: *value = CAPABILITY % 10; break;
    default: *value = 49152;
    }
    return OK;
}
API cuDeviceGetPCIBusId(char *id, int length, int device) { (void)device; snprintf(id, (size_t)length, "0000:00:00.0"); return OK; }
API cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = TOTAL; return OK; }
API cuDevicePrimaryCtxRetain(void **context, int device) { *context = &contexts[device]; return OK; }
API cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return OK; }
API cuCtxSetCurrent(int *context) { current = context; return OK; }
API cuCtxGetCurrent(int **context) { *context = current; return OK; }
API cuMemGetInfo_v2(size_t *free, size_t *total) {
    if (!current) return INVALID_CONTEXT;
    ENTER;
    *free = TOTAL - used[here()], *total = TOTAL;
    return leave(OK);
}
API cuDeviceCanAccessPeer(int *can, int device, int peer) {
#ifdef WITHOUT_PEERS
    *can = 0, (void)device, (void)peer;
#else
    *can = device != peer;
#endif
    return OK;
}
API cuCtxEnablePeerAccess(int *peer, unsigned flags) {
    (void)flags;
#ifdef WITHOUT_PEERS
    (void)peer;
    return NO_PEERS;
#endif
    if (!current) return INVALID_CONTEXT;
    ENTER_ALIVE;
    int *enabled = &peers[here()][peer - contexts];
    return leave(*enabled ? PEERS_ALREADY : (*enabled = 1, OK));
}

static unsigned allocate(void **address, size_t bytes, int pinned) {
    if (!current) return INVALID_CONTEXT;
    ENTER_ALIVE;
    if (pinned ? bytes > PINNED_MOST : bytes > TOTAL - used[here()]) return leave(OUT_OF_MEMORY);
    struct memory *m = malloc(sizeof *m);
    m->bytes = bytes, m->pinned = pinned, m->device = here(), m->next = memories;
    m->begin = aligned_alloc(256, (bytes + 255) / 256 * 256);
    memset(m->begin, 0xa5, bytes);
    memories = m;
    if (!pinned) used[here()] += bytes;
    *address = m->begin;
    return leave(OK);
}
// Memory of the program: it stays allocated.
API cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    (void)flags;
    ENTER_ALIVE;
    if (bytes > PINNED_MOST) return leave(OUT_OF_MEMORY);
    struct memory *m = malloc(sizeof *m);
    m->bytes = bytes, m->pinned = 1, m->device = here(), m->begin = address, m->next = memories;
    memories = m;
    return leave(OK);
}
API cuMemHostUnregister(void *address) {
    ENTER;
    for (struct memory **m = &memories; *m; m = &(*m)->next)
        if ((*m)->begin == address) {
            struct memory *gone = *m;
            *m = gone->next;
            free(gone);
            return leave(OK);
        }
    return leave(INVALID);
}
static unsigned release(void *address) {
    ENTER;
    for (struct memory **m = &memories; *m; m = &(*m)->next)
        if ((*m)->begin == address) {
            struct memory *gone = *m;
            memset(gone->begin, 0xdd, gone->bytes);
            *m = gone->next;
            if (!gone->pinned) used[gone->device] -= gone->bytes;
            /* Some bytes stay, so that work that comes too late is found out. */
            if (gone->bytes > 1 << 20) free(gone->begin), free(gone);
            else gone->next = freed, freed = gone;
            return leave(sticky);
        }
    return leave(INVALID);
}
API cuMemAlloc_v2(uint64_t *address, size_t bytes) { return allocate((void **)address, bytes, 0); }
API cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags) { (void)flags; return allocate((void **)address, bytes, 0); }
API cuMemFree_v2(uint64_t address) { return release((void *)address); }
API cuMemHostAlloc(void **address, size_t bytes, unsigned flags) { (void)flags; return allocate(address, bytes, 1); }
API cuMemFreeHost(void *address) { return release(address); }
API cuMemHostGetDevicePointer_v2(uint64_t *address, void *pointer, unsigned flags) { (void)flags; *address = (uint64_t)pointer; return OK; }

API cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != here()) return leave(INVALID_CONTEXT);
    if (!is_on((void *)to, stream->device)) return leave(INVALID);
    queue(stream, (struct op){ .kind = SET, .to = (char *)to, .value = value, .bytes = bytes });
    return leave(OK);
}
API cuMemsetD32Async(uint64_t to, unsigned value, size_t words, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != here()) return leave(INVALID_CONTEXT);
    if (!is_on((void *)to, stream->device)) return leave(INVALID);
    queue(stream, (struct op){ .kind = SET_WORDS, .to = (char *)to, .value = (int)value, .bytes = 4 * words });
    return leave(OK);
}
static unsigned copy(void *to, const void *from, size_t bytes, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != here()) return leave(INVALID_CONTEXT);
    if (!is_on(to, stream->device) || !is_on(from, stream->device)) return leave(INVALID);
    queue(stream, (struct op){ .kind = COPY, .to = to, .from = from, .bytes = bytes });
    return leave(OK);
}
API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct stream *s) { return copy((void *)to, from, bytes, s); }
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct stream *s) { return copy(to, (void *)from, bytes, s); }
API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, struct stream *s) { return copy((void *)to, (void *)from, bytes, s); }
/* Any memories. */
API cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != here()) return leave(INVALID_CONTEXT);
    queue(stream, (struct op){ .kind = COPY, .to = (void *)to, .from = (void *)from, .bytes = bytes });
    return leave(OK);
}
API cuMemcpyPeerAsync(uint64_t to, int *to_context, uint64_t from, int *from_context, size_t bytes, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != here() || (current != to_context && current != from_context)) return leave(INVALID_CONTEXT);
    if (!is_on((void *)to, (int)(to_context - contexts)) || !is_on((void *)from, (int)(from_context - contexts))) return leave(INVALID);
    queue(stream, (struct op){ .kind = COPY, .to = (void *)to, .from = (void *)from, .bytes = bytes });
    return leave(OK);
}
API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { memcpy(to, (void *)from, bytes); return OK; }

API cuStreamCreate(struct stream **stream, unsigned flags) {
    (void)flags;
    if (!current) return INVALID_CONTEXT;
    ENTER_ALIVE;
    *stream = calloc(1, sizeof **stream);
    (*stream)->device = here();
    (*stream)->next = streams, streams = *stream;
    return leave(OK);
}
/* The stream itself stays: others may wait for it. */
API cuStreamDestroy_v2(struct stream *stream) { ENTER; if (!forbids_waits()) run(stream, stream->ops.count); return leave(OK); }
API cuStreamSynchronize(struct stream *stream) {
    ENTER_ALIVE;
    if (stream->capture || forbids_waits()) return leave(CAPTURE_UNSUPPORTED);
    run(stream, stream->ops.count);
    return leave(sticky);
}
API cuCtxSynchronize(void) {
    ENTER_ALIVE;
    for (struct stream *stream = streams; stream; stream = stream->next) if (stream->capture) return leave(CAPTURE_UNSUPPORTED);
    for (struct stream *stream = streams; stream; stream = stream->next)
        if (stream->device == here()) run(stream, stream->ops.count);
    return leave(sticky);
}
API cuStreamWaitEvent(struct stream *stream, struct event *event, unsigned flags) {
    (void)flags;
    ENTER_ALIVE;
    if (stream->capture) return leave(CAPTURE_UNSUPPORTED);
    if (event->stream) queue(stream, (struct op){ .kind = WAIT, .stream = event->stream, .at = event->at });
    return leave(OK);
}
API cuEventCreate(struct event **event, unsigned flags) {
    if (!current) return INVALID_CONTEXT;
    ENTER_ALIVE;
    *event = calloc(1, sizeof **event);
    (*event)->timed = !(flags & 2), (*event)->device = here();
    return leave(OK);
}
API cuEventDestroy_v2(struct event *event) { (void)event; return OK; }
API cuEventRecord(struct event *event, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != event->device) return leave(INVALID_HANDLE);
    if (stream->capture) return leave(CAPTURE_UNSUPPORTED);
    queue(stream, (struct op){ .kind = RECORD, .event = event });
    event->stream = stream, event->at = stream->ops.count;
    return leave(OK);
}
API cuEventQuery(struct event *event) {
    ENTER_ALIVE;
    if (forbids_waits()) return leave(CAPTURE_UNSUPPORTED);
    return leave(event->stream && event->stream->done < event->at ? NOT_READY : OK);
}
API cuEventSynchronize(struct event *event) {
    ENTER_ALIVE;
    if (forbids_waits()) return leave(CAPTURE_UNSUPPORTED);
    if (event->stream) run(event->stream, event->at);
    return leave(sticky);
}
API cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end) {
    ENTER_ALIVE;
    if (start->device != end->device) return leave(INVALID_HANDLE);
    if (!start->stream || !end->stream || !start->timed || !end->timed) return leave(INVALID_HANDLE);
    *milliseconds = (float)(end->milliseconds - start->milliseconds);
    return leave(OK);
}

API cuModuleLoadDataEx(struct module **module, const void *image, unsigned count, int *options, void **values) {
    (void)count, (void)options, (void)values;
    const char *text = image;
    if (!strncmp(text, "\x7f""ELF", 4)) {
        /* Machine code: the chip's number, then the PTX that it stands for. */
        int chip = atoi(text + 4);
        if (chip / 10 != CAPABILITY / 10 || chip > CAPABILITY) return NO_BINARY_FOR_GPU;
        text += 4;
    }
    if (!strstr(text, ".version")) return BAD_PTX;
    *module = malloc(sizeof **module);
    (*module)->text = strdup(text);
    (*module)->gone = 0, (*module)->device = here(), (*module)->seed = NULL;
    return OK;
}
API cuModuleUnload(struct module *module) { module->gone = 1; return OK; }
API cuModuleGetFunction(struct function **function, struct module *module, const char *name) {
    char entry[96];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *at = strstr(module->text, entry);
    if (!at) return NOT_FOUND;
    struct function *f = calloc(1, sizeof *f);
    f->module = module;
    snprintf(f->name, sizeof f->name, "%s", name);
    const char *end = strchr(at + strlen(entry), ')');
    size_t offset = 0;
    while ((at = strstr(at, ".param")) && at < end) {
        const char *line = strpbrk(at, ",)"), *type = strpbrk(at, "usfb");
        while (type && !(type[-1] == '.' && type[1] >= '1' && type[1] <= '9')) type = strpbrk(type + 1, "usfb");
        size_t align = (size_t)atoi(type + 1) / 8, size = align;
        const char *array = memchr(at, '[', (size_t)(line - at)), *wide = strstr(at, ".align ");
        if (array) size = (size_t)atoi(array + 1);
        if (array && wide && wide < line) align = (size_t)atoi(wide + 7);
        offset = (offset + align - 1) / align * align;
        f->offsets[f->parameters] = offset, f->sizes[f->parameters++] = size;
        offset += size;
        at = line;
    }
    *function = f;
    return OK;
}
API cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, struct module *module, const char *name) {
    char begin[128];
    snprintf(begin, sizeof begin, " %s[", name);
    const char *at = strstr(module->text, begin);
    if (!at) return NOT_FOUND;
    *bytes = (size_t)atoi(at + strlen(begin));
    unsigned char *content = malloc(*bytes);
    at = strchr(at, '{');
    for (size_t i = 0; i < *bytes; i++, at = strpbrk(at, ",}")) content[i] = (unsigned char)atoi(++at);
    *address = (uint64_t)content;
    if (!strcmp(name, "__cuda_schedule_seed")) module->seed = (const uint32_t *)content;
    return OK;
}
API cuFuncGetAttribute(int *value, int attribute, struct function *function) { (void)function; *value = attribute == 0 ? 1024 : 0; return OK; }
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct function *f, int threads, size_t bytes) { (void)f, (void)bytes; *blocks = threads ? 2048 / threads : 0; return OK; }
API cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, struct function *f, void *of, size_t bytes, int most) {
    (void)f, (void)of, (void)bytes;
    *blocks = 2, *threads = most ? most : 1024;
    return OK;
}
API cuFuncSetAttribute(struct function *function, int attribute, int value) { (void)function, (void)attribute, (void)value; return OK; }
API cuFuncGetParamInfo(struct function *function, size_t index, size_t *offset, size_t *size) {
    if (index >= (size_t)function->parameters) return INVALID;
    *offset = function->offsets[index], *size = function->sizes[index];
    return OK;
}
API cuLaunchKernel(struct function *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, struct stream *stream, void **parameters, void **extra) {
    (void)y, (void)z, (void)bx, (void)by, (void)bz, (void)shared, (void)extra;
    const char *known[] = { "spin", "turn", "roots", "fail" };
    int found = 0;
    for (int i = 0; i < 4; i++) found |= !strcmp(known[i], function->name);
#ifdef OTHERS_DO_NOTHING
    if (!found) {
        ENTER_ALIVE;
        if (stream->device != here() || stream->device != function->module->device) return leave(INVALID_CONTEXT);
        queue(stream, (struct op){ .kind = REST, .function = function });
        return leave(OK);
    }
#endif
    if (!found) return NOT_SUPPORTED;
    ENTER_ALIVE;
    if (stream->device != here() || stream->device != function->module->device) return leave(INVALID_CONTEXT);
    struct op op = { .kind = LAUNCH, .function = function, .grid = x };
    for (int i = 0; i < function->parameters; i++) memcpy(&op.arguments[i], parameters[i], function->sizes[i]);
    queue(stream, op);
    return leave(OK);
}
API cuLaunchCooperativeKernel(struct function *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, struct stream *stream, void **parameters) {
    return cuLaunchKernel(function, x, y, z, bx, by, bz, shared, stream, parameters, NULL);
}

#ifndef WITHOUT_GRAPHS
API cuStreamBeginCapture_v2(struct stream *stream, int mode) {
    (void)mode;
    ENTER_ALIVE;
    stream->capture = calloc(1, sizeof *stream->capture);
    return leave(OK);
}
API cuStreamEndCapture(struct stream *stream, struct ops **graph) {
    ENTER;
    *graph = stream->capture;
    stream->capture = NULL;
    return leave(*graph ? sticky : INVALID);
}
API cuGraphGetNodes(struct ops *graph, void **nodes, size_t *count) { (void)nodes; *count = graph->count; return OK; }
API cuGraphInstantiateWithFlags(struct ops **executable, struct ops *graph, unsigned long long flags) {
    (void)flags;
    *executable = calloc(1, sizeof **executable);
    for (size_t i = 0; i < graph->count; i++) push(*executable, graph->list[i]);
    return OK;
}
API cuGraphLaunch(struct ops *executable, struct stream *stream) {
    ENTER_ALIVE;
    if (stream->device != here()) return leave(INVALID_CONTEXT);
    for (size_t i = 0; i < executable->count; i++) queue(stream, executable->list[i]);
    return leave(OK);
}
API cuGraphExecDestroy(struct ops *executable) { executable->count = 0; return OK; }
API cuGraphDestroy(struct ops *graph) { graph->count = 0; return OK; }
#endif
