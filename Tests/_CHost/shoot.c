#include "CHost.h"
#include "host.h"

static uint8_t frame[HOST_WIDTH * HOST_HEIGHT * 3], first[HOST_WIDTH * HOST_HEIGHT * 3];
static uint8_t burst[4][HOST_WIDTH * HOST_HEIGHT * 3];

struct told {
    int calls;
    double last;
};

static void tell(void *context, nf_stage stage, double share)
{
    struct told *told = context;
    told->calls++;
    if (stage == NF_STAGE_FINISH) told->last = share;
}

static const char *meter_previews(nf_meter *meter)
{
    nf_error error = NF_ERROR_INIT;
    for (int i = 0; i < 12; i++) {
        host_scene(frame, i);
        nf_image image = host_image(frame);
        nf_preview_tags tags = { .size = sizeof tags, .exposure_s = 1.0 / 30, .iso = 6400, .time_s = i / 30.0 };
        WORKS(nf_meter_add(meter, &image, &tags, &error));
        nf_gyroscope_sample sample = { .size = sizeof sample, .time_s = i / 30.0, .x = 0.01, .y = -0.02, .z = 0 };
        WORKS(nf_meter_add_gyroscope(meter, &sample, &error));
    }
    return NULL;
}

const char *chost_whole_shoot(void)
{
    nf_error error = NF_ERROR_INIT;
    HOLDS(strchr(nf_version(), '.') != NULL);
    HOLDS(strcmp(nf_status_name(NF_ERROR_LIMIT), "NF_ERROR_LIMIT") == 0);
    HOLDS(strcmp(nf_status_name((nf_status)99), "unknown") == 0);

    nf_meter *meter = NULL;
    nf_meter_options wide = { .size = sizeof wide, .frame_width = 4000, .frame_height = 3000 };
    WORKS(nf_meter_create(&wide, &meter, &error));
    const char *failure = meter_previews(meter);
    if (failure) return failure;
    nf_scene scene = { .size = sizeof scene };
    WORKS(nf_meter_read(meter, &scene, &error));
    HOLDS(scene.frame_count > 1 && scene.mean_luminance > 0 && scene.size == sizeof scene);

    nf_device device;
    HOLDS(nf_device_init(&device, sizeof device) == NF_OK);
    HOLDS(device.max_frames == 15 && device.size == sizeof device);
    device.max_frames = 6;
    nf_plan_options hurry = { .size = sizeof hurry, .max_time_s = 1.5, .steady = NF_STEADY_NO };
    nf_plan *plan = NULL;
    WORKS(nf_plan_create(meter, &device, &hurry, &plan, &error));
    nf_meter_destroy(meter);
    nf_plan_summary summary = { .size = sizeof summary };
    WORKS(nf_plan_summarise(plan, &summary, &error));
    HOLDS(summary.frame_count >= 1 && summary.frame_count <= 6 && summary.fusion_time_s <= 1.5);
    HOLDS(summary.reason_count > 0 && strlen(nf_plan_reason(plan, 0)) > 0);
    HOLDS(nf_plan_reason(plan, summary.reason_count) == NULL && nf_plan_reason(plan, -1) == NULL);
    nf_planned_frame planned = { .size = sizeof planned };
    WORKS(nf_plan_frame(plan, 0, &planned, &error));
    HOLDS(planned.exposure_s > 0 && planned.iso > 0 && planned.role == NF_ROLE_BASE);
    REFUSED(nf_plan_frame(plan, summary.frame_count, &planned, &error), NF_ERROR_ARGUMENT);
    nf_plan_destroy(plan);

    struct told told = { 0, 0 };
    nf_options options;
    HOLDS(nf_options_init(&options, sizeof options) == NF_OK);
    HOLDS(options.strength == 1 && options.reference == -1 && options.waiting == 2);
    options.progress = tell;
    options.progress_context = &told;
    options.threads = 2;
    nf_session *session = NULL;
    WORKS(nf_session_create(&options, &session, &error));
    nf_tags tags = host_tags();
    for (int i = 0; i < 4; i++) {
        host_scene(frame, i);
        memcpy(burst[i], frame, sizeof frame);
        nf_image image = host_image(frame);
        WORKS(nf_session_add(session, &image, &tags, &error));
        memset(frame, 0x5A, sizeof frame);
    }
    int32_t width = 0, height = 0;
    WORKS(nf_session_picture_size(session, &width, &height, &error));
    HOLDS(width == HOST_WIDTH && height == HOST_HEIGHT);
    /* The buffer that frames came in may hold the picture. */
    nf_output output = host_output(frame);
    nf_result result = { .size = sizeof result };
    WORKS(nf_session_finish(session, &output, &result, &error));
    HOLDS(result.frame_count == 4 && result.width == HOST_WIDTH && result.effective_frames_mean > 1);
    HOLDS(result.brighten_amount == -1 && told.calls > 4 && told.last == 1);
    nf_frame_report report = { .size = sizeof report };
    WORKS(nf_session_frame(session, 3, &report, &error));
    HOLDS(report.used == 1 && report.weight > 0);
    REFUSED(nf_session_frame(session, 4, &report, &error), NF_ERROR_ARGUMENT);
    nf_session_destroy(session);

    /* The same in one call. */
    nf_image images[4];
    nf_tags labels[4];
    for (int i = 0; i < 4; i++) {
        images[i] = host_image(burst[i]);
        labels[i] = tags;
    }
    output = host_output(first);
    WORKS(nf_fuse(NULL, images, labels, 4, &output, NULL, &error));
    HOLDS(memcmp(first, frame, sizeof frame) == 0);
    return NULL;
}

