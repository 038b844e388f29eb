#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

#include <png.h>

struct nfk_png_reader {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count, at;
    bool ended;
    uint8_t *row;
    uint32_t width, height;
    int channels, depth;
    nfk_problem *problem;
};

// MARK: Called by libpng

/// The chunk that was being read.
static void chunk_name(png_structp png, char name[5]) {
    png_uint_32 type = png_get_io_chunk_type(png);
    for (int i = 0; i < 4; i++) {
        char c = (char)(type >> (24 - 8 * i));
        name[i] = c >= 'A' && c <= 'z' ? c : '?';
    }
    name[4] = 0;
}

static void on_error(png_structp png, png_const_charp text) {
    nfk_png_reader *reader = png_get_error_ptr(png);
    char name[5];
    chunk_name(png, name);
    if (reader->ended)
        nfk_fail(
            reader->problem, NFK_CORRUPT, "truncated PNG: the data ends at byte %zu, in chunk %s", reader->count, name);
    else if (strstr(text, "emory"))
        nfk_fail(reader->problem, NFK_MEMORY, "no memory to read the PNG");
    else
        nfk_fail(
            reader->problem, NFK_CORRUPT, "corrupt PNG near byte %zu, chunk %s (%.100s)", reader->at, name, text);
    png_longjmp(png, 1);
}

/// Warnings about the pixels' own data end the reading, all but those about too much of it.
static void on_warning(png_structp png, png_const_charp text) {
    if (strncmp(text, "IDAT", 4) == 0 && !strstr(text, "xtra compressed") && !strstr(text, "oo much"))
        on_error(png, text);
}

static void give(png_structp png, png_bytep to, size_t count) {
    nfk_png_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->at) {
        reader->ended = true;
        png_error(png, "truncated");
    }
    memcpy(to, reader->bytes + reader->at, count);
    reader->at += count;
}

// MARK: Called by Swift

/// Chunks that are no business of libpng here: transparency is ignored, the rest is read elsewhere or not at all.
static void leave_out(png_structp png) {
#ifdef PNG_HANDLE_AS_UNKNOWN_SUPPORTED
    static const png_byte names[] = "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0"
                                    "tEXt\0tIME\0tRNS\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, (int)(sizeof names / 5));
#endif
}

static void describe(nfk_png_reader *reader, nfk_png_header *header) {
    png_structp png = reader->png;
    png_infop info = reader->info;
    int type = png_get_color_type(png, info);
    int bits = png_get_bit_depth(png, info);
    header->width = (int32_t)png_get_image_width(png, info);
    header->height = (int32_t)png_get_image_height(png, info);
    header->bits = bits;
    header->max_code = bits == 16 ? 65535 : 255;
    header->channels = type & PNG_COLOR_MASK_COLOR ? 3 : 1;
    header->interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    header->raw_bytes = (int64_t)png_get_rowbytes(png, info) * header->height;
    header->icc = NULL;
    header->icc_count = 0;
    png_charp name;
    png_bytep profile;
    png_uint_32 count;
    int method;
    if (png_get_iCCP(png, info, &name, &method, &profile, &count) == PNG_INFO_iCCP) {
        header->icc = profile;
        header->icc_count = count;
    }
}

nfk_png_reader *nfk_png_open(
    const uint8_t *bytes, size_t count, size_t metadata_bytes, nfk_png_header *header, nfk_problem *problem) {
    nfk_clear(problem);
    nfk_png_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        nfk_fail(problem, NFK_MEMORY, "no memory to read the PNG");
        return NULL;
    }
    reader->bytes = bytes;
    reader->count = count;
    reader->problem = problem;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    if (reader->png) reader->info = png_create_info_struct(reader->png);
    if (!reader->info) {
        nfk_fail(problem, NFK_MEMORY, "no memory to read the PNG");
        nfk_png_close(reader);
        return NULL;
    }
    if (setjmp(png_jmpbuf(reader->png))) {
        nfk_png_close(reader);
        return NULL;
    }
    png_structp png = reader->png;
    png_set_read_fn(png, reader, give);
    // Sizes are judged by the caller, who knows the limits.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, metadata_bytes);
