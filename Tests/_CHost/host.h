/* What the checks share: frames of a made-up scene, and a way to say what failed. */
#ifndef HOST_H
#define HOST_H

#include <nightfuse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HOST_TEXT_(x) #x
#define HOST_TEXT(x) HOST_TEXT_(x)
/* Ends a check with the place and the words of what should hold. */
#define HOLDS(condition) do { if (!(condition)) return __FILE__ ":" HOST_TEXT(__LINE__) ": " #condition; } while (0)
/* A call that must be refused with one line. */
#define REFUSED(call, wanted) do { \
    memset(error.message, 'x', sizeof error.message); \
    error.size = sizeof error; \
    HOLDS((call) == (wanted)); \
    HOLDS(error.status == (wanted)); \
    HOLDS(host_is_a_line(error.message)); } while (0)
#define WORKS(call) do { \
    error.size = sizeof error; \
    if ((call) != NF_OK) { fprintf(stderr, "%s\n", error.message); return __FILE__ ":" HOST_TEXT(__LINE__) ": " #call; } \
    HOLDS(error.status == NF_OK && error.message[0] == 0); } while (0)

enum { HOST_WIDTH = 64, HOST_HEIGHT = 48 };

/* 1 where the text has an end, is not empty, and is one line. */
int host_is_a_line(const char *message);
/* Frame `index` of a dim scene with noise, 8-bit RGB without padding: HOST_WIDTH * HOST_HEIGHT * 3 bytes. */
void host_scene(uint8_t *rgb, int index);
nf_image host_image(const uint8_t *rgb);
nf_output host_output(uint8_t *rgb);
nf_tags host_tags(void);

#endif
