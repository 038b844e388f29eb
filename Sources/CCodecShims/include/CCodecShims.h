#ifndef CCODECSHIMS_H
#define CCODECSHIMS_H

// libjpeg and libpng leave a failed call by a jump. Every jump, and every function of ours that those libraries call,
// stays behind this header: each function here returns to its caller, with a status and a text.
//
// Reader and writer objects belong to one thread at a time. After any status but NFK_OK an object may only be closed.
// The bytes handed to `open` must stay where they are until `close`. Planes are rows of 16-bit samples, `stride`
// samples apart.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Done.
#define NFK_OK 0
/// The file is broken.
#define NFK_CORRUPT 1
/// The file is sound, of a kind that is not read.
#define NFK_UNSUPPORTED 2
/// No memory.
#define NFK_MEMORY 3

/// What happened. `text` is one line, empty while all is well.
typedef struct {
    int status;
    char text[240];
} nfk_problem;

// MARK: JPEG in

typedef struct nfk_jpeg_reader nfk_jpeg_reader;

typedef struct {
    int32_t width, height;
    /// Planes that are given: 1 (grey) or 3.
    int32_t channels;
    /// Components in the file, 1, 3 or 4.
    int32_t components;
    int32_t progressive, arithmetic;
    /// 8 x 8 blocks of all components.
    int64_t blocks;
    /// Bytes libjpeg holds while it reads, beyond a few rows: all coefficients of a file of several scans, else 0.
    int64_t held_bytes;
} nfk_jpeg_header;

/// Reads up to the first scan. Nothing that grows with the picture is allocated yet. A file of more than `max_scans`
/// scans is refused when they are read. Null where it failed; `problem` then says why.
nfk_jpeg_reader *nfk_jpeg_open(
    const uint8_t *bytes, size_t count, int max_scans, nfk_jpeg_header *header, nfk_problem *problem);
/// Reads the next `rows` rows as samples of 0 to 255 into 1 or 3 planes. Lost, corrupt or missing data is an error.
int nfk_jpeg_read(
    nfk_jpeg_reader *reader, uint8_t *const *planes, ptrdiff_t stride, int rows, nfk_problem *problem);
/// Call after the last row. Where all pixels are there but the end is odd, the status is NFK_OK and `problem.text` tells.
int nfk_jpeg_finish(nfk_jpeg_reader *reader, nfk_problem *problem);
void nfk_jpeg_close(nfk_jpeg_reader *reader);

// MARK: PNG in

typedef struct nfk_png_reader nfk_png_reader;

typedef struct {
    int32_t width, height;
    /// Planes that are given: 1 (grey) or 3.
    int32_t channels;
    /// Bits of a sample in the file: 1, 2, 4, 8 or 16.
    int32_t bits;
    /// Largest sample given: 255 or 65535.
    int32_t max_code;
    int32_t interlaced;
    /// Bytes of the decoded, unexpanded rows: what the compressed data must hold.
    int64_t raw_bytes;
    /// The ICC profile, owned by the reader; null where there is none (or a broken one).
    const uint8_t *icc;
    size_t icc_count;
} nfk_png_header;

/// Reads up to the pixels. Chunks of more than `metadata_bytes` are left out. Null where it failed.
nfk_png_reader *nfk_png_open(
    const uint8_t *bytes, size_t count, size_t metadata_bytes, nfk_png_header *header, nfk_problem *problem);
/// Reads the next `rows` rows of a file that is not interlaced, into planes of `uint8_t` where the largest sample is 255,
/// else of `uint16_t`; `stride` counts samples.
int nfk_png_read(nfk_png_reader *reader, void *const *planes, ptrdiff_t stride, int rows, nfk_problem *problem);
/// Reads all rows of an interlaced file, as nfk_png_read.
int nfk_png_read_interlaced(nfk_png_reader *reader, void *const *planes, ptrdiff_t stride, nfk_problem *problem);
/// Call after the last row. Where all pixels are there but the end is odd, the status is NFK_OK and `problem.text` tells.
int nfk_png_finish(nfk_png_reader *reader, nfk_problem *problem);
void nfk_png_close(nfk_png_reader *reader);

