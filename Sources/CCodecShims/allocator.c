#include "CCodecShims.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#endif

void nfk_return_blocks_from(int bytes) {
#if defined(__linux__) && defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}
