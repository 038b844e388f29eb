#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

#include <jpeglib.h>
#include <jerror.h>

struct nfk_jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    const uint8_t *bytes;
    size_t count;
    int max_scans;
    /// The decoder asked for more than there is.
    bool ended;
    bool started;
    /// Bit c: component c had a scan.
    uint32_t components_seen;
    /// A frame of motion JPEG: it has no Huffman tables, the standard's own are meant.
    bool motion;
    /// Bytes that belong to nothing.
    long stray;
    uint8_t *row;
    nfk_problem *problem;
};

// MARK: Called by libjpeg

static size_t position(const nfk_jpeg_reader *reader) {
    return reader->ended ? reader->count : (size_t)(reader->source.next_input_byte - reader->bytes);
}

static void stop(nfk_jpeg_reader *reader, int status) {
    reader->problem->status = status;
    longjmp(reader->jump, 1);
}

/// Reports lost pixels with the place in the file and in the picture.
static void stop_corrupt(nfk_jpeg_reader *reader) {
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    unsigned long row = (unsigned long)jpeg->input_iMCU_row * jpeg->max_v_samp_factor * DCTSIZE;
    char detail[JMSG_LENGTH_MAX] = "";
    if (!reader->ended) jpeg->err->format_message((j_common_ptr)jpeg, detail);
    if (row >= jpeg->image_height) row = jpeg->image_height ? jpeg->image_height - 1 : 0;
    if (reader->ended)
        nfk_fail(
            reader->problem, NFK_CORRUPT, "truncated JPEG: the data ends at byte %zu, near row %lu of %lu",
            reader->count, row, (unsigned long)jpeg->image_height);
    else
        nfk_fail(
            reader->problem, NFK_CORRUPT, "corrupt JPEG data near byte %zu, row %lu of %lu (%.100s)", position(reader),
            row, (unsigned long)jpeg->image_height, detail);
    stop(reader, NFK_CORRUPT);
}

static void on_error(j_common_ptr common) {
    nfk_jpeg_reader *reader = common->client_data;
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    switch (common->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
        nfk_fail(reader->problem, NFK_MEMORY, "no memory to read the JPEG");
        break;
    case JERR_BAD_PRECISION:
        nfk_fail(
            reader->problem, NFK_UNSUPPORTED, "%d-bit JPEG is not read; save it as a 16-bit PNG first",
            common->err->msg_parm.i[0]);
        break;
    case JERR_ARITH_NOTIMPL:
        nfk_fail(
            reader->problem, NFK_UNSUPPORTED,
            "arithmetic-coded JPEG is not read by the libjpeg of this system; convert it first");
        break;
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
        nfk_fail(reader->problem, NFK_UNSUPPORTED, "JPEG of a kind that is not read: %.150s", text);
        break;
    default:
        if (reader->ended)
            nfk_fail(reader->problem, NFK_CORRUPT, "truncated JPEG: the data ends at byte %zu", reader->count);
        else
            nfk_fail(
                reader->problem, NFK_CORRUPT, "broken JPEG near byte %zu: %.150s", position(reader), text);
    }
    stop(reader, reader->problem->status);
}

/// libjpeg goes on after a warning, with pixels it made up. Those warnings end the reading here; what touches no pixel
/// is let through.
static void on_message(j_common_ptr common, int level) {
    if (level >= 0) return;
    nfk_jpeg_reader *reader = common->client_data;
    switch (common->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
        return;
    case JWRN_EXTRANEOUS_DATA:
        // Padding between the header's segments, or behind the last scan as some cameras leave it, or before every
        // restart marker as the hardware that makes motion JPEG leaves it. Elsewhere it means a decoder that is lost.
        if (reader->jpeg.input_scan_number == 0) return;
        if (common->err->msg_parm.i[1] == JPEG_EOI || reader->motion) {
            reader->stray += common->err->msg_parm.i[0];
            return;
        }
        break;
    default:
        break;
    }
    stop_corrupt(reader);
}

