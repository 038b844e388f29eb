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

/// What was written to memory is there, and is read again: the compiler must not look through it.
///
/// Left to itself it moves sums through the shuffles of a transpose and takes vectors apart lane by lane on the way: the
/// patch filter took half as long again.
static inline void nfk_settle(const void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }

/// Eight whole numbers; Swift's SIMD8<Int32>.
typedef int nfk_int8 __attribute__((ext_vector_type(8)));
typedef float nfk_float2 __attribute__((ext_vector_type(2)));
typedef float nfk_float4 __attribute__((ext_vector_type(4)));

/// The lesser and the greater of each two lanes, and roots; no lane may be NaN. (Swift's go through single lanes.)
static inline nfk_float8 nfk_lesser(nfk_float8 a, nfk_float8 b) { return __builtin_elementwise_min(a, b); }
static inline nfk_float8 nfk_greater(nfk_float8 a, nfk_float8 b) { return __builtin_elementwise_max(a, b); }
static inline nfk_float8 nfk_root(nfk_float8 a) { return __builtin_elementwise_sqrt(a); }

/// Towards zero; |a| below 2^31.
static inline nfk_int8 nfk_truncated(nfk_float8 a) { return __builtin_convertvector(a, nfk_int8); }

static inline nfk_float8 nfk_as_floats(nfk_int8 a) { return __builtin_convertvector(a, nfk_float8); }

static inline nfk_float2 nfk_pair(const float *at) {
    nfk_float2 pair;
    __builtin_memcpy(&pair, at, sizeof pair);
    return pair;
}

/// table[k] and table[k + 1] for eight k, as two vectors: eight loads, where single lanes would take sixteen and as many inserts.
static inline void nfk_look_up(const float *table, nfk_int8 k, void *first, void *second) {
    nfk_float4 p01 = __builtin_shufflevector(nfk_pair(table + k[0]), nfk_pair(table + k[1]), 0, 1, 2, 3);
    nfk_float4 p23 = __builtin_shufflevector(nfk_pair(table + k[2]), nfk_pair(table + k[3]), 0, 1, 2, 3);
    nfk_float4 p45 = __builtin_shufflevector(nfk_pair(table + k[4]), nfk_pair(table + k[5]), 0, 1, 2, 3);
    nfk_float4 p67 = __builtin_shufflevector(nfk_pair(table + k[6]), nfk_pair(table + k[7]), 0, 1, 2, 3);
    // One shuffle of each half takes them apart.
    nfk_float8 a = __builtin_shufflevector(p01, p45, 0, 1, 2, 3, 4, 5, 6, 7);
    nfk_float8 b = __builtin_shufflevector(p23, p67, 0, 1, 2, 3, 4, 5, 6, 7);
    nfk_float8 here = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    nfk_float8 next = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
    __builtin_memcpy(first, &here, sizeof here);
    __builtin_memcpy(second, &next, sizeof next);
}

/// Eight numbers of 16 bits, from any address.
static inline nfk_float8 nfk_load_words(const void *from) {
    typedef unsigned short words __attribute__((ext_vector_type(8)));
    words narrow;
    __builtin_memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(__builtin_convertvector(narrow, nfk_int8), nfk_float8);
}

/// Eight numbers of 0 to 65535, as 16 bits each.
static inline void nfk_store_words(nfk_int8 a, void *to) {
    typedef unsigned short words __attribute__((ext_vector_type(8)));
    words narrow = __builtin_convertvector(a, words);
    __builtin_memcpy(to, &narrow, sizeof narrow);
}

/// Eight lanes of a and b in a row, from lane n of a on.
#define NFK_WINDOW(n)                                                                                                 \
    static inline nfk_float8 nfk_window##n(nfk_float8 a, nfk_float8 b) {                                              \
        return __builtin_shufflevector(a, b, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);                     \
    }
NFK_WINDOW(1)
NFK_WINDOW(2)
NFK_WINDOW(3)
NFK_WINDOW(4)
NFK_WINDOW(5)
NFK_WINDOW(6)
NFK_WINDOW(7)
#undef NFK_WINDOW

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
