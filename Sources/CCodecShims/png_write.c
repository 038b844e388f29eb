#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

#include <png.h>

struct nfk_png_writer {
    png_structp png;
    png_infop info;
    nfk_buffer made;
    uint8_t *row;
    size_t width;
    int channels, bits;
    nfk_problem *problem;
};

/// zlib's Z_RLE, whose header is not asked for just for this.
enum { RUNS = 3 };

static void on_error(png_structp png, png_const_charp text) {
    nfk_png_writer *writer = png_get_error_ptr(png);
    nfk_fail(
        writer->problem, strstr(text, "emory") ? NFK_MEMORY : NFK_CORRUPT, "the PNG cannot be made: %.150s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void keep(png_structp png, png_bytep bytes, size_t count) {
    nfk_png_writer *writer = png_get_io_ptr(png);
    if (!nfk_buffer_reserve(&writer->made, count)) png_error(png, "out of memory");
    memcpy(writer->made.bytes + writer->made.count, bytes, count);
    writer->made.count += count;
}

static void no_flush(png_structp png) { (void)png; }

/// Writes a profile that libpng finds fault with, as it is, in stored (not compressed) blocks.
static void write_profile(png_structp png, const uint8_t *icc, size_t count) {
    enum { BLOCK = 65535 };
    static const uint8_t name[] = "profile";
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    size_t size = sizeof name + 1 + 2 + blocks * 5 + count + 4;
    uint32_t low = 1, high = 0;
    png_write_chunk_start(png, (png_const_bytep) "iCCP", (png_uint_32)size);
    png_write_chunk_data(png, name, sizeof name);
    // Method 0, then the two bytes of a zlib stream's header.
    png_write_chunk_data(png, (const uint8_t[]){0, 0x78, 0x01}, 3);
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t length = count - from < BLOCK ? count - from : BLOCK;
        uint8_t head[5] = {
            from + length == count, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)~length, (uint8_t)(~length >> 8)};
        png_write_chunk_data(png, head, 5);
        png_write_chunk_data(png, icc + from, length);
    }
    for (size_t i = 0; i < count; i++) {
        low = (low + icc[i]) % 65521;
        high = (high + low) % 65521;
    }
    uint8_t sum[4] = {(uint8_t)(high >> 8), (uint8_t)high, (uint8_t)(low >> 8), (uint8_t)low};
    png_write_chunk_data(png, sum, 4);
    png_write_chunk_end(png);
}

nfk_png_writer *nfk_png_create(
    int width, int height, int channels, int bits, const uint8_t *exif, size_t exif_count,
    const uint8_t *icc, size_t icc_count, nfk_problem *problem) {
    nfk_clear(problem);
    nfk_png_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        nfk_fail(problem, NFK_MEMORY, "no memory to make the PNG");
        return NULL;
    }
    writer->width = (size_t)width;
    writer->channels = channels;
    writer->bits = bits;
    writer->problem = problem;
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_error, on_warning);
    if (writer->png) writer->info = png_create_info_struct(writer->png);
    writer->row = malloc((size_t)width * (size_t)channels * 2 + 16);
    if (!writer->info || !writer->row) {
        nfk_fail(problem, NFK_MEMORY, "no memory to make the PNG");
        nfk_png_destroy(writer);
        return NULL;
    }
    if (setjmp(png_jmpbuf(writer->png))) {
        nfk_png_destroy(writer);
        return NULL;
    }
    png_structp png = writer->png;
    png_set_write_fn(png, writer, keep, no_flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // A profile that libpng dislikes is a warning here, and is then written without its help.
    png_set_benign_errors(png, 1);
#if defined(PNG_SKIP_sRGB_CHECK_PROFILE) && defined(PNG_SET_OPTION_SUPPORTED)
    png_set_option(png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
#endif
    // Photographs hardly ever repeat themselves, so looking for repeats costs most of the time and gains nothing. 12
    // megapixels of 8 bits, noisy: this 0.72 s and 25.0 MB; level 1 with Sub 2.5 s and 27.3 MB; libpng's own choice
    // (level 6, all filters) 3.7 s and 25.0 MB. A clean night picture of 3.9 megapixels, 16 bits: 0.59 s and 17.6 MB;
    // 1.4 s and 18.5 MB; 5.3 s and 17.2 MB. Runs are still found, for flat areas.
    png_set_compression_strategy(png, RUNS);
    png_set_compression_level(png, 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_AVG);
    png_set_IHDR(
        png, writer->info, (png_uint_32)width, (png_uint_32)height, bits,
        channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    if (icc_count) png_set_iCCP(png, writer->info, "profile", PNG_COMPRESSION_TYPE_BASE, icc, (png_uint_32)icc_count);
    png_write_info_before_PLTE(png, writer->info);
    if (icc_count && !png_get_valid(png, writer->info, PNG_INFO_iCCP)) write_profile(png, icc, icc_count);
    if (exif_count) png_write_chunk(png, (png_const_bytep) "eXIf", exif, exif_count);
    png_write_info(png, writer->info);
    return writer;
}

static void gather_row(nfk_png_writer *writer, const uint16_t *const *planes, ptrdiff_t offset, int wide) {
    uint8_t *restrict row = writer->row;
    size_t channels = (size_t)writer->channels, width = writer->width;
    for (size_t c = 0; c < channels; c++) {
        const uint16_t *restrict from = planes[c] + offset;
        if (writer->bits == 8)
            for (size_t x = 0; x < width; x++) row[x * channels + c] = nfk_to_byte(from[x], wide);
        else
            for (size_t x = 0; x < width; x++) {
                uint32_t sample = wide ? from[x] : nfk_to_byte(from[x], 0) * 257u;
                row[2 * (x * channels + c)] = (uint8_t)(sample >> 8);
                row[2 * (x * channels + c) + 1] = (uint8_t)sample;
            }
    }
}

int nfk_png_write(
    nfk_png_writer *writer, const uint16_t *const *planes, ptrdiff_t stride, int rows, int max_code,
    nfk_problem *problem) {
    nfk_clear(problem);
    writer->problem = problem;
    if (setjmp(png_jmpbuf(writer->png))) return problem->status;
    for (int y = 0; y < rows; y++) {
        gather_row(writer, planes, y * stride, max_code > 255);
        png_write_row(writer->png, writer->row);
    }
    return NFK_OK;
}

int nfk_png_end(nfk_png_writer *writer, nfk_problem *problem) {
    nfk_clear(problem);
    writer->problem = problem;
    if (setjmp(png_jmpbuf(writer->png))) return problem->status;
    png_write_end(writer->png, NULL);
    return NFK_OK;
}

nfk_made nfk_png_take(nfk_png_writer *writer) {
    nfk_made made = {writer->made.bytes, writer->made.count};
    writer->made.count = 0;
    return made;
}

void nfk_png_destroy(nfk_png_writer *writer) {
    if (!writer) return;
    if (writer->png) png_destroy_write_struct(&writer->png, writer->info ? &writer->info : NULL);
    free(writer->made.bytes);
    free(writer->row);
    free(writer);
}
