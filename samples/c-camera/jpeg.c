#include "jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

/* libjpeg leaves through here where a file is broken. */
struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf place;
};

static void leave(j_common_ptr info)
{
    struct failure *failure = (struct failure *)info->err;
    info->err->output_message(info);
    longjmp(failure->place, 1);
}

int read_jpeg(const char *path, struct picture *picture)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    struct jpeg_decompress_struct info;
    struct failure failure;
    /* Volatile: what is set after setjmp must survive the jump. */
    uint8_t *volatile pixels = NULL;
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = leave;
    if (setjmp(failure.place)) {
        jpeg_destroy_decompress(&info);
        free(pixels);
        fclose(file);
        return 1;
    }
    jpeg_create_decompress(&info);
    jpeg_stdio_src(&info, file);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 3;
    pixels = malloc(stride * info.output_height);
    if (!pixels) abort();
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + stride * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    *picture = (struct picture) { pixels, (int)info.output_width, (int)info.output_height };
    jpeg_destroy_decompress(&info);
    fclose(file);
    return 0;
}

int write_jpeg(const char *path, const struct picture *picture)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    struct jpeg_compress_struct info;
    struct failure failure;
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = leave;
    if (setjmp(failure.place)) {
        jpeg_destroy_compress(&info);
        fclose(file);
        return 1;
    }
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, file);
    info.image_width = (JDIMENSION)picture->width;
    info.image_height = (JDIMENSION)picture->height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 95, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = picture->pixels + (size_t)picture->width * 3 * info.next_scanline;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    if (fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}
