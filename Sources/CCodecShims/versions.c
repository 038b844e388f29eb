#include "CCodecShims.h"

#include <png.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

#define NFK_TEXT_OF(x) #x
#define NFK_TEXT(x) NFK_TEXT_OF(x)

const char *nfk_png_version(void) { return png_get_libpng_ver(NULL); }

const char *nfk_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION
    return "turbo " NFK_TEXT(LIBJPEG_TURBO_VERSION) ", API " NFK_TEXT(JPEG_LIB_VERSION);
#else
    return "API " NFK_TEXT(JPEG_LIB_VERSION);
#endif
}
