#include "CCodecShims.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#endif

void nfk_return_blocks_from(int bytes) {
#if defined(__linux__) && defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, bytes);
    // What is smaller is soon asked for again.
    mallopt(M_TRIM_THRESHOLD, 2 * bytes);
#else
    (void)bytes;
#endif
}
