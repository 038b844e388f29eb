#ifndef NFK_PROBLEM_H
#define NFK_PROBLEM_H

#include <stdarg.h>
#include <stdio.h>

#include "CCodecShims.h"

static inline int nfk_fail(nfk_problem *problem, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline int nfk_fail(nfk_problem *problem, int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->status = status;
    return status;
}

static inline void nfk_clear(nfk_problem *problem) {
    problem->status = NFK_OK;
    problem->text[0] = 0;
}

/// Bytes that grow; what a writer has made.
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
} nfk_buffer;

/// Makes room for `more` bytes behind `count`; 0 where there is no memory (the buffer is as it was).
int nfk_buffer_reserve(nfk_buffer *buffer, size_t more);

/// Samples of `max_code` to bytes: 65535 is rounded to 255.
static inline uint8_t nfk_to_byte(uint32_t sample, int wide) {
    return wide ? (uint8_t)((sample * 255u + 32895u) >> 16) : (uint8_t)(sample > 255u ? 255u : sample);
}

#endif
