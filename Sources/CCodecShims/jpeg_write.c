#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

#include <jpeglib.h>
#include <jerror.h>

struct nfk_jpeg_writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf jump;
    nfk_buffer made;
    /// Bytes of `made` already taken.
    size_t taken;
    uint8_t *row;
    nfk_problem *problem;
};

/// Bytes offered to libjpeg at a time.
enum { CHUNK = 1 << 16 };

static void on_error(j_common_ptr common) {
    nfk_jpeg_writer *writer = common->client_data;
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    int status = common->err->msg_code == JERR_OUT_OF_MEMORY ? NFK_MEMORY : NFK_CORRUPT;
    nfk_fail(writer->problem, status, "the JPEG cannot be made: %.150s", text);
    longjmp(writer->jump, 1);
}

static void on_message(j_common_ptr common, int level) {
    (void)common;
    (void)level;
}

static void no_output(j_common_ptr common) { (void)common; }

static void offer(nfk_jpeg_writer *writer) {
    if (!nfk_buffer_reserve(&writer->made, CHUNK)) {
        nfk_fail(writer->problem, NFK_MEMORY, "no memory to make the JPEG");
        longjmp(writer->jump, 1);
    }
    writer->destination.next_output_byte = writer->made.bytes + writer->made.count;
    writer->destination.free_in_buffer = CHUNK;
}

static void begin(j_compress_ptr jpeg) { offer(jpeg->client_data); }

static boolean full(j_compress_ptr jpeg) {
    nfk_jpeg_writer *writer = jpeg->client_data;
    writer->made.count += CHUNK;
    offer(writer);
    return TRUE;
}

static void settle(nfk_jpeg_writer *writer) {
    writer->made.count += CHUNK - writer->destination.free_in_buffer;
    writer->destination.free_in_buffer = CHUNK;
}

static void finish(j_compress_ptr jpeg) { settle(jpeg->client_data); }

/// Writes the EXIF block as the first segment and the profile in numbered pieces.
static void write_metadata(
    j_compress_ptr jpeg, const uint8_t *exif, size_t exif_count, const uint8_t *icc, size_t icc_count) {
    static const uint8_t exif_name[6] = {'E', 'x', 'i', 'f', 0, 0};
    static const uint8_t icc_name[12] = "ICC_PROFILE";
    enum { ICC_PIECE = 65533 - 14 };
    if (exif_count) {
        jpeg_write_m_header(jpeg, JPEG_APP0 + 1, (unsigned)(exif_count + 6));
        for (int i = 0; i < 6; i++) jpeg_write_m_byte(jpeg, exif_name[i]);
        for (size_t i = 0; i < exif_count; i++) jpeg_write_m_byte(jpeg, exif[i]);
    }
    size_t pieces = (icc_count + ICC_PIECE - 1) / ICC_PIECE;
    for (size_t piece = 0; piece < pieces; piece++) {
        size_t from = piece * ICC_PIECE;
        size_t count = icc_count - from < ICC_PIECE ? icc_count - from : ICC_PIECE;
        jpeg_write_m_header(jpeg, JPEG_APP0 + 2, (unsigned)(count + 14));
        for (int i = 0; i < 12; i++) jpeg_write_m_byte(jpeg, icc_name[i]);
        jpeg_write_m_byte(jpeg, (int)piece + 1);
        jpeg_write_m_byte(jpeg, (int)pieces);
        for (size_t i = 0; i < count; i++) jpeg_write_m_byte(jpeg, icc[from + i]);
    }
}

static void set_up(j_compress_ptr jpeg, int channels, int quality, int subsampled) {
    jpeg->input_components = channels;
    jpeg->in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
#ifdef JCS_EXTENSIONS
    if (channels == 3) {
        jpeg->input_components = 4;
        jpeg->in_color_space = JCS_EXT_RGBX;
    }
#endif
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    for (int c = 0; c < jpeg->num_components; c++)
        jpeg->comp_info[c].h_samp_factor = jpeg->comp_info[c].v_samp_factor =
            c == 0 && channels == 3 && subsampled ? 2 : 1;
}

