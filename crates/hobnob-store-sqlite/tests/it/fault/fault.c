/* Makes the calls of a process fail that write to files whose names begin with FAULT_FILE.
 *
 * FAULT_KIND says how:
 *   full       write: ENOSPC
 *   short      write: half of it is written, and the call after that says ENOSPC
 *   broken     write, truncate: EIO
 *   sync       fsync: EIO, and what was not on the disk yet never gets there
 *   power      write, truncate, fsync: the process ends, and what was not on the disk yet is lost
 *   readonly   open for writing, mkdir: EROFS, from the first on
 *   forbidden  open for writing, mkdir: EACCES, from the first on
 * FAULT_FIRST is the number of the first call that fails, counted from 1 among those that can;
 * FAULT_COUNT is how many fail from there on. The file FAULT_SEEN is made when one has failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NONE, FULL, SHORT, BROKEN, SYNC, POWER, READONLY, FORBIDDEN };

/* What a file was before it was written to, and is again if that never reaches the disk. */
struct past {
    struct past *before;
    char *path;
    off_t length;
    off_t at;
    size_t size;
    char *bytes;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum kind kind;
static const char *file;
static const char *seen;
static long first, count, calls;
static struct past *newest;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_open)(const char *, int, ...);
static int (*real_mkdir)(const char *, mode_t);
static int (*real_unlink)(const char *);

static void start(void) {
    static const char *names[] = {"",     "full",  "short",    "broken",
                                  "sync", "power", "readonly", "forbidden"};
    const char *word = getenv("FAULT_KIND");
    for (int at = 1; word && at <= FORBIDDEN; at++)
        if (!strcmp(word, names[at])) kind = (enum kind)at;
    file = getenv("FAULT_FILE");
    seen = getenv("FAULT_SEEN");
    first = getenv("FAULT_FIRST") ? atol(getenv("FAULT_FIRST")) : 1;
    count = getenv("FAULT_COUNT") ? atol(getenv("FAULT_COUNT")) : 1;
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_open = dlsym(RTLD_NEXT, "open64");
    real_mkdir = dlsym(RTLD_NEXT, "mkdir");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
}

static void note(void) {
    int fd = seen ? real_open(seen, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) close(fd);
}

static int named(const char *path) {
    return file && path && !strncmp(path, file, strlen(file));
}

/* The name of an open file, if it is one that calls fail on. */
static int ours(int fd, char path[4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, 4095);
    if (length < 0) return 0;
    path[length] = 0;
    return named(path);
}

/* Counts a call; which of the calls that fail it is, from 1 on, or 0 if it does not. */
static long failing(void) {
    long at = ++calls - first + 1;
    if (at < 1 || at > count) return 0;
    note();
    return at;
}

/* Remembers `size` bytes at a place of a file, and its length. */
static void remember(int fd, const char *path, off_t at, size_t size) {
    struct stat now;
    struct past *past = calloc(1, sizeof *past);
    if (!past || fstat(fd, &now)) abort();
    past->before = newest;
    past->path = strdup(path);
    past->length = now.st_size;
    past->at = at;
    past->bytes = malloc(size + 1);
    ssize_t some = pread(fd, past->bytes, size, at);
    past->size = some > 0 ? (size_t)some : 0;
    newest = past;
}

/* Forgets what a file was, after making it so again if it is to be. */
static void forget(const char *path, int fd) {
    for (struct past **link = &newest; *link;) {
        struct past *past = *link;
        if (strcmp(past->path, path)) {
            link = &past->before;
            continue;
        }
        if (fd >= 0 && (real_pwrite(fd, past->bytes, past->size, past->at) < 0 ||
                        real_ftruncate(fd, past->length)))
            abort();
        *link = past->before;
        free(past->path);
        free(past->bytes);
        free(past);
    }
}

static void lose_power(void) {
    while (newest) {
        char *path = strdup(newest->path);
        forget(path, real_open(path, O_RDWR | O_CLOEXEC));
        free(path);
    }
    _exit(1);
}

static int fail(int code) {
    errno = code;
    return -1;
}

/* How many bytes of a write go on; fails if none do. */
static ssize_t allowed(int fd, size_t size, off_t at) {
    char path[4096];
    if (!ours(fd, path)) return (ssize_t)size;
    long failed = 0;
    if (kind == FULL || kind == SHORT || kind == BROKEN || kind == POWER) failed = failing();
    if (failed && kind == POWER) lose_power();
    if (failed && kind == SHORT && failed == 1 && size > 1) return (ssize_t)(size / 2);
    if (failed) return fail(kind == BROKEN ? EIO : ENOSPC);
    if (kind == SYNC || kind == POWER) remember(fd, path, at, size);
    return (ssize_t)size;
}

static int cut(int fd, off_t size) {
    char path[4096];
    if (!ours(fd, path)) return 0;
    long failed = kind == BROKEN || kind == POWER ? failing() : 0;
    if (failed && kind == POWER) lose_power();
    if (failed) return fail(EIO);
    struct stat now;
    if ((kind == SYNC || kind == POWER) && !fstat(fd, &now) && now.st_size > size)
        remember(fd, path, size, (size_t)(now.st_size - size));
    else if (kind == SYNC || kind == POWER)
        remember(fd, path, size, 0);
    return 0;
}

static int sync_with(int (**call)(int), int fd) {
    char path[4096];
    pthread_once(&once, start);
    int (*real)(int) = *call;
    if ((kind != SYNC && kind != POWER) || !ours(fd, path)) return real(fd);
    pthread_mutex_lock(&lock);
    int failed = failing() != 0;
    if (failed && kind == POWER) lose_power();
    forget(path, failed ? fd : -1);
    pthread_mutex_unlock(&lock);
    return failed ? fail(EIO) : real(fd);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    pthread_once(&once, start);
    if (kind == NONE) return real_write(fd, bytes, size);
    pthread_mutex_lock(&lock);
    ssize_t some = allowed(fd, size, lseek(fd, 0, SEEK_CUR));
    if (some >= 0) some = real_write(fd, bytes, (size_t)some);
    pthread_mutex_unlock(&lock);
    return some;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    ssize_t some = allowed(fd, size, at);
    if (some >= 0) some = real_pwrite(fd, bytes, (size_t)some, at);
    pthread_mutex_unlock(&lock);
    return some;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return pwrite64(fd, bytes, size, at);
}

int fsync(int fd) {
    return sync_with(&real_fsync, fd);
}

int fdatasync(int fd) {
    return sync_with(&real_fdatasync, fd);
}

int ftruncate64(int fd, off_t size) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    int done = cut(fd, size);
    if (!done) done = real_ftruncate(fd, size);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t size) {
    return ftruncate64(fd, size);
}

static int refused(const char *path) {
    pthread_once(&once, start);
    if ((kind != READONLY && kind != FORBIDDEN) || !named(path)) return 0;
    note();
    errno = kind == READONLY ? EROFS : EACCES;
    return 1;
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && refused(path)) return -1;
    return real_open(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open64(path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
    if (refused(path)) return -1;
    return real_mkdir(path, mode);
}

int unlink(const char *path) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    forget(path, -1);
    pthread_mutex_unlock(&lock);
    return real_unlink(path);
}
