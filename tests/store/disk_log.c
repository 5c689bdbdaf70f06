// Preloaded into a process, it logs what the process asks of the disk within one folder, in order: what was written
// where, what was synced, which names came and went. Paths are those of WATCH; records go to the file LOG. And it can let the
// disk fail: after `disk_fails(n, times)` the n-th such call from there and those after it, so many in all, end with EIO.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 4096
static char* names[FILES];
static int out = -1;
static const char* watched;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
    watched = getenv("WATCH");
    if (getenv("LOG")) out = (int)syscall(SYS_openat, AT_FDCWD, getenv("LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
}

static void put(const void* data, size_t size) {
    for (const char* at = data; size;) {
        const ssize_t done = syscall(SYS_write, out, at, size);
        if (done <= 0) abort();
        at += done, size -= (size_t)done;
    }
}

static void record(char what, const char* path, uint64_t offset, const void* data, uint64_t size) {
    const uint64_t length = strlen(path);
    if (out < 0) return;
    pthread_mutex_lock(&lock);
    put(&what, 1), put(&length, 8), put(path, length), put(&offset, 8), put(&size, 8), put(data, data ? size : 0);
    pthread_mutex_unlock(&lock);
}

static int64_t until_failing = -1, times_failing = 0;

void disk_fails(int64_t n, int64_t times) { until_failing = n, times_failing = times; }
int64_t disk_failures_left(void) { return times_failing; }

// Whether this call is to fail.
static int fails(const char* path) {
    if (!path || times_failing <= 0 || --until_failing > 0) return 0;
    --times_failing;
    errno = EIO;
    return 1;
}

static int ours(const char* path) { return watched && path && !strncmp(path, watched, strlen(watched)); }
static const char* name_of(int file) { return file >= 0 && file < FILES ? names[file] : NULL; }

static int opened(int file, const char* path, int flags) {
    if (file >= 0 && file < FILES && ours(path)) {
        names[file] = strdup(path);
        if (flags & (O_CREAT | O_TRUNC)) record(flags & O_TRUNC ? 'T' : 'C', path, 0, NULL, 0);
    }
    return file;
}

#define MODE(flags)                   \
    int mode = 0;                     \
    if ((flags) & (O_CREAT)) {        \
        va_list more;                 \
        va_start(more, flags);        \
        mode = va_arg(more, int);     \
        va_end(more);                 \
    }
#define AS_OPEN(name)                                                                        \
    int name(const char* path, int flags, ...) {                                             \
        MODE(flags)                                                                          \
        return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags);   \
    }
AS_OPEN(open)
AS_OPEN(open64)
#define AS_OPENAT(name)                                                                       \
    int name(int folder, const char* path, int flags, ...) {                                  \
        MODE(flags)                                                                           \
        return opened((int)syscall(SYS_openat, folder, path, flags, mode), path, flags);      \
    }
AS_OPENAT(openat)
AS_OPENAT(openat64)

int close(int file) {
    if (name_of(file)) {
        free(names[file]);
        names[file] = NULL;
    }
    return (int)syscall(SYS_close, file);
}

ssize_t write(int file, const void* data, size_t size) {
    if (fails(name_of(file))) return -1;
    const off_t at = name_of(file) ? lseek(file, 0, SEEK_CUR) : 0;
    const ssize_t done = syscall(SYS_write, file, data, size);
    if (name_of(file) && done > 0) record('W', names[file], (uint64_t)at, data, (uint64_t)done);
    return done;
}

#define AS_PWRITE(name)                                                                                \
    ssize_t name(int file, const void* data, size_t size, off_t at) {                                  \
        if (fails(name_of(file))) return -1;                                                           \
        const ssize_t done = syscall(SYS_pwrite64, file, data, size, at);                              \
        if (name_of(file) && done > 0) record('W', names[file], (uint64_t)at, data, (uint64_t)done);   \
        return done;                                                                                   \
    }
AS_PWRITE(pwrite)
AS_PWRITE(pwrite64)

#define AS_TRUNCATE(name)                                                                     \
    int name(int file, off_t size) {                                                          \
        if (fails(name_of(file))) return -1;                                                  \
        const int done = (int)syscall(SYS_ftruncate, file, size);                             \
        if (name_of(file) && !done) record('L', names[file], (uint64_t)size, NULL, 0);        \
        return done;                                                                          \
    }
AS_TRUNCATE(ftruncate)
AS_TRUNCATE(ftruncate64)

#define AS_SYNC(name, number)                                                 \
    int name(int file) {                                                      \
        if (fails(name_of(file))) return -1;                                  \
        const int done = (int)syscall(number, file);                          \
        if (name_of(file) && !done) record('S', names[file], 0, NULL, 0);     \
        return done;                                                          \
    }
AS_SYNC(fsync, SYS_fsync)
AS_SYNC(fdatasync, SYS_fdatasync)

int unlink(const char* path) {
    if (ours(path) && fails(path)) return -1;
    const int done = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (ours(path) && !done) record('U', path, 0, NULL, 0);
    return done;
}

int rename(const char* from, const char* to) {
    if (ours(to) && fails(to)) return -1;
    const int done = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    if (ours(to) && !done) {
        record('R', from, 0, to, strlen(to));
        for (int i = 0; i < FILES; ++i)
            if (names[i] && !strcmp(names[i], from)) free(names[i]), names[i] = strdup(to);
    }
    return done;
}