const char *chost_every_layout(void)
{
    static uint8_t pixels[HOST_WIDTH * HOST_HEIGHT * 6], chroma[HOST_WIDTH * HOST_HEIGHT];
    static const struct { nf_layout layout; size_t pixel; } kinds[] = { { NF_LAYOUT_RGB8, 3 }, { NF_LAYOUT_RGBA8, 4 },
        { NF_LAYOUT_BGRA8, 4 }, { NF_LAYOUT_RGB16, 6 }, { NF_LAYOUT_NV12, 1 }, { NF_LAYOUT_NV21, 1 } };
    nf_error error = NF_ERROR_INIT;
    static uint8_t plain[HOST_WIDTH * HOST_HEIGHT * 3];
    host_scene(frame, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        nf_options options;
        nf_options_init(&options, sizeof options);
        options.look = NF_LOOK_NONE;
        options.strength = 0;
        nf_image image = host_image(frame);
        int has_chroma = kinds[k].pixel == 1;
        nf_output output = { .size = sizeof output, .width = HOST_WIDTH, .height = HOST_HEIGHT,
            .layout = kinds[k].layout, .matrix = NF_MATRIX_BT709, .range = NF_RANGE_VIDEO, .pixels = pixels,
            .stride = HOST_WIDTH * kinds[k].pixel, .chroma = has_chroma ? chroma : NULL, .chroma_stride = HOST_WIDTH };
        WORKS(nf_fuse(&options, &image, NULL, 1, &output, NULL, &error));
        if (k == 0) memcpy(plain, pixels, sizeof plain);
        /* What was written is read: the same picture again, or, through fewer colours or more bits, much the same. */
        nf_image back = { .size = sizeof back, .width = HOST_WIDTH, .height = HOST_HEIGHT, .layout = kinds[k].layout,
            .matrix = NF_MATRIX_BT709, .range = NF_RANGE_VIDEO, .pixels = pixels, .stride = output.stride,
            .chroma = output.chroma, .chroma_stride = HOST_WIDTH };
        nf_output out = host_output(first);
        WORKS(nf_fuse(&options, &back, NULL, 1, &out, NULL, &error));
        image = host_image(plain);
        out = host_output(frame);
        WORKS(nf_fuse(&options, &image, NULL, 1, &out, NULL, &error));
        int is_exact = !has_chroma && kinds[k].layout != NF_LAYOUT_RGB16;
        if (is_exact) HOLDS(memcmp(first, frame, sizeof frame) == 0);
        long sum = 0;
        for (size_t i = 0; i < sizeof first; i++) sum += (long)first[i] - (long)frame[i];
        HOLDS(sum < (long)sizeof first && -sum < (long)sizeof first);
        host_scene(frame, 0);
        nf_meter *meter = NULL;
        WORKS(nf_meter_create(NULL, &meter, &error));
        nf_preview_tags tags = { .size = sizeof tags, .exposure_s = 0.03, .iso = 800, .time_s = 1 };
        if (kinds[k].layout == NF_LAYOUT_RGB16) {
            REFUSED(nf_meter_add(meter, &back, &tags, &error), NF_ERROR_ARGUMENT);
        } else {
            WORKS(nf_meter_add(meter, &back, &tags, &error));
        }
        nf_meter_destroy(meter);
    }
    return NULL;
}

