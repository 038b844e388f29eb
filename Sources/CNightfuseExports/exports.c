/* Nothing: this target carries the linker's list of exported symbols (see Package.swift). */
#include "CNightfuseExports.h"
