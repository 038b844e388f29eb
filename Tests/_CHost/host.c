#include "host.h"

int host_is_a_line(const char *message)
{
    const char *end = memchr(message, 0, sizeof(((nf_error *)0)->message));
    return end != NULL && end > message && strchr(message, '\n') == NULL;
}

void host_scene(uint8_t *rgb, int index)
{
    uint32_t state = 12345u + 977u * (uint32_t)index;
    for (int y = 0; y < HOST_HEIGHT; y++) {
        for (int x = 0; x < HOST_WIDTH; x++) {
            int u = x + index, block = ((u / 7) * 37 + (y / 5) * 53) % 90;
            for (int c = 0; c < 3; c++) {
                state = state * 1664525u + 1013904223u;
                int noise = (int)(state >> 27) - 16, value = 40 + block + 10 * c + noise;
                rgb[(y * HOST_WIDTH + x) * 3 + c] = (uint8_t)(value < 0 ? 0 : value);
            }
        }
    }
}

nf_image host_image(const uint8_t *rgb)
{
    nf_image image = { .size = sizeof image, .width = HOST_WIDTH, .height = HOST_HEIGHT, .layout = NF_LAYOUT_RGB8,
        .pixels = rgb, .stride = HOST_WIDTH * 3 };
    return image;
}

nf_output host_output(uint8_t *rgb)
{
    nf_output output = { .size = sizeof output, .width = HOST_WIDTH, .height = HOST_HEIGHT, .layout = NF_LAYOUT_RGB8,
        .pixels = rgb, .stride = HOST_WIDTH * 3 };
    return output;
}

nf_tags host_tags(void)
{
    nf_tags tags = { .size = sizeof tags, .name = "host", .exposure_s = 0.05, .iso = 1600 };
    return tags;
}
