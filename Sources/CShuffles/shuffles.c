#include "CShuffles.h"
