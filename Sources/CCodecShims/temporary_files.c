#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
