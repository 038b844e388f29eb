/* The header's functions are written in Swift (Sources/NightfuseC). This file lets the compiler read the header as C. */
#include "nightfuse.h"