static void no_output(j_common_ptr common) { (void)common; }
static void no_source_work(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean past_the_end(j_decompress_ptr jpeg) {
    static const JOCTET end[2] = {0xFF, JPEG_EOI};
    nfk_jpeg_reader *reader = jpeg->client_data;
    reader->ended = true;
    jpeg->src->next_input_byte = end;
    jpeg->src->bytes_in_buffer = 2;
    return TRUE;
}

static void skip(j_decompress_ptr jpeg, long count) {
    if (count <= 0) return;
    if ((size_t)count > jpeg->src->bytes_in_buffer) {
        past_the_end(jpeg);
        return;
    }
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

/// Called once for every row of blocks: a scan of a few bytes may stand for a whole picture's work.
static void on_progress(j_common_ptr common) {
    nfk_jpeg_reader *reader = common->client_data;
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (jpeg->input_scan_number > reader->max_scans) {
        nfk_fail(
            reader->problem, NFK_CORRUPT, "JPEG of more than %d scans near byte %zu: no camera makes such a file",
            reader->max_scans, position(reader));
        stop(reader, NFK_CORRUPT);
    }
    for (int i = 0; i < jpeg->comps_in_scan && i < MAX_COMPS_IN_SCAN; i++)
        if (jpeg->cur_comp_info[i]) reader->components_seen |= 1u << (jpeg->cur_comp_info[i]->component_index & 31);
}

// MARK: Called by Swift

static void choose_colours(struct jpeg_decompress_struct *jpeg) {
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
        jpeg->out_color_space = JCS_GRAYSCALE;
        break;
    case JCS_CMYK:
    case JCS_YCCK:
        jpeg->out_color_space = JCS_CMYK;
        break;
    default:
        // Four bytes a pixel come apart with whole-register shifts; three do not.
#ifdef JCS_EXTENSIONS
        jpeg->out_color_space = JCS_EXT_RGBX;
#else
        jpeg->out_color_space = JCS_RGB;
#endif
    }
}

static void describe(const struct jpeg_decompress_struct *jpeg, nfk_jpeg_header *header) {
    header->width = (int32_t)jpeg->image_width;
    header->height = (int32_t)jpeg->image_height;
    header->components = jpeg->num_components;
    header->channels = jpeg->num_components == 1 ? 1 : 3;
    header->progressive = jpeg->progressive_mode;
    header->arithmetic = jpeg->arith_code;
    header->blocks = 0;
    int64_t held = 0;
    for (int c = 0; c < jpeg->num_components; c++) {
        const jpeg_component_info *info = &jpeg->comp_info[c];
        header->blocks += (int64_t)info->width_in_blocks * info->height_in_blocks;
        // libjpeg pads to whole minimum coded units.
        held += ((int64_t)info->width_in_blocks + info->h_samp_factor)
            * ((int64_t)info->height_in_blocks + info->v_samp_factor) * DCTSIZE2 * (int64_t)sizeof(JCOEF);
    }
    header->held_bytes = jpeg_has_multiple_scans((j_decompress_ptr)jpeg) ? held : 0;
}

nfk_jpeg_reader *nfk_jpeg_open(
    const uint8_t *bytes, size_t count, int max_scans, nfk_jpeg_header *header, nfk_problem *problem) {
    nfk_clear(problem);
    nfk_jpeg_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        nfk_fail(problem, NFK_MEMORY, "no memory to read the JPEG");
        return NULL;
    }
    reader->bytes = bytes;
    reader->count = count;
    reader->max_scans = max_scans;
    reader->problem = problem;
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg->err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = on_error;
    reader->errors.emit_message = on_message;
    reader->errors.output_message = no_output;
    jpeg->client_data = reader;
    if (setjmp(reader->jump)) {
        nfk_jpeg_close(reader);
        return NULL;
    }
    jpeg_create_decompress(jpeg);
    reader->source.next_input_byte = bytes;
    reader->source.bytes_in_buffer = count;
    reader->source.init_source = no_source_work;
    reader->source.fill_input_buffer = past_the_end;
    reader->source.skip_input_data = skip;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = no_source_work;
    jpeg->src = &reader->source;
    reader->progress.progress_monitor = on_progress;
    jpeg->progress = &reader->progress;
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->data_precision != 8) {
        nfk_fail(
            problem, NFK_UNSUPPORTED, "%d-bit JPEG is not read; save it as a 16-bit PNG first", jpeg->data_precision);
        stop(reader, NFK_UNSUPPORTED);
    }
    if (jpeg->num_components != 1 && jpeg->num_components != 3 && jpeg->num_components != 4) {
        nfk_fail(
            problem, NFK_UNSUPPORTED, "JPEG of %d components is not read: grey, RGB and CMYK are",
            jpeg->num_components);
        stop(reader, NFK_UNSUPPORTED);
    }
    choose_colours(jpeg);
    reader->motion = !jpeg->arith_code && !jpeg->progressive_mode && !jpeg->dc_huff_tbl_ptrs[0];
    // Smoothing invents what a missing scan would have held; a missing scan is an error here.
    jpeg->do_block_smoothing = FALSE;
    describe(jpeg, header);
    return reader;
}

