#include <stdlib.h>

#include "problem.h"

int nfk_buffer_reserve(nfk_buffer *buffer, size_t more) {
    if (buffer->capacity - buffer->count >= more) return 1;
    size_t wanted = buffer->capacity ? buffer->capacity : 1 << 16;
    while (wanted - buffer->count < more) {
        if (wanted > SIZE_MAX / 2) return 0;
        wanted *= 2;
    }
    uint8_t *bytes = realloc(buffer->bytes, wanted);
    if (!bytes) return 0;
    buffer->bytes = bytes;
    buffer->capacity = wanted;
    return 1;
}
