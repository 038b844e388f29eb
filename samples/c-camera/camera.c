/*
 * A camera in C: meters the viewfinder, plans the shot, fuses the frames while they come in, writes the picture.
 *
 *     c-camera PREVIEWS FRAMES OUT.jpg
 *
 * PREVIEWS and FRAMES are folders of JPEG files that stand for viewfinder and sensor, taken as samples/README.md says of
 * the sample street. Build it against the installed library: see the Makefile.
 */
#include "jpeg.h"

#include <dirent.h>
#include <nightfuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How the sample's viewfinder and sensor were set. */
static const double preview_exposure_s = 1.0 / 30, preview_iso = 6400, previews_a_second = 30;
static const double frame_exposure_s = 1.0 / 15, frame_iso = 3200;

/* What every call is told of its failure. */
static nf_error error = NF_ERROR_INIT;

static int failed(const char *what)
{
    fprintf(stderr, "c-camera: %s: %s (%s)\n", what, error.message, nf_status_name(error.status));
    return 1;
}

struct folder {
    char **paths;
    size_t count;
};

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The JPEG files of a folder, by name; count is 0 where there are none. */
static struct folder list(const char *path)
{
    struct folder folder = { NULL, 0 };
    DIR *directory = opendir(path);
    if (!directory) return folder;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".jpg") != 0) continue;
        size_t length = strlen(path) + strlen(entry->d_name) + 2;
        char **paths = realloc(folder.paths, (folder.count + 1) * sizeof *paths), *full = malloc(length);
        if (!paths || !full) abort();
        snprintf(full, length, "%s/%s", path, entry->d_name);
        folder.paths = paths;
        folder.paths[folder.count++] = full;
    }
    closedir(directory);
    if (folder.count) qsort(folder.paths, folder.count, sizeof *folder.paths, by_name);
    return folder;
}

static void forget(struct folder folder)
{
    for (size_t i = 0; i < folder.count; i++) free(folder.paths[i]);
    free(folder.paths);
}

static nf_image borrowed(const struct picture *picture)
{
    nf_image image = { .size = sizeof image, .width = picture->width, .height = picture->height,
        .layout = NF_LAYOUT_RGB8, .pixels = picture->pixels, .stride = (size_t)picture->width * 3 };
    return image;
}

/* Every preview through the meter, and what is known then; the plan is made from that. */
static int plan_shot(struct folder previews, nf_plan **plan)
{
    nf_meter *meter = NULL;
    nf_meter_options options = { .size = sizeof options, .frame_width = 1536, .frame_height = 1152 };
    if (nf_meter_create(&options, &meter, &error)) return failed("meter");
    int status = 0;
    for (size_t i = 0; i < previews.count && !status; i++) {
        struct picture picture;
        if (read_jpeg(previews.paths[i], &picture)) {
            status = 1;
            break;
        }
        nf_image image = borrowed(&picture);
        nf_preview_tags tags = { .size = sizeof tags, .exposure_s = preview_exposure_s, .iso = preview_iso,
            .time_s = (double)i / previews_a_second, .name = previews.paths[i] };
        if (nf_meter_add(meter, &image, &tags, &error)) status = failed("preview");
        free(picture.pixels);
    }
    nf_scene scene = { .size = sizeof scene };
    if (!status && nf_meter_read(meter, &scene, &error)) status = failed("reading");
    if (!status) {
        printf("scene: night %d, camera %.0f px/s, subject %.0f px/s, shadows %.1f EV deep\n", scene.night_mode,
            scene.camera_motion_px_s, scene.subject_motion_px_s, scene.shadow_depth_ev);
        nf_device device;
        nf_device_init(&device, sizeof device);
        device.max_frames = 8;
        if (nf_plan_create(meter, &device, NULL, plan, &error)) status = failed("plan");
    }
    nf_meter_destroy(meter);
    return status;
}

/* What to shoot. */
static int print_plan(const nf_plan *plan)
{
    nf_plan_summary summary = { .size = sizeof summary };
    if (nf_plan_summarise(plan, &summary, &error)) return failed("plan");
    printf("plan: %d frames in %.2f s\n", summary.frame_count, summary.fusion_time_s);
    for (int32_t i = 0; i < summary.frame_count; i++) {
        static const char *const roles[] = { "base", "short", "long" };
        nf_planned_frame frame = { .size = sizeof frame };
        if (nf_plan_frame(plan, i, &frame, &error)) return failed("plan");
        printf("  %.4f s, ISO %.0f, %s\n", frame.exposure_s, frame.iso, roles[frame.role]);
    }
    for (int32_t i = 0; i < summary.reason_count; i++) printf("  because %s\n", nf_plan_reason(plan, i));
    return 0;
}

/* The end of each stage of what is left after the last frame. */
static void tell(void *context, nf_stage stage, double share)
{
    (void)context;
    if (share == 1 && stage >= NF_STAGE_DENOISE) printf("  %s done\n", stage == NF_STAGE_DENOISE ? "denoise" : "finish");
}

static int shoot(struct folder frames, struct picture *out)
{
    nf_options options;
    nf_options_init(&options, sizeof options);
    options.base_exposure_product = frame_exposure_s * frame_iso;
    options.progress = tell;
    nf_session *session = NULL;
    if (nf_session_create(&options, &session, &error)) return failed("session");
    int status = 0;
    for (size_t i = 0; i < frames.count && !status; i++) {
        struct picture picture;
        if (read_jpeg(frames.paths[i], &picture)) {
            status = 1;
            break;
        }
        nf_image image = borrowed(&picture);
        nf_tags tags = { .size = sizeof tags, .name = frames.paths[i], .exposure_s = frame_exposure_s,
            .iso = frame_iso };
        if (nf_session_add(session, &image, &tags, &error)) status = failed("frame");
        /* Copied: the buffer is free again. */
        free(picture.pixels);
    }
    int32_t width = 0, height = 0;
    if (!status && nf_session_picture_size(session, &width, &height, &error)) status = failed("size");
    if (!status) {
        out->width = width;
        out->height = height;
        out->pixels = malloc((size_t)width * (size_t)height * 3);
        if (!out->pixels) abort();
        nf_output output = { .size = sizeof output, .width = width, .height = height, .layout = NF_LAYOUT_RGB8,
            .pixels = out->pixels, .stride = (size_t)width * 3 };
        nf_result result = { .size = sizeof result };
        if (nf_session_finish(session, &output, &result, &error)) status = failed("picture");
        for (int32_t i = 0; i < result.frame_count && !status; i++) {
            nf_frame_report report = { .size = sizeof report };
            if (nf_session_frame(session, i, &report, &error)) status = failed("report");
            printf("  frame %d: moved %+.1f %+.1f px, weight %.2f %s%s\n", i, report.shift_x, report.shift_y,
                report.weight, i == result.reference ? "(reference)" : "", report.reason);
        }
        if (!status) printf("fused: %.1f effective frames\n", result.effective_frames_mean);
    }
    nf_session_destroy(session);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: c-camera PREVIEWS FRAMES OUT.jpg\n");
        return 2;
    }
    printf("nightfuse %s\n", nf_version());
    struct folder previews = list(argv[1]), frames = list(argv[2]);
    struct picture picture = { NULL, 0, 0 };
    nf_plan *plan = NULL;
    int status = plan_shot(previews, &plan);
    if (!status) status = print_plan(plan);
    nf_plan_destroy(plan);
    if (!status) status = shoot(frames, &picture);
    if (!status) status = write_jpeg(argv[3], &picture);
    free(picture.pixels);
    forget(previews);
    forget(frames);
    return status;
}
