/* JPEG files in and out, for the sample: Nightfuse itself knows buffers only. */
#ifndef SAMPLE_JPEG_H
#define SAMPLE_JPEG_H

#include <stdint.h>

/* 8-bit RGB, rows without padding. */
struct picture {
    uint8_t *pixels;
    int width;
    int height;
};

/* 0, or 1 after a message on stderr. pixels are the caller's to free. */
int read_jpeg(const char *path, struct picture *picture);
int write_jpeg(const char *path, const struct picture *picture);

#endif
