/* The guides' pieces of C, word for word (GuideTests looks). */
#include "CHost.h"
#include "host.h"

enum { preview_count = 6, frame_count = 3 };
static uint8_t previews[preview_count][HOST_WIDTH * HOST_HEIGHT * 3], frames[frame_count][HOST_WIDTH * HOST_HEIGHT * 3];
static uint8_t picture[HOST_WIDTH * HOST_HEIGHT * 3];

static const char *failed(const nf_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    return "the guide's code failed";
}

static const char *before(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_meter *meter = NULL;
    if (nf_meter_create(NULL, &meter, &error) != NF_OK) return failed(&error);
    for (int i = 0; i < preview_count; i++) {
        nf_image image = { .size = sizeof image, .width = 64, .height = 48, .layout = NF_LAYOUT_RGB8,
            .pixels = previews[i], .stride = 64 * 3 };
        nf_preview_tags tags = { .size = sizeof tags, .exposure_s = 1.0 / 30, .iso = 3200, .time_s = i / 30.0 };
        if (nf_meter_add(meter, &image, &tags, &error) != NF_OK) return failed(&error);
    }
    nf_plan *plan = NULL;
    if (nf_plan_create(meter, NULL, NULL, &plan, &error) != NF_OK) return failed(&error);
    nf_plan_destroy(plan);
    nf_meter_destroy(meter);
    return NULL;
}

static const char *after(void)
{
    nf_error error = NF_ERROR_INIT;
    nf_session *session = NULL;
    if (nf_session_create(NULL, &session, &error) != NF_OK) return failed(&error);
    for (int i = 0; i < frame_count; i++) {
        nf_image image = { .size = sizeof image, .width = 64, .height = 48, .layout = NF_LAYOUT_RGB8,
            .pixels = frames[i], .stride = 64 * 3 };
        if (nf_session_add(session, &image, NULL, &error) != NF_OK) return failed(&error);
    }
    nf_output output = { .size = sizeof output, .width = 64, .height = 48, .layout = NF_LAYOUT_RGB8,
        .pixels = picture, .stride = 64 * 3 };
    if (nf_session_finish(session, &output, NULL, &error) != NF_OK) return failed(&error);
    nf_session_destroy(session);
    return NULL;
}

const char *chost_guide(void)
{
    for (int i = 0; i < preview_count; i++) host_scene(previews[i], i);
    for (int i = 0; i < frame_count; i++) host_scene(frames[i], i);
    const char *failure = before();
    return failure ? failure : after();
}
