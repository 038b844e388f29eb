#ifndef CSHUFFLES_H
#define CSHUFFLES_H

// What Swift's vectors have no words for: moves between lanes (its even and odd halves go through single lanes, which made
// a transform of 8 x 8 take 1.8 times as long), and a product and sum in one instruction where there is one. Vector extensions, no intrinsics: any processor, any level;
// `static inline`, so that each module that uses them gets them at its own level.

/// Eight floats; Swift's SIMD8<Float>.
typedef float nfk_float8 __attribute__((ext_vector_type(8)));

/// a b + c: rounded once where the level has an instruction for it, twice where it has not.
static inline nfk_float8 nfk_multiply_add(nfk_float8 a, nfk_float8 b, nfk_float8 c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/// Of each half: the two lower lanes of a and b, interleaved.
static inline nfk_float8 nfk_interleave_low(nfk_float8 a, nfk_float8 b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}

/// Of each half: the two upper lanes of a and b, interleaved.
static inline nfk_float8 nfk_interleave_high(nfk_float8 a, nfk_float8 b) {
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}

/// Of each half: the lower pair of a, then that of b.
static inline nfk_float8 nfk_pairs_low(nfk_float8 a, nfk_float8 b) {
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}

/// Of each half: the upper pair of a, then that of b.
static inline nfk_float8 nfk_pairs_high(nfk_float8 a, nfk_float8 b) {
    return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// The lower half of a, then that of b.
static inline nfk_float8 nfk_halves_low(nfk_float8 a, nfk_float8 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}

/// The upper half of a, then that of b.
static inline nfk_float8 nfk_halves_high(nfk_float8 a, nfk_float8 b) {
    return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

#endif
