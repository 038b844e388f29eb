#include "CProcessor.h"

int nfk_runs_x86_64_v3(void) {
#if defined(__x86_64__)
    // The compiler's own look at CPUID, which also asks whether the system saves the wide registers.
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("lzcnt") &&
           __builtin_cpu_supports("movbe");
#else
    return 0;
#endif
}
