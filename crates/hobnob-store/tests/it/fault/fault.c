/* Makes the calls of a process fail that write to files whose names begin with FAULT_FILE.
 *
 * FAULT_KIND says how:
 *   full    write: ENOSPC
 *   short   write: half of it is written, and the call after that says ENOSPC
 *   broken  write, truncate: EIO
 *   sync    fsync, fdatasync: EIO
 *   readonly  open for writing, mkdir: EROFS, from the first on
 *   forbidden open for writing, mkdir: EACCES, from the first on
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

enum kind { NONE, FULL, SHORT, BROKEN, SYNC, READONLY, FORBIDDEN };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum kind kind;
static const char *file;
static const char *seen;
static long first, count, calls;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_open)(const char *, int, ...);
static int (*real_mkdir)(const char *, mode_t);

static void start(void) {
    static const char *names[] = {"", "full", "short", "broken", "sync", "readonly", "forbidden"};
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
}

static void note(void) {
    if (seen) {
        int fd = real_open(seen, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd >= 0) close(fd);
    }
}

static int named(const char *path) {
    return file && path && !strncmp(path, file, strlen(file));
}

static int ours(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return named(path);
}

/* Counts a call; which of the calls that fail it is, from 1 on, or 0 if it does not. */
static long failing(void) {
    pthread_mutex_lock(&lock);
    long at = ++calls - first + 1;
    pthread_mutex_unlock(&lock);
    if (at < 1 || at > count) return 0;
    note();
    return at;
}

static int fail(int code) {
    errno = code;
    return -1;
}

/* Whether a write goes on, and how many bytes of it; fails otherwise. */
static ssize_t allowed(int fd, size_t size) {
    pthread_once(&once, start);
    if ((kind != FULL && kind != SHORT && kind != BROKEN) || !ours(fd)) return (ssize_t)size;
    long at = failing();
    if (!at) return (ssize_t)size;
    if (kind == SHORT && at == 1 && size > 1) return (ssize_t)(size / 2);
    return fail(kind == BROKEN ? EIO : ENOSPC);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    ssize_t some = allowed(fd, size);
    return some < 0 ? some : real_write(fd, bytes, (size_t)some);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) {
    ssize_t some = allowed(fd, size);
    return some < 0 ? some : real_pwrite(fd, bytes, (size_t)some, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return pwrite64(fd, bytes, size, at);
}

int fsync(int fd) {
    pthread_once(&once, start);
    if (kind == SYNC && ours(fd) && failing()) return fail(EIO);
    return real_fsync(fd);
}

int fdatasync(int fd) {
    pthread_once(&once, start);
    if (kind == SYNC && ours(fd) && failing()) return fail(EIO);
    return real_fdatasync(fd);
}

int ftruncate64(int fd, off_t size) {
    pthread_once(&once, start);
    if (kind == BROKEN && ours(fd) && failing()) return fail(EIO);
    return real_ftruncate(fd, size);
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
    pthread_once(&once, start);
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
