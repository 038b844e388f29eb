#ifndef NIGHTFUSE_CMETERING_H
#define NIGHTFUSE_CMETERING_H

#include <stddef.h>

// What a block of two frames says about the shift between them: sums over its samples. d is the difference (current less
// other), c and t are the two frames' central differences (c(x + 1) - c(x - 1), not halved), x across and y down.
typedef struct {
    float d, dd;
    float gx, gy;        // c + t
    float gxd, gyd;      // (c + t) d
    float xx, xy, yy;    // c t'; xy is cx ty + cy tx
    float kk;            // |c - t|^2
} nfk_block_sums;

// Sums over width x height samples (width a multiple of 4; strides count samples); reads one sample around either block.
// Sums are taken in four lanes by column modulo 4, then (0 + 2) + (1 + 3), whatever the machine.
nfk_block_sums nfk_measure_block(const float *current, ptrdiff_t current_stride, const float *other,
                                 ptrdiff_t other_stride, ptrdiff_t width, ptrdiff_t height);

#endif
