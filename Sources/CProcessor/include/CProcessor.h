#ifndef CPROCESSOR_H
#define CPROCESSOR_H

/// 1 where the processor and the system run every instruction of the x86-64-v3 level (AVX2, BMI, F16C, FMA, LZCNT, MOVBE;
/// x86-64 psABI, section 3.1.1), else 0.
int nfk_runs_x86_64_v3(void);

#endif