const char *chost_raw_burst(void)
{
    static uint16_t samples[HOST_WIDTH * HOST_HEIGHT];
    static uint8_t packed[HOST_WIDTH / 4 * 5 * HOST_HEIGHT];
    nf_error error = NF_ERROR_INIT;
    nf_session *sessions[2];
    for (int k = 0; k < 2; k++) WORKS(nf_session_create(NULL, &sessions[k], &error));
    nf_tags tags = host_tags();
    for (int i = 0; i < 3; i++) {
        host_scene(frame, i);
        for (int p = 0; p < HOST_WIDTH * HOST_HEIGHT; p++) {
            int x = p % HOST_WIDTH, y = p / HOST_WIDTH;
            samples[p] = (uint16_t)(64 + frame[p * 3 + (y & 1) + (x & 1)] * 2);
        }
        for (int p = 0; p < HOST_WIDTH * HOST_HEIGHT; p += 4) {
            uint8_t *group = packed + p / 4 * 5;
            group[4] = 0;
            for (int n = 0; n < 4; n++) {
                group[n] = (uint8_t)(samples[p + n] >> 2);
                group[4] |= (uint8_t)((samples[p + n] & 3) << (2 * n));
            }
        }
        nf_raw raw = { .size = sizeof raw, .width = HOST_WIDTH, .height = HOST_HEIGHT, .packing = NF_PACKING_RAW10,
            .pattern = NF_PATTERN_RGGB, .samples = samples, .stride = HOST_WIDTH * 2, .black = { 64, 64, 64, 64 },
            .white = 1023, .neutral = { 0.5, 1, 0.6 }, .noise_count = 1, .noise = { { 1e-3, 4e-3 } },
            .calibration_count = 1,
            .calibrations = { { .illuminant = 21, .colour = { 0.9, -0.3, -0.1, -0.4, 1.2, 0.2, 0, 0.2, 0.6 } } } };
        WORKS(nf_session_add_raw(sessions[0], &raw, &tags, &error));
        raw.packing = NF_PACKING_RAW10_PACKED;
        raw.samples = packed;
        raw.stride = HOST_WIDTH / 4 * 5;
        WORKS(nf_session_add_raw(sessions[1], &raw, &tags, &error));
    }
    nf_output output = host_output(first);
    WORKS(nf_session_finish(sessions[0], &output, NULL, &error));
    output = host_output(frame);
    WORKS(nf_session_finish(sessions[1], &output, NULL, &error));
    HOLDS(memcmp(first, frame, sizeof first) == 0);
    for (int k = 0; k < 2; k++) nf_session_destroy(sessions[k]);
    return NULL;
}

const char *chost_meter_again(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_meter *meter = NULL;
    WORKS(nf_meter_create(NULL, &meter, &error));
    host_scene(frame, 0);
    nf_image image = host_image(frame);
    nf_preview_tags tags = { .size = sizeof tags, .exposure_s = 0.03, .iso = 800, .time_s = 1 };
    WORKS(nf_meter_add(meter, &image, &tags, &error));
    /* The same time stamp again; another size. */
    REFUSED(nf_meter_add(meter, &image, &tags, &error), NF_ERROR_FRAME);
    tags.time_s = 2;
    image.height = HOST_HEIGHT / 2;
    REFUSED(nf_meter_add(meter, &image, &tags, &error), NF_ERROR_FRAME);
    nf_meter_reset(meter);
    nf_scene scene = { .size = sizeof scene };
    REFUSED(nf_meter_read(meter, &scene, &error), NF_ERROR_ARGUMENT);
    image.layout = NF_LAYOUT_LUMA8;
    WORKS(nf_meter_add(meter, &image, &tags, &error));
    WORKS(nf_meter_read(meter, &scene, &error));
    nf_meter_destroy(meter);
    return NULL;
}
