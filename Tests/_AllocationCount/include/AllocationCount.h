/* Counts what a thread allocates, on Linux with glibc and without a sanitizer (which have allocators of their own). */
#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

/* Whether allocations can be counted in this build: 0 or 1. */
int allocation_count_works(void);
/* Allocations of the calling thread so far. */
long allocation_count(void);

#endif
