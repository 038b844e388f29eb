#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

#include "CCodecShims.h"

enum { SLOTS = 64, LONGEST = 4096 };
enum { FREE, FILLING, SET };

static _Atomic int states[SLOTS];
static char paths[SLOTS][LONGEST];

int nfk_temporary_add(const char *path) {
    size_t length = strlen(path);
    if (length >= LONGEST) return -1;
    for (int i = 0; i < SLOTS; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&states[i], &expected, FILLING)) continue;
        memcpy(paths[i], path, length + 1);
        atomic_store(&states[i], SET);
        return i;
    }
    return -1;
}

void nfk_temporary_forget(int ticket) {
    if (ticket >= 0 && ticket < SLOTS) atomic_store(&states[ticket], FREE);
}

void nfk_temporaries_remove(void) {
    int saved = errno;
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&states[i]) == SET) unlink(paths[i]);
    errno = saved;
}

int nfk_open_unnamed(const char *folder) {
#ifdef O_TMPFILE
    // The name is given by way of /proc, so without it such a file could never get one.
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
    (void)folder;
    errno = ENOTSUP;
    return -1;
#endif
}

int nfk_name_unnamed(int descriptor, const char *path) {
#ifdef O_TMPFILE
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
#else
    (void)descriptor;
    (void)path;
    errno = ENOTSUP;
    return -1;
#endif
}

// Whether files in the folder are kept in memory.
static int is_in_memory(int descriptor) {
#ifdef __linux__
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return 0;
    // Of tmpfs and ramfs (statfs(2)).
    return status.f_type == 0x01021994 || (unsigned long)status.f_type == 0x858458f6;
#else
    (void)descriptor;
    return 0;
#endif
}

// Gives the file its bytes on the disk, so that no write through a mapping finds the disk full.
static int reserve(int descriptor, long long bytes) {
#ifdef __APPLE__
    fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, bytes, 0};
    if (fcntl(descriptor, F_PREALLOCATE, &store) != 0) return errno;
    return ftruncate(descriptor, bytes) == 0 ? 0 : errno;
#else
    int reason;
    do reason = posix_fallocate(descriptor, 0, bytes);
    while (reason == EINTR);
    return reason;
#endif
}

// A file that is its own on the disk and has no name; -1 and errno.
static int open_reserved(const char *folder, long long bytes) {
    int descriptor = -1;
#ifdef O_TMPFILE
    descriptor = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#endif
    if (descriptor < 0) {
        char path[LONGEST];
        int length = snprintf(path, sizeof path, "%s/.nightfuse-XXXXXX", folder);
        if (length < 0 || length >= (int)sizeof path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        descriptor = mkstemp(path);
        if (descriptor < 0) return -1;
        unlink(path);
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
    int reason = is_in_memory(descriptor) ? ENOTSUP : reserve(descriptor, bytes);
    if (reason == 0) return descriptor;
    close(descriptor);
    errno = reason;
    return -1;
}

int nfk_has_room(const char *folder, long long bytes) {
    int descriptor = open_reserved(folder, bytes);
    if (descriptor < 0) return 0;
    close(descriptor);
    return 1;
}

int nfk_open_scratch(const char *folder, long long bytes) {
    int descriptor = open_reserved(folder, bytes);
    if (descriptor < 0) return -1;
    // Page by page, so that the system's cache holds pages: it would have what a mapping is the first to touch in pieces of
    // up to 2 MiB, and goes through a whole piece when one page of it is written (four times the time, Linux 6.18).
    static const char zeros[4096];
    for (long long at = 0; at < bytes;) {
        size_t count = bytes - at < (long long)sizeof zeros ? (size_t)(bytes - at) : sizeof zeros;
        ssize_t written = pwrite(descriptor, zeros, count, (off_t)at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            int reason = errno;
            close(descriptor);
            errno = reason;
            return -1;
        }
        at += written;
    }
    return descriptor;
}
