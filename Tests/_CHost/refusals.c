#include "CHost.h"
#include "host.h"

#include <math.h>
#include <stdlib.h>

static uint8_t frame[HOST_WIDTH * HOST_HEIGHT * 3], picture[HOST_WIDTH * HOST_HEIGHT * 3];

const char *chost_null_pointers(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_image image = host_image(frame);
    nf_tags tags = host_tags();
    nf_output output = host_output(picture);
    nf_preview_tags preview = { .size = sizeof preview, .exposure_s = 0.1, .iso = 100, .time_s = 1 };
    REFUSED(nf_meter_create(NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_meter_add(NULL, &image, &preview, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_meter_add_gyroscope(NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_meter_read(NULL, NULL, &error), NF_ERROR_ARGUMENT);
    nf_meter_reset(NULL);
    nf_meter_destroy(NULL);
    HOLDS(nf_device_init(NULL, sizeof(nf_device)) == NF_ERROR_ARGUMENT);
    HOLDS(nf_options_init(NULL, sizeof(nf_options)) == NF_ERROR_ARGUMENT);
    nf_plan *plan = (nf_plan *)&error;
    REFUSED(nf_plan_create(NULL, NULL, NULL, &plan, &error), NF_ERROR_ARGUMENT);
    HOLDS(plan == NULL);
    REFUSED(nf_plan_create(NULL, NULL, NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_plan_summarise(NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_plan_frame(NULL, 0, NULL, &error), NF_ERROR_ARGUMENT);
    HOLDS(nf_plan_reason(NULL, 0) == NULL);
    nf_plan_destroy(NULL);
    REFUSED(nf_session_create(NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_add(NULL, &image, &tags, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_add_raw(NULL, NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_picture_size(NULL, NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_finish(NULL, &output, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_frame(NULL, 0, NULL, &error), NF_ERROR_ARGUMENT);
    nf_session_cancel(NULL);
    nf_session_destroy(NULL);
    REFUSED(nf_fuse(NULL, NULL, NULL, 1, &output, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_fuse(NULL, &image, NULL, 1, NULL, NULL, &error), NF_ERROR_ARGUMENT);
    /* Nobody wants to know. */
    HOLDS(nf_session_create(NULL, NULL, NULL) == NF_ERROR_ARGUMENT);

    nf_meter *meter = NULL;
    nf_session *session = NULL;
    WORKS(nf_meter_create(NULL, &meter, &error));
    WORKS(nf_session_create(NULL, &session, &error));
    REFUSED(nf_meter_add(meter, NULL, &preview, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_meter_add(meter, &image, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_meter_read(meter, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_add(session, NULL, &tags, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_add_raw(session, NULL, &tags, &error), NF_ERROR_ARGUMENT);
    image.pixels = NULL;
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_meter_add(meter, &image, &preview, &error), NF_ERROR_ARGUMENT);
    image.layout = NF_LAYOUT_LUMA8;
    REFUSED(nf_meter_add(meter, &image, &preview, &error), NF_ERROR_ARGUMENT);
    image = host_image(frame);
    WORKS(nf_session_add(session, &image, NULL, &error));
    REFUSED(nf_session_picture_size(session, NULL, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_finish(session, NULL, NULL, &error), NF_ERROR_ARGUMENT);
    output.pixels = NULL;
    REFUSED(nf_session_finish(session, &output, NULL, &error), NF_ERROR_ARGUMENT);
    output.pixels = picture;
    WORKS(nf_session_finish(session, &output, NULL, &error));
    REFUSED(nf_session_frame(session, 0, NULL, &error), NF_ERROR_ARGUMENT);
    nf_session_destroy(session);
    nf_meter_destroy(meter);
    return NULL;
}

const char *chost_struct_sizes(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL;
    nf_image image = host_image(frame);
    host_scene(frame, 0);
    WORKS(nf_session_create(NULL, &session, &error));
    image.size = 0;
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    image.size = SIZE_MAX;
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    /* Of a newer header: all right as long as what is new is zero. */
    struct { nf_image image; long more; } newer = { host_image(frame), 0 };
    newer.image.size = sizeof newer;
    WORKS(nf_session_add(session, &newer.image, NULL, &error));
    newer.more = 1;
    REFUSED(nf_session_add(session, &newer.image, NULL, &error), NF_ERROR_ARGUMENT);
    /* Of an older one: options that know of looks only. */
    nf_options shorter = { .size = offsetof(nf_options, brightness_ev), .look = NF_LOOK_NATURAL, .brightness_ev = NAN };
    nf_session *other = NULL;
    WORKS(nf_session_create(&shorter, &other, &error));
    nf_session_destroy(other);
    nf_output output = host_output(picture);
    struct { nf_result result; char more[8]; } result;
    memset(&result, 'x', sizeof result);
    result.result.size = sizeof result;
    WORKS(nf_session_finish(session, &output, &result.result, &error));
    HOLDS(result.result.frame_count == 1 && result.more[0] == 0 && result.result.size == sizeof result);
    nf_frame_report report;
    memset(&report, 'x', sizeof report);
    report.size = offsetof(nf_frame_report, shift_x);
    WORKS(nf_session_frame(session, 0, &report, &error));
    HOLDS(report.used == 1 && report.reason[0] == 'x');
    nf_session_destroy(session);
    /* An error that has room for a few letters. */
    error.size = offsetof(nf_error, message) + 4;
    memset(error.message, 'x', sizeof error.message);
    HOLDS(nf_session_create(NULL, NULL, &error) == NF_ERROR_ARGUMENT);
    HOLDS(strlen(error.message) == 3 && error.message[4] == 'x');
    error.size = 0;
    HOLDS(nf_session_create(NULL, NULL, &error) == NF_ERROR_ARGUMENT);
    nf_device device;
    HOLDS(nf_device_init(&device, 0) == NF_ERROR_ARGUMENT);
    nf_options options;
    HOLDS(nf_options_init(&options, 3) == NF_ERROR_ARGUMENT);
    return NULL;
}

const char *chost_short_strides(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL;
    nf_meter *meter = NULL;
    nf_tags tags = host_tags();
    nf_preview_tags preview = { .size = sizeof preview, .exposure_s = 0.1, .iso = 100, .time_s = 1 };
    WORKS(nf_session_create(NULL, &session, &error));
    WORKS(nf_meter_create(NULL, &meter, &error));
    nf_image image = host_image(frame);
    image.stride = HOST_WIDTH * 3 - 1;
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
    HOLDS(strcmp(error.message, "host: the stride of pixels is 191 bytes, a row takes 192") == 0);
    REFUSED(nf_meter_add(meter, &image, &preview, &error), NF_ERROR_ARGUMENT);
    image.stride = SIZE_MAX;
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
    image.stride = SIZE_MAX / 2;
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
    image = host_image(frame);
    image.layout = NF_LAYOUT_NV12;
    image.chroma = frame;
    image.chroma_stride = HOST_WIDTH - 1;
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
    nf_raw raw = { .size = sizeof raw, .width = HOST_WIDTH, .height = HOST_HEIGHT, .packing = NF_PACKING_RAW12,
        .samples = frame, .stride = HOST_WIDTH * 2 - 2, .white = 4095 };
    REFUSED(nf_session_add_raw(session, &raw, &tags, &error), NF_ERROR_ARGUMENT);
    int sizes[] = { 0, -1, INT32_MAX, INT32_MIN };
    for (int i = 0; i < 4; i++) {
        image = host_image(frame);
        image.width = sizes[i];
        REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
        image = host_image(frame);
        image.height = sizes[i];
        HOLDS(nf_session_add(session, &image, &tags, &error) == (i == 2 ? NF_ERROR_ARGUMENT : NF_ERROR_ARGUMENT));
        image.layout = NF_LAYOUT_LUMA8;
        HOLDS(nf_meter_add(meter, &image, &preview, &error) != NF_OK);
    }
    nf_meter_destroy(meter);
    nf_session_destroy(session);
    return NULL;
}

const char *chost_changing_sizes(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL;
    nf_tags tags = host_tags();
    host_scene(frame, 0);
    WORKS(nf_session_create(NULL, &session, &error));
    nf_image image = host_image(frame), small = image;
    small.width = HOST_WIDTH / 2;
    WORKS(nf_session_add(session, &image, &tags, &error));
    REFUSED(nf_session_add(session, &small, &tags, &error), NF_ERROR_FRAME);
    tags.colour = NF_COLOUR_DISPLAY_P3;
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_FRAME);
    static uint16_t samples[HOST_WIDTH * HOST_HEIGHT];
    nf_raw raw = { .size = sizeof raw, .width = HOST_WIDTH, .height = HOST_HEIGHT, .packing = NF_PACKING_RAW12,
        .samples = samples, .stride = HOST_WIDTH * 2, .white = 4095 };
    REFUSED(nf_session_add_raw(session, &raw, &tags, &error), NF_ERROR_FRAME);
    nf_output output = host_output(picture);
    output.width = HOST_WIDTH / 2;
    REFUSED(nf_session_finish(session, &output, NULL, &error), NF_ERROR_ARGUMENT);
    output = host_output(picture);
    nf_result result = { .size = sizeof result };
    WORKS(nf_session_finish(session, &output, &result, &error));
    HOLDS(result.frame_count == 1);
    nf_session_destroy(session);
    return NULL;
}

const char *chost_out_of_order(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL;
    nf_image image = host_image(frame);
    nf_output output = host_output(picture);
    int32_t width = 0, height = 0;
    nf_frame_report report = { .size = sizeof report };
    WORKS(nf_session_create(NULL, &session, &error));
    REFUSED(nf_session_picture_size(session, &width, &height, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_finish(session, &output, NULL, &error), NF_ERROR_ARGUMENT);
    WORKS(nf_session_add(session, &image, NULL, &error));
    REFUSED(nf_session_frame(session, 0, &report, &error), NF_ERROR_ARGUMENT);
    WORKS(nf_session_finish(session, &output, NULL, &error));
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_session_finish(session, &output, NULL, &error), NF_ERROR_ARGUMENT);
    WORKS(nf_session_frame(session, 0, &report, &error));
    nf_session_destroy(session);
    return NULL;
}

const char *chost_plan_of_no_previews(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_meter *meter = NULL;
    nf_plan *plan = (nf_plan *)&error;
    WORKS(nf_meter_create(NULL, &meter, &error));
    REFUSED(nf_plan_create(meter, NULL, NULL, &plan, &error), NF_ERROR_ARGUMENT);
    HOLDS(plan == NULL && strcmp(error.message, "the meter has seen no preview yet") == 0);
    nf_meter_destroy(meter);
    return NULL;
}

const char *chost_numbers_that_are_none(void)
{
    static uint16_t samples[HOST_WIDTH * HOST_HEIGHT];
    const double bad[] = { NAN, -1, INFINITY };
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL;
    nf_meter *meter = NULL;
    nf_plan *plan = NULL;
    WORKS(nf_session_create(NULL, &session, &error));
    WORKS(nf_meter_create(NULL, &meter, &error));
    nf_image image = host_image(frame);
    nf_preview_tags good = { .size = sizeof good, .exposure_s = 0.1, .iso = 100, .time_s = 1 };
    WORKS(nf_meter_add(meter, &image, &good, &error));
    for (int i = 0; i < 3; i++) {
        nf_raw raw = { .size = sizeof raw, .width = HOST_WIDTH, .height = HOST_HEIGHT, .packing = NF_PACKING_RAW12,
            .samples = samples, .stride = HOST_WIDTH * 2, .white = 4095, .noise_count = 1 };
        nf_raw other = raw;
        other.noise[0].shot = bad[i];
        REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
        other = raw;
        other.noise[0].read = bad[i];
        REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
        other = raw;
        other.black[2] = bad[i];
        REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
        other = raw;
        other.white = bad[i];
        REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
        other = raw;
        other.neutral[1] = bad[i];
        REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
        nf_tags tags = host_tags();
        tags.iso = bad[i];
        REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
        nf_preview_tags preview = good;
        preview.exposure_s = bad[i];
        REFUSED(nf_meter_add(meter, &image, &preview, &error), NF_ERROR_ARGUMENT);
        nf_gyroscope_sample sample = { .size = sizeof sample, .x = i == 1 ? NAN : bad[i] };
        REFUSED(nf_meter_add_gyroscope(meter, &sample, &error), NF_ERROR_ARGUMENT);
        nf_device device;
        nf_device_init(&device, sizeof device);
        device.read_floor = bad[i];
        REFUSED(nf_plan_create(meter, &device, NULL, &plan, &error), NF_ERROR_ARGUMENT);
        nf_plan_options options = { .size = sizeof options, .max_time_s = bad[i] };
        REFUSED(nf_plan_create(meter, NULL, &options, &plan, &error), NF_ERROR_ARGUMENT);
        nf_options fusion;
        nf_options_init(&fusion, sizeof fusion);
        fusion.strength = bad[i];
        nf_session *none = NULL;
        REFUSED(nf_session_create(&fusion, &none, &error), NF_ERROR_ARGUMENT);
        nf_options_init(&fusion, sizeof fusion);
        fusion.base_exposure_product = bad[i];
        REFUSED(nf_session_create(&fusion, &none, &error), NF_ERROR_ARGUMENT);
        nf_meter_options lens = { .size = sizeof lens, .focal_length = bad[i] };
        nf_meter *nothing = NULL;
        REFUSED(nf_meter_create(&lens, &nothing, &error), NF_ERROR_ARGUMENT);
    }
    nf_meter_destroy(meter);
    nf_session_destroy(session);
    return NULL;
}

const char *chost_overlapping_planes(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_image image = host_image(frame);
    /* Into a frame's own memory, and into its last byte. */
    nf_output output = host_output(frame);
    REFUSED(nf_fuse(NULL, &image, NULL, 1, &output, NULL, &error), NF_ERROR_ARGUMENT);
    HOLDS(strcmp(error.message, "frame: frame 0 and the output share memory") == 0);
    static uint8_t two[2 * HOST_WIDTH * HOST_HEIGHT * 3];
    image = host_image(two);
    output = host_output(two + sizeof frame - 1);
    REFUSED(nf_fuse(NULL, &image, NULL, 1, &output, NULL, &error), NF_ERROR_ARGUMENT);
    output = host_output(two + sizeof frame);
    WORKS(nf_fuse(NULL, &image, NULL, 1, &output, NULL, &error));
    /* Luma and chroma of the output. */
    output.layout = NF_LAYOUT_NV12;
    output.pixels = picture;
    output.stride = HOST_WIDTH;
    output.chroma = picture + HOST_WIDTH * (HOST_HEIGHT - 1);
    output.chroma_stride = HOST_WIDTH;
    REFUSED(nf_fuse(NULL, &image, NULL, 1, &output, NULL, &error), NF_ERROR_ARGUMENT);
    output.chroma = picture + HOST_WIDTH * HOST_HEIGHT;
    WORKS(nf_fuse(NULL, &image, NULL, 1, &output, NULL, &error));
    REFUSED(nf_fuse(NULL, &image, NULL, 0, &output, NULL, &error), NF_ERROR_ARGUMENT);
    REFUSED(nf_fuse(NULL, &image, NULL, SIZE_MAX, &output, NULL, &error), NF_ERROR_ARGUMENT);
    return NULL;
}

const char *chost_unknown_constants(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL, *none = NULL;
    nf_meter *meter = NULL;
    nf_plan *plan = NULL;
    const unsigned bad = 77;
    WORKS(nf_session_create(NULL, &session, &error));
    nf_image image = host_image(frame);
    image.layout = (nf_layout)bad;
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    image.layout = NF_LAYOUT_LUMA8;
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    image.layout = NF_LAYOUT_NV21;
    image.chroma = frame;
    image.chroma_stride = HOST_WIDTH;
    image.range = (nf_range)bad;
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    image.range = NF_RANGE_FULL;
    image.matrix = (nf_matrix)bad;
    REFUSED(nf_session_add(session, &image, NULL, &error), NF_ERROR_ARGUMENT);
    nf_tags tags = host_tags();
    tags.colour = (nf_colour)bad;
    image = host_image(frame);
    REFUSED(nf_session_add(session, &image, &tags, &error), NF_ERROR_ARGUMENT);
    static uint16_t samples[HOST_WIDTH * HOST_HEIGHT];
    nf_raw raw = { .size = sizeof raw, .width = HOST_WIDTH, .height = HOST_HEIGHT, .packing = NF_PACKING_RAW14,
        .samples = samples, .stride = HOST_WIDTH * 2, .white = 16383 };
    nf_raw other = raw;
    other.packing = (nf_packing)0;
    REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
    other = raw;
    other.pattern = (nf_pattern)bad;
    REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
    other = raw;
    other.calibration_count = 3;
    REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
    other = raw;
    other.calibration_count = 1;
    REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
    other = raw;
    other.noise_count = -1;
    REFUSED(nf_session_add_raw(session, &other, NULL, &error), NF_ERROR_ARGUMENT);
    nf_options options;
    nf_options_init(&options, sizeof options);
    options.look = (nf_look)bad;
    REFUSED(nf_session_create(&options, &none, &error), NF_ERROR_ARGUMENT);
    nf_options_init(&options, sizeof options);
    options.reference = 3;
    REFUSED(nf_session_create(&options, &none, &error), NF_ERROR_ARGUMENT);
    nf_options_init(&options, sizeof options);
    options.threads = -1;
    REFUSED(nf_session_create(&options, &none, &error), NF_ERROR_ARGUMENT);
    nf_options_init(&options, sizeof options);
    options.waiting = -1;
    REFUSED(nf_session_create(&options, &none, &error), NF_ERROR_ARGUMENT);
    HOLDS(none == NULL);
    /* Not enough memory for any frame. */
    nf_options_init(&options, sizeof options);
    options.memory_bytes = 1;
    WORKS(nf_session_create(&options, &none, &error));
    REFUSED(nf_session_add(none, &image, NULL, &error), NF_ERROR_LIMIT);
    nf_session_destroy(none);
    WORKS(nf_meter_create(NULL, &meter, &error));
    nf_preview_tags preview = { .size = sizeof preview, .exposure_s = 0.1, .iso = 100, .time_s = 1 };
    WORKS(nf_meter_add(meter, &image, &preview, &error));
    nf_plan_options steady = { .size = sizeof steady, .steady = (nf_steady)bad };
    REFUSED(nf_plan_create(meter, NULL, &steady, &plan, &error), NF_ERROR_ARGUMENT);
    nf_meter_destroy(meter);
    nf_session_destroy(session);
    return NULL;
}

struct stopper {
    nf_session *session;
    int calls_after;
};

static void stop_at_merge(void *context, nf_stage stage, double share)
{
    struct stopper *stopper = context;
    (void)share;
    if (stage != NF_STAGE_MERGE) return;
    stopper->calls_after++;
    nf_session_cancel(stopper->session);
}

const char *chost_cancel(void)
{
    nf_error error = NF_ERROR_INIT;
    struct stopper stopper = { NULL, 0 };
    nf_options options;
    nf_options_init(&options, sizeof options);
    options.progress = stop_at_merge;
    options.progress_context = &stopper;
    WORKS(nf_session_create(&options, &stopper.session, &error));
    nf_output output = host_output(picture);
    for (int i = 0; i < 3; i++) {
        host_scene(frame, i);
        nf_image image = host_image(frame);
        WORKS(nf_session_add(stopper.session, &image, NULL, &error));
    }
    REFUSED(nf_session_finish(stopper.session, &output, NULL, &error), NF_ERROR_CANCELLED);
    HOLDS(stopper.calls_after == 1);
    nf_image image = host_image(frame);
    REFUSED(nf_session_add(stopper.session, &image, NULL, &error), NF_ERROR_CANCELLED);
    nf_session_destroy(stopper.session);
    HOLDS(stopper.calls_after == 1);
    return NULL;
}
