/*
 * nightfuse.h: night photographs from bursts of dark ones, for camera software in C and whatever calls C.
 *
 *     viewfinder frames -> nf_meter -> nf_plan          before the shot: how often and how long to expose
 *     frames            -> nf_session -> the picture    after it, while the next frame is exposed
 *
 * MEMORY    What the library makes (nf_meter, nf_plan, nf_session) has a destroy function. Everything passed in is
 *           borrowed for the call and never kept: buffers, structs and strings are the caller's again on return. Strings
 *           that come out belong to the handle they came from, and last as long as it.
 *
 * ERRORS    Functions that can fail return an nf_status. Where the last parameter is an nf_error, and it is not NULL, it
 *           gets the same status and one line for a person, also on success (NF_OK, ""). After an error the handle is as
 *           it was before the call unless the function says otherwise. NULL where a pointer is needed is
 *           NF_ERROR_ARGUMENT; nothing that is passed ends the process, but for a pointer to memory that is not there.
 *
 * STRUCTS   begin with their size in bytes, to be set by the caller (sizeof); they may grow at the end in later versions.
 *           A shorter struct means defaults for what it lacks. A longer one, of a newer header, is taken as long as what
 *           this version does not know is zero. Zero is the default of every field that does not say otherwise.
 *
 * THREADS   Handles are independent of each other. One handle may be used by one thread at a time, but for
 *           nf_session_cancel, which any thread may call at any time before nf_session_destroy. nf_session_add,
 *           nf_session_finish and nf_fuse spread their work over threads of their own.
 *
 * UNITS     Seconds; pixels, x to the right, y down; stops (EV); bytes for strides. Linear light is 1 at full scale. Noise
 *           is a variance on that scale: shot * x + read * read at linear signal x.
 *
 * VERSIONS  Symbols begin with nf_, macros and constants with NF_. Within a major version nothing is removed, no field
 *           moves, no constant changes its number. What a picture looks like may change in any version.
 */
#ifndef NIGHTFUSE_H
#define NIGHTFUSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ Status */

/* How a call ended. */
typedef enum nf_status {
    NF_OK = 0,
    /* The caller passed something that makes no sense: NULL, a short stride, NaN, a call out of order. */
    NF_ERROR_ARGUMENT = 1,
    /* A frame does not fit in with those before it: another size, colour space or mosaic. */
    NF_ERROR_FRAME = 2,
    /* A limit on memory or size would be broken, or the system has no memory left. */
    NF_ERROR_LIMIT = 3,
    /* Samples of a kind that is not read. */
    NF_ERROR_UNSUPPORTED = 4,
    /* The system refused something else. */
    NF_ERROR_SYSTEM = 5,
    /* nf_session_cancel was called. */
    NF_ERROR_CANCELLED = 6
} nf_status;

/* What went wrong, for a person. */
typedef struct nf_error {
    size_t size;
    nf_status status;
    /* One line of UTF-8 without a full stop, ended by 0; cut where it would be longer. */
    char message[512];
} nf_error;

/* An nf_error to begin with: nf_error error = NF_ERROR_INIT; */
#define NF_ERROR_INIT { sizeof(nf_error), NF_OK, { 0 } }

/* The library's version, "major.minor.patch". */
const char *nf_version(void);

/* The constant's name, "NF_OK" and so on; "unknown" for other numbers. */
const char *nf_status_name(nf_status status);

/* ------------------------------------------------------------------------------------------------ Buffers */

/* How samples lie in memory. */
typedef enum nf_layout {
    /* 3 bytes a pixel, red first. */
    NF_LAYOUT_RGB8 = 1,
    /* 4 bytes a pixel, red first; the fourth is ignored when read, 255 when written. */
    NF_LAYOUT_RGBA8 = 2,
    /* 4 bytes a pixel, blue first; the fourth is ignored when read, 255 when written. */
    NF_LAYOUT_BGRA8 = 3,
    /* Three 16-bit numbers of this machine's byte order a pixel, red first; full scale 65535. At even addresses. */
    NF_LAYOUT_RGB16 = 4,
    /* Luma, and in `chroma` a plane half as wide and high (rounded up) of interleaved Cb, Cr; a byte a sample. */
    NF_LAYOUT_NV12 = 5,
    /* The same with Cr before Cb. */
    NF_LAYOUT_NV21 = 6,
    /* Luma alone, a byte a pixel, full range: previews only. */
    NF_LAYOUT_LUMA8 = 7
} nf_layout;