static void start(nfk_jpeg_reader *reader) {
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_start_decompress(jpeg);
    reader->started = true;
    if (jpeg_has_multiple_scans(jpeg)) {
        if (reader->ended) stop_corrupt(reader);
        uint32_t all = (1u << jpeg->num_components) - 1;
        bool whole = (reader->components_seen & all) == all;
        for (int c = 0; whole && jpeg->progressive_mode && jpeg->coef_bits && c < jpeg->num_components; c++)
            whole = jpeg->coef_bits[c][0] >= 0;
        if (!whole) {
            nfk_fail(reader->problem, NFK_CORRUPT, "broken JPEG: a colour component has no data");
            stop(reader, NFK_CORRUPT);
        }
    }
    reader->row = malloc((size_t)jpeg->output_width * (size_t)jpeg->output_components + 16);
    if (!reader->row) {
        nfk_fail(reader->problem, NFK_MEMORY, "no memory to read the JPEG");
        stop(reader, NFK_MEMORY);
    }
}

static void spread_rgbx(
    const uint8_t *restrict row, uint8_t *restrict red, uint8_t *restrict green, uint8_t *restrict blue,
    size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, row + 4 * x, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        pixel = __builtin_bswap32(pixel);
#endif
        red[x] = (uint8_t)(pixel & 0xFF);
        green[x] = (uint8_t)((pixel >> 8) & 0xFF);
        blue[x] = (uint8_t)((pixel >> 16) & 0xFF);
    }
}

static void spread_rgb(
    const uint8_t *restrict row, uint8_t *restrict red, uint8_t *restrict green, uint8_t *restrict blue,
    size_t width) {
    for (size_t x = 0; x < width; x++) {
        red[x] = row[3 * x];
        green[x] = row[3 * x + 1];
        blue[x] = row[3 * x + 2];
    }
}

/// Ink to light, without a profile: light = (1 - ink)(1 - black). Files with Adobe's marker hold 1 - ink.
static void spread_cmyk(
    const uint8_t *restrict row, uint8_t *restrict red, uint8_t *restrict green, uint8_t *restrict blue,
    size_t width, uint32_t flip) {
    for (size_t x = 0; x < width; x++) {
        uint32_t black = row[4 * x + 3] ^ flip;
        uint32_t light[3];
        for (int c = 0; c < 3; c++) {
            uint32_t product = (row[4 * x + c] ^ flip) * black + 128;
            light[c] = (product + (product >> 8)) >> 8;
        }
        red[x] = (uint8_t)light[0];
        green[x] = (uint8_t)light[1];
        blue[x] = (uint8_t)light[2];
    }
}

static void spread(nfk_jpeg_reader *reader, uint8_t *const *planes, ptrdiff_t offset) {
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    size_t width = jpeg->output_width;
    if (jpeg->out_color_space == JCS_GRAYSCALE) {
        memcpy(planes[0] + offset, reader->row, width);
        return;
    }
    uint8_t *red = planes[0] + offset, *green = planes[1] + offset, *blue = planes[2] + offset;
    if (jpeg->out_color_space == JCS_CMYK)
        spread_cmyk(reader->row, red, green, blue, width, jpeg->saw_Adobe_marker ? 0 : 255);
    else if (jpeg->output_components == 4)
        spread_rgbx(reader->row, red, green, blue, width);
    else
        spread_rgb(reader->row, red, green, blue, width);
}

int nfk_jpeg_read(
    nfk_jpeg_reader *reader, uint8_t *const *planes, ptrdiff_t stride, int rows, nfk_problem *problem) {
    nfk_clear(problem);
    reader->problem = problem;
    if (setjmp(reader->jump)) return problem->status;
    if (!reader->started) start(reader);
    for (int y = 0; y < rows; y++) {
        JSAMPROW row = reader->row;
        if (jpeg_read_scanlines(&reader->jpeg, &row, 1) != 1) stop_corrupt(reader);
        spread(reader, planes, y * stride);
    }
    return NFK_OK;
}

int nfk_jpeg_finish(nfk_jpeg_reader *reader, nfk_problem *problem) {
    nfk_clear(problem);
    reader->problem = problem;
    if (setjmp(reader->jump)) return problem->status;
    jpeg_finish_decompress(&reader->jpeg);
    // The arithmetic decoder reads zeros past the end and never complains.
    if (reader->ended && reader->jpeg.arith_code) stop_corrupt(reader);
    if (reader->ended)
        nfk_fail(problem, NFK_OK, "the JPEG has all its pixels but no end marker");
    else if (reader->stray)
        nfk_fail(problem, NFK_OK, "%ld stray bytes between or behind the pixels", reader->stray);
    return NFK_OK;
}

void nfk_jpeg_close(nfk_jpeg_reader *reader) {
    if (!reader) return;
    jpeg_destroy_decompress(&reader->jpeg);
    free(reader->row);
    free(reader);
}