nfk_jpeg_writer *nfk_jpeg_create(
    int width, int height, int channels, int quality, int subsampled, const uint8_t *exif, size_t exif_count,
    const uint8_t *icc, size_t icc_count, nfk_problem *problem) {
    nfk_clear(problem);
    nfk_jpeg_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        nfk_fail(problem, NFK_MEMORY, "no memory to make the JPEG");
        return NULL;
    }
    writer->problem = problem;
    j_compress_ptr jpeg = &writer->jpeg;
    jpeg->err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->errors.emit_message = on_message;
    writer->errors.output_message = no_output;
    jpeg->client_data = writer;
    if (setjmp(writer->jump)) {
        nfk_jpeg_destroy(writer);
        return NULL;
    }
    jpeg_create_compress(jpeg);
    writer->destination.init_destination = begin;
    writer->destination.empty_output_buffer = full;
    writer->destination.term_destination = finish;
    jpeg->dest = &writer->destination;
    jpeg->image_width = (JDIMENSION)width;
    jpeg->image_height = (JDIMENSION)height;
    set_up(jpeg, channels, quality, subsampled);
    // EXIF asks to stand first; a JFIF segment would stand before it.
    if (exif_count) jpeg->write_JFIF_header = FALSE;
    writer->row = malloc((size_t)width * (size_t)jpeg->input_components + 16);
    if (!writer->row) {
        nfk_fail(problem, NFK_MEMORY, "no memory to make the JPEG");
        longjmp(writer->jump, 1);
    }
    jpeg_start_compress(jpeg, TRUE);
    write_metadata(jpeg, exif, exif_count, icc, icc_count);
    return writer;
}

static void gather_row(
    nfk_jpeg_writer *writer, const uint16_t *const *planes, ptrdiff_t offset, int wide) {
    size_t width = writer->jpeg.image_width;
    uint8_t *restrict row = writer->row;
    const uint16_t *restrict red = planes[0] + offset;
    if (writer->jpeg.input_components == 1) {
        for (size_t x = 0; x < width; x++) row[x] = nfk_to_byte(red[x], wide);
        return;
    }
    const uint16_t *restrict green = planes[1] + offset;
    const uint16_t *restrict blue = planes[2] + offset;
    if (writer->jpeg.input_components == 4) {
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel = (uint32_t)nfk_to_byte(red[x], wide) | (uint32_t)nfk_to_byte(green[x], wide) << 8
                | (uint32_t)nfk_to_byte(blue[x], wide) << 16;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            pixel = __builtin_bswap32(pixel);
#endif
            memcpy(row + 4 * x, &pixel, 4);
        }
        return;
    }
    for (size_t x = 0; x < width; x++) {
        row[3 * x] = nfk_to_byte(red[x], wide);
        row[3 * x + 1] = nfk_to_byte(green[x], wide);
        row[3 * x + 2] = nfk_to_byte(blue[x], wide);
    }
}

int nfk_jpeg_write(
    nfk_jpeg_writer *writer, const uint16_t *const *planes, ptrdiff_t stride, int rows, int max_code,
    nfk_problem *problem) {
    nfk_clear(problem);
    writer->problem = problem;
    if (setjmp(writer->jump)) return problem->status;
    for (int y = 0; y < rows; y++) {
        gather_row(writer, planes, y * stride, max_code > 255);
        JSAMPROW row = writer->row;
        jpeg_write_scanlines(&writer->jpeg, &row, 1);
    }
    return NFK_OK;
}

int nfk_jpeg_end(nfk_jpeg_writer *writer, nfk_problem *problem) {
    nfk_clear(problem);
    writer->problem = problem;
    if (setjmp(writer->jump)) return problem->status;
    jpeg_finish_compress(&writer->jpeg);
    return NFK_OK;
}

nfk_made nfk_jpeg_take(nfk_jpeg_writer *writer) {
    // Only whole chunks are surely written; the open one stays for the next time. Those taken before move out first.
    if (writer->taken) {
        size_t open = CHUNK - writer->destination.free_in_buffer;
        memmove(writer->made.bytes, writer->made.bytes + writer->taken, writer->made.count - writer->taken + open);
        writer->made.count -= writer->taken;
        writer->taken = 0;
        writer->destination.next_output_byte = writer->made.bytes + writer->made.count + open;
    }
    writer->taken = writer->made.count;
    nfk_made made = {writer->made.bytes, writer->made.count};
    return made;
}

void nfk_jpeg_destroy(nfk_jpeg_writer *writer) {
    if (!writer) return;
    jpeg_destroy_compress(&writer->jpeg);
    free(writer->made.bytes);
    free(writer->row);
    free(writer);
}