/* Weights of red, green and blue in luma. */
typedef enum nf_matrix { NF_MATRIX_BT601 = 0, NF_MATRIX_BT709 = 1 } nf_matrix;

/* Codes of black and white: 0 to 255 (chroma sited as in JPEG), or 16 to 235 (sited as in MPEG-2 and H.264). */
typedef enum nf_range { NF_RANGE_FULL = 0, NF_RANGE_VIDEO = 1 } nf_range;

/* A picture in the caller's memory, to be read. Upright; nothing here turns pictures. */
typedef struct nf_image {
    size_t size;
    int32_t width;
    int32_t height;
    nf_layout layout;
    /* Of NV12 and NV21. */
    nf_matrix matrix;
    nf_range range;
    /* First row first; luma of NV12 and NV21. */
    const void *pixels;
    /* Bytes from row to row, at least a row's. */
    size_t stride;
    /* Of NV12 and NV21; NULL for all others. */
    const void *chroma;
    size_t chroma_stride;
} nf_image;

/* Memory of the caller's, to be written: as nf_image. Bytes past the end of a row are left as they are. */
typedef struct nf_output {
    size_t size;
    int32_t width;
    int32_t height;
    nf_layout layout;
    nf_matrix matrix;
    nf_range range;
    void *pixels;
    size_t stride;
    void *chroma;
    size_t chroma_stride;
} nf_output;

/* Primaries of pictures; the transfer curve is sRGB's for both. */
typedef enum nf_colour { NF_COLOUR_SRGB = 0, NF_COLOUR_DISPLAY_P3 = 1 } nf_colour;

/* What the camera knows of a frame beside its samples. */
typedef struct nf_tags {
    size_t size;
    /* What messages call the frame; NULL: "frame". */
    const char *name;
    /* Exposure time and ISO speed; 0: unknown. With both, frames of other exposures are told apart safely. */
    double exposure_s;
    double iso;
    /* Of pictures; raw frames have their matrices. */
    nf_colour colour;
} nf_tags;

/* Colours of a mosaic's first two rows, from the left. */
typedef enum nf_pattern {
    NF_PATTERN_RGGB = 0,
    NF_PATTERN_GRBG = 1,
    NF_PATTERN_GBRG = 2,
    NF_PATTERN_BGGR = 3
} nf_pattern;

/* How raw samples lie in a row. */
typedef enum nf_packing {
    /* Four samples in five bytes: the upper eight bits of each, then the lower two of all (MIPI RAW10). */
    NF_PACKING_RAW10_PACKED = 1,
    /* One sample in a 16-bit number of this machine's byte order, its lowest bit last; at even addresses. */
    NF_PACKING_RAW10 = 2,
    NF_PACKING_RAW12 = 3,
    NF_PACKING_RAW14 = 4,
    NF_PACKING_RAW16 = 5
} nf_packing;

/* Noise on a scale where full scale is 1: variance = shot * x + read * read. Both at least 0. */
typedef struct nf_noise {
    double shot;
    double read;
} nf_noise;

/* Colour of the sensor under one light. Matrices are row by row, and can be inverted. */
typedef struct nf_calibration {
    /* EXIF light source: 17 = A, 21 = D65, ... */
    int32_t illuminant;
    /* Whether `forward` is known: 0 or 1. */
    int32_t has_forward;
    /* XYZ to camera (DNG ColorMatrix). */
    double colour[9];
    /* White-balanced camera to XYZ D50 (DNG ForwardMatrix). */
    double forward[9];
} nf_calibration;

/* A raw frame in the caller's memory: one sample a pixel of the area to be used. */
typedef struct nf_raw {
    size_t size;
    int32_t width;
    int32_t height;
    nf_packing packing;
    nf_pattern pattern;
    /* First row first. */
    const void *samples;
    /* Bytes from row to row, at least a row's. */
    size_t stride;
    /* Black level of the pattern's four places, first row first, and the number at which samples saturate. */
    double black[4];
    double white;
    /* Raw red, green and blue of a white object in the scene's light, on any scale; all 0: unknown. */
    double neutral[3];
    /* Stops to add when developing. */
    double baseline_exposure_ev;
    /* Known calibrations: 0 to 2. */
    int32_t calibration_count;
    /* Known noise at this frame's ISO, on a scale where black is 0 and white 1: 0 (it is measured then), 1 (for all
       colours) or 3 (red, green, blue). */
    int32_t noise_count;
    nf_calibration calibrations[2];
    nf_noise noise[3];
} nf_raw;

/* ------------------------------------------------------------------------------------------------ Metering */