#if defined(PNG_SKIP_sRGB_CHECK_PROFILE) && defined(PNG_SET_OPTION_SUPPORTED)
    png_set_option(png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
#endif
    leave_out(png);
    png_read_info(png, reader->info);
    describe(reader, header);
    int type = png_get_color_type(png, reader->info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
    png_set_strip_alpha(png);
    reader->width = (uint32_t)header->width;
    reader->height = (uint32_t)header->height;
    reader->channels = header->channels;
    reader->depth = header->max_code > 255 ? 2 : 1;
    return reader;
}

static void start(nfk_png_reader *reader) {
    if (reader->row) return;
    png_read_update_info(reader->png, reader->info);
    size_t expected = (size_t)reader->width * (size_t)reader->channels * (size_t)reader->depth;
    size_t row_bytes = png_get_rowbytes(reader->png, reader->info);
    reader->row = malloc((row_bytes > expected ? row_bytes : expected) + 64);
    if (!reader->row) png_error(reader->png, "out of memory");
}

/// Puts `count` pixels of the row at every `step`th sample.
static void spread(
    const nfk_png_reader *reader, void *const *planes, ptrdiff_t offset, size_t count, size_t step) {
    const uint8_t *restrict row = reader->row;
    size_t channels = (size_t)reader->channels;
    for (size_t c = 0; c < channels; c++) {
        if (reader->depth == 1) {
            uint8_t *restrict to = (uint8_t *)planes[c] + offset;
            for (size_t x = 0; x < count; x++) to[x * step] = row[x * channels + c];
        } else {
            uint16_t *restrict to = (uint16_t *)planes[c] + offset;
            for (size_t x = 0; x < count; x++) {
                const uint8_t *sample = row + 2 * (x * channels + c);
                to[x * step] = (uint16_t)(sample[0] << 8 | sample[1]);
            }
        }
    }
}

int nfk_png_read(nfk_png_reader *reader, void *const *planes, ptrdiff_t stride, int rows, nfk_problem *problem) {
    nfk_clear(problem);
    reader->problem = problem;
    if (setjmp(png_jmpbuf(reader->png))) return problem->status;
    start(reader);
    for (int y = 0; y < rows; y++) {
        png_read_row(reader->png, reader->row, NULL);
        spread(reader, planes, y * stride, reader->width, 1);
    }
    return NFK_OK;
}

int nfk_png_read_interlaced(nfk_png_reader *reader, void *const *planes, ptrdiff_t stride, nfk_problem *problem) {
    nfk_clear(problem);
    reader->problem = problem;
    if (setjmp(png_jmpbuf(reader->png))) return problem->status;
    // Without png_set_interlace_handling each pass comes as a small picture of its own: no buffer of all rows.
    start(reader);
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
        uint32_t columns = PNG_PASS_COLS(reader->width, pass), rows = PNG_PASS_ROWS(reader->height, pass);
        if (columns == 0) continue;
        for (uint32_t y = 0; y < rows; y++) {
            png_read_row(reader->png, reader->row, NULL);
            ptrdiff_t at = (ptrdiff_t)PNG_ROW_FROM_PASS_ROW(y, pass) * stride + PNG_PASS_START_COL(pass);
            spread(reader, planes, at, columns, PNG_PASS_COL_OFFSET(pass));
        }
    }
    return NFK_OK;
}

int nfk_png_finish(nfk_png_reader *reader, nfk_problem *problem) {
    nfk_clear(problem);
    reader->problem = problem;
    if (setjmp(png_jmpbuf(reader->png))) {
        const png_uint_32 end = 0x49454E44, ancillary = 0x20000000;
        bool header = (png_get_io_state(reader->png) & PNG_IO_MASK_LOC) == PNG_IO_CHUNK_HDR;
        png_uint_32 type = png_get_io_chunk_type(reader->png);
        // The pixels and their checksums are all there; what stands behind them is cut off, or is a chunk that a reader
        // may do without.
        if (problem->status == NFK_CORRUPT && ((header && reader->ended) || type == end || (type & ancillary)))
            problem->status = NFK_OK;
        return problem->status;
    }
    png_read_end(reader->png, reader->info);
    return NFK_OK;
}

void nfk_png_close(nfk_png_reader *reader) {
    if (!reader) return;
    if (reader->png) png_destroy_read_struct(&reader->png, reader->info ? &reader->info : NULL, NULL);
    free(reader->row);
    free(reader);
}