// MARK: Out

/// What a writer has made since it was last asked.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} nfk_made;

typedef struct nfk_jpeg_writer nfk_jpeg_writer;

/// `channels` 1 or 3; `quality` 1 to 100; `subsampled` not 0: chroma at half width and height. EXIF (TIFF header first,
/// at most 65527 bytes) and ICC (at most 255 x 65519 bytes) may be empty.
nfk_jpeg_writer *nfk_jpeg_create(
    int width, int height, int channels, int quality, int subsampled, const uint8_t *exif, size_t exif_count,
    const uint8_t *icc, size_t icc_count, nfk_problem *problem);
/// Writes the next `rows` rows; samples are 0 to `max_code` (255 or 65535).
int nfk_jpeg_write(
    nfk_jpeg_writer *writer, const uint16_t *const *planes, ptrdiff_t stride, int rows, int max_code,
    nfk_problem *problem);
/// Call after the last row.
int nfk_jpeg_end(nfk_jpeg_writer *writer, nfk_problem *problem);
/// The bytes made since the last call; valid until the next call with this writer.
nfk_made nfk_jpeg_take(nfk_jpeg_writer *writer);
void nfk_jpeg_destroy(nfk_jpeg_writer *writer);

typedef struct nfk_png_writer nfk_png_writer;

/// `channels` 1 or 3; `bits` 8 or 16. EXIF and ICC may be empty.
nfk_png_writer *nfk_png_create(
    int width, int height, int channels, int bits, const uint8_t *exif, size_t exif_count, const uint8_t *icc,
    size_t icc_count, nfk_problem *problem);
/// Writes the next `rows` rows; samples are 0 to `max_code` (255 or 65535), scaled to the file's bits.
int nfk_png_write(
    nfk_png_writer *writer, const uint16_t *const *planes, ptrdiff_t stride, int rows, int max_code,
    nfk_problem *problem);
/// Call after the last row.
int nfk_png_end(nfk_png_writer *writer, nfk_problem *problem);
/// The bytes made since the last call; valid until the next call with this writer.
nfk_made nfk_png_take(nfk_png_writer *writer);
void nfk_png_destroy(nfk_png_writer *writer);

// MARK: Temporary files

/// Remembers a file to be removed by `nfk_temporaries_remove`. Gives a ticket, or -1 where the path is longer than 4095
/// bytes or 64 files are remembered. Any thread.
int nfk_temporary_add(const char *path);
/// Forgets it. Any thread.
void nfk_temporary_forget(int ticket);
/// Unlinks all that are remembered. May be called from a signal handler; keeps errno.
void nfk_temporaries_remove(void);

/// Opens a file without a name in `folder`; -1 and errno where the system has no such files.
int nfk_open_unnamed(const char *folder);
/// Gives the unnamed file a name that must be free; 0, or -1 and errno.
int nfk_name_unnamed(int descriptor, const char *path);
/// Opens a new file in `folder` with `bytes` zero bytes that are its own on the disk, to be read and written; it has no name,
/// and is gone with its last use. -1 and errno where the folder takes none, or is kept in memory itself (ENOTSUP).
int nfk_open_scratch(const char *folder, long long bytes);
/// Whether the folder has room for so many bytes of such files now.
int nfk_has_room(const char *folder, long long bytes);

// MARK: Versions

/// Blocks of so many bytes and more go back to the system as soon as they are freed. Does nothing but with glibc.
void nfk_return_blocks_from(int bytes);

/// The libpng that runs; static text.
const char *nfk_png_version(void);
/// The libjpeg whose header this was built with (the library does not tell); static text.
const char *nfk_jpeg_version(void);

#ifdef __cplusplus
}
#endif

#endif