/* Watches the viewfinder. Everything it needs is allocated at the first frame. */
typedef struct nf_meter nf_meter;

typedef struct nf_meter_options {
    size_t size;
    /* Size of the frames that will be shot; 0: the preview's. */
    int32_t frame_width;
    int32_t frame_height;
    /* Of the lens, in widths of the frame; only used with a gyroscope. 0: 0.72, a phone's main camera. */
    double focal_length;
} nf_meter_options;

/* When and how a preview frame was taken. */
typedef struct nf_preview_tags {
    size_t size;
    /* Both above 0. */
    double exposure_s;
    double iso;
    /* When the exposure of the first row began, by any clock that runs evenly; above the last frame's. */
    double time_s;
    /* What messages call it; may be NULL. */
    const char *name;
} nf_preview_tags;

/* Angular rates of the camera in radians a second, about x (to the right), y (down) and z (the view). */
typedef struct nf_gyroscope_sample {
    size_t size;
    /* On the clock of the previews; not before the last sample's. */
    double time_s;
    double x;
    double y;
    double z;
} nf_gyroscope_sample;

/* What is known of scene and hand. Speeds are rms, in pixels of the full frame a second. */
typedef struct nf_scene {
    size_t size;
    /* Whether it is dark enough for a night shot, and whether the camera stands on something firm: 0 or 1. */
    int32_t night_mode;
    int32_t steady;
    /* Mains flicker: 100 or 120, 0 for none, -1 where it cannot be known. */
    int32_t flicker_hz;
    /* Frames that count (about a second's). */
    int32_t frame_count;
    /* Mean radiance in units of what gives full scale at ISO 100 in one second. */
    double mean_luminance;
    /* Stops from the mid-tones down to the shadows that matter, and from those to the brightest that is known. */
    double shadow_depth_ev;
    double dynamic_range_ev;
    /* Share of the picture with a colour at full scale, 0 to 1. */
    double clipped_fraction;
    /* -1 where it cannot be known. */
    double camera_motion_px_s;
    double subject_motion_px_s;
    /* Share of the picture that moves by itself, 0 to 1. */
    double subject_fraction;
} nf_scene;

/* Makes a meter. options may be NULL for defaults. *meter is NULL after an error. */
nf_status nf_meter_create(const nf_meter_options *options, nf_meter **meter, nf_error *error);

/* Takes in one preview frame of 16 x 16 pixels or more: any layout but RGB16. Frames of one meter have one size.
   Without a name it allocates at the first frame only; 640 x 480 takes about a millisecond. */
nf_status nf_meter_add(nf_meter *meter, const nf_image *preview, const nf_preview_tags *tags, nf_error *error);

/* Takes in angular rates; as long as they keep coming they stand for the camera's motion. */
nf_status nf_meter_add_gyroscope(nf_meter *meter, const nf_gyroscope_sample *sample, nf_error *error);

/* What is known now; NF_ERROR_ARGUMENT before the first preview. About a millisecond. */
nf_status nf_meter_read(nf_meter *meter, nf_scene *scene, nf_error *error);

/* Forgets all frames; their size may then change. NULL does nothing. */
void nf_meter_reset(nf_meter *meter);

/* Ends a meter. NULL does nothing. */
void nf_meter_destroy(nf_meter *meter);

/* ------------------------------------------------------------------------------------------------ Planning */

/* What to shoot, in order, and why. Does not change once it is made. */
typedef struct nf_plan nf_plan;

/* What a camera can be asked to do. nf_device_init sets a phone's main camera. */
typedef struct nf_device {
    size_t size;
    /* Shortest and longest exposure of a frame, and the longest in the hand. 0.000125, 1, 0.333. */
    double min_exposure_s;
    double max_exposure_s;
    double handheld_exposure_s;
    /* 50 to 6400. */
    double min_iso;
    double max_iso;
    /* From the end of one frame to the start of the next. 0.005. */
    double frame_gap_s;
    /* Most frames of a burst. 15. */
    int32_t max_frames;
    int32_t reserved;
    /* Noise: with k = shot_per_iso and ISO n, variance = k n x + (read_electrons k n)^2 + read_floor^2.
       2.2e-6, 1.6, 0.0013. */
    double shot_per_iso;
    double read_electrons;
    double read_floor;
} nf_device;

/* Whether the camera stands on something firm: as metered, yes, no. */
typedef enum nf_steady { NF_STEADY_AUTO = 0, NF_STEADY_YES = 1, NF_STEADY_NO = 2 } nf_steady;

typedef struct nf_plan_options {
    size_t size;
    /* Most time from the first frame's start to the last one's end. 0: 3 s from the hand, 10 s steady. */
    double max_time_s;
    nf_steady steady;
} nf_plan_options;

typedef struct nf_plan_summary {
    size_t size;
    /* Whether a night shot is worth it (the frames are what to shoot all the same): 0 or 1. */
    int32_t night_mode;
    /* At least 1. */
    int32_t frame_count;
    int32_t reason_count;
    int32_t reserved;
    /* From the first frame's start to the last one's end, gaps included. */
    double fusion_time_s;
    /* Signal to noise of the shadows after the merge, in decibels, and length of the base frames' blur, in pixels. */
    double shadow_snr_db;
    double blur_px;
    /* Exposure time times ISO of the base frames: for nf_options. */
    double base_exposure_product;
} nf_plan_summary;

/* What a frame is for: the picture itself; what moves and clips; the shadows. */
typedef enum nf_role { NF_ROLE_BASE = 0, NF_ROLE_SHORT = 1, NF_ROLE_LONG = 2 } nf_role;

typedef struct nf_planned_frame {
    size_t size;
    double exposure_s;
    double iso;
    nf_role role;
} nf_planned_frame;

/* Sets every field, size included, to its default. `size` is sizeof(nf_device). */
nf_status nf_device_init(nf_device *device, size_t size);

/* Plans a shot from what the meter knows; the meter is not changed, and not needed any more. device and options may be
   NULL for defaults. NF_ERROR_ARGUMENT where the meter has seen no preview. *plan is NULL after an error. */
nf_status nf_plan_create(
    nf_meter *meter, const nf_device *device, const nf_plan_options *options, nf_plan **plan, nf_error *error);

/* Counts and expectations. */
nf_status nf_plan_summarise(const nf_plan *plan, nf_plan_summary *summary, nf_error *error);

/* Frame `index`, from 0, in the order to shoot them. */
nf_status nf_plan_frame(const nf_plan *plan, int32_t index, nf_planned_frame *frame, nf_error *error);

/* What drove the plan: a clause of UTF-8, which lasts as long as the plan; NULL where there is none of that number. */
const char *nf_plan_reason(const nf_plan *plan, int32_t index);

/* Ends a plan. NULL does nothing. */
void nf_plan_destroy(nf_plan *plan);

/* ------------------------------------------------------------------------------------------------ Fusion */

/* A fusion under way. Memory does not grow with the number of frames. */
typedef struct nf_session nf_session;

/* How the picture is finished. */
typedef enum nf_look {
    /* Shadows lifted, lamps held, white balance made neutral, dark enough to be night. */
    NF_LOOK_NIGHT = 0,
    /* The reference's brightness, neutral white balance, lamps rolled off. */
    NF_LOOK_NATURAL = 1,
    /* Exposure, balance and tones of the reference, only cleaner. */
    NF_LOOK_NONE = 2
} nf_look;

/* How much work a fusion may do. */
typedef enum nf_quality { NF_QUALITY_FAST = 0, NF_QUALITY_BEST = 1 } nf_quality;

/* Light for a photograph already taken, in place of a fused night's: none, as much as it lacks, or `brighten_amount`. */
typedef enum nf_brighten { NF_BRIGHTEN_OFF = 0, NF_BRIGHTEN_AUTO = 1, NF_BRIGHTEN_AMOUNT = 2 } nf_brighten;

/* Stages of a fusion: finding the reference, a frame's alignment and merge, and what comes after the last. */
typedef enum nf_stage { NF_STAGE_ALIGN = 0, NF_STAGE_MERGE = 1, NF_STAGE_DENOISE = 2, NF_STAGE_FINISH = 3 } nf_stage;

/* Told of the share of a stage that is done, 0 to 1, about a hundred times a stage; never twice at once, from threads of
   the library's, not after a cancellation, and not once nf_session_destroy has returned. It must be quick. Of the
   functions here it may call nf_session_cancel alone. */
typedef void (*nf_progress)(void *context, nf_stage stage, double share);

/* What to make of the frames. nf_options_init sets the defaults, which are not all zero. */
typedef struct nf_options {
    size_t size;
    nf_look look;
    nf_quality quality;
    /* Stops added to the finished picture, -8 to 8. 0. */
    double brightness_ev;
    /* Noise reduction after the merge: 0 (none) to 2. 1: as the noise was measured. */
    double strength;
    /* The frame the others are aligned to: 0, 1 or 2, or -1 for the sharpest of the first three. -1. */
    int32_t reference;
    /* Threads used at most; 0: one a core. 0. */
    int32_t threads;
    /* Frames that may wait beside the one under work; 0: nf_session_add returns when its frame is merged. 2. */
    int32_t waiting;
    nf_brighten brighten;
    /* 0 to 1, with NF_BRIGHTEN_AMOUNT. */
    double brighten_amount;
    /* Exposure time times ISO of the base frames (see nf_plan_summary); 0: the first frame's. 0. */
    double base_exposure_product;
    /* Most memory the session may need; 0: 4 GiB. 0. */
    uint64_t memory_bytes;
    /* May be NULL. */
    nf_progress progress;
    void *progress_context;
} nf_options;

/* What a fusion made. */
typedef struct nf_result {
    size_t size;
    int32_t width;
    int32_t height;
    /* Number of the reference frame, and of frames added. */
    int32_t reference;
    int32_t frame_count;
    /* Green's noise of one frame. */
    nf_noise noise;
    /* Effective frames merged a pixel: mean, and what nine pixels in ten reach. */
    double effective_frames_mean;
    double effective_frames_p10;
    /* Light given, 0 to 1; -1 where none was asked for. */
    double brighten_amount;
    /* Wall time of the stages. */
    double align_s;
    double merge_s;
    double denoise_s;
    double finish_s;
} nf_result;

/* What became of one frame. */
typedef struct nf_frame_report {
    size_t size;
    /* 0 or 1. */
    int32_t used;
    int32_t reserved;
    /* Radiance scale against the reference: 2 where the frame got twice the light. */
    double exposure_ratio;
    /* Where the reference's centre lies in this frame minus the centre; turn, in degrees, clockwise as seen. */
    double shift_x;
    double shift_y;
    double rotation_deg;
    /* 1: the sharpest frame. */
    double sharpness;
    /* Mean share of the frame that was merged, 0 to 1. */
    double weight;
    /* Why it was left out or counts less; empty where all is well. */
    char reason[160];
} nf_frame_report;

/* Sets every field, size included, to its default. `size` is sizeof(nf_options). */
nf_status nf_options_init(nf_options *options, size_t size);

/* Makes a session; options may be NULL for defaults. *session is NULL after an error. */
nf_status nf_session_create(const nf_options *options, nf_session **session, nf_error *error);

/* Takes the next frame, which is copied: its buffer is free again on return. The work goes on while the next frame is
   exposed; where options.waiting frames wait already, the call waits too. tags may be NULL. NF_ERROR_FRAME: the frame does
   not fit, and the session can go on without it. NF_ERROR_LIMIT and NF_ERROR_CANCELLED end the session, and may stem from
   an earlier frame. */
nf_status nf_session_add(nf_session *session, const nf_image *frame, const nf_tags *tags, nf_error *error);

/* The same for a raw frame. A burst is all pictures or all raw. */
nf_status nf_session_add_raw(nf_session *session, const nf_raw *frame, const nf_tags *tags, nf_error *error);

/* Size of the picture to come; NF_ERROR_ARGUMENT before the first frame. */
nf_status nf_session_picture_size(nf_session *session, int32_t *width, int32_t *height, nf_error *error);

/* Waits for the frames that wait, denoises, finishes and writes the picture in the layout of `output`, whose planes must
   not overlap each other. An output that does not fit is NF_ERROR_ARGUMENT, and the session can be finished into another;
   after any other end it takes no more frames. result may be NULL. */
nf_status nf_session_finish(nf_session *session, const nf_output *output, nf_result *result, nf_error *error);

/* What became of frame `index`, from 0, in the order added; after nf_session_finish. */
nf_status nf_session_frame(const nf_session *session, int32_t index, nf_frame_report *report, nf_error *error);

/* Stops the work at its next row band: calls under way, on whatever thread, and later ones end with NF_ERROR_CANCELLED.
   Any thread may call it. NULL does nothing. */
void nf_session_cancel(nf_session *session);

/* Ends a session, waiting for a row band under way: no work is done and no progress told once it has returned. NULL does
   nothing. Not to be called by the progress function. */
void nf_session_destroy(nf_session *session);

/* A whole burst in one call: frames that are in memory already, in the order they were taken. No frame may share a byte
   with `output`. tags: one a frame, or NULL; options and result may be NULL. */
nf_status nf_fuse(
    const nf_options *options, const nf_image *frames, const nf_tags *tags, size_t count, const nf_output *output,
    nf_result *result, nf_error *error);

#ifdef __cplusplus
}
#endif

#endif
