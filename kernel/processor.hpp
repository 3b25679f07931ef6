// What an x86-64 processor can do, asked of the processor itself: clang-cl has the builtins that would tell, but does not
// link the library behind them.
#pragma once

#include <cpuid.h>

namespace calque {

class Processor {
  public:
    Processor() {
        unsigned eax, ebx, ecx, edx;
        if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return;
        if (!has(ecx, bit_FMA | bit_OSXSAVE) || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return;
        avx2 = saves(0x06) && has(ebx, bit_AVX2 | bit_BMI | bit_BMI2);
        avx512 = avx2 && saves(0xE6) && has(ebx, bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL) &&
                 has(ecx, bit_AVX512VNNI);
    }

    bool avx2 = false, avx512 = false;  // with all that hot.cpp is compiled for under that name

  private:
    static bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }

    // Whether the system keeps these registers when it switches between threads.
    static bool saves(unsigned registers) {
#ifdef __APPLE__
        registers &= 0x06;  // macOS begins to keep the rest when they are first used
#endif
        unsigned low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return has(low, registers);
    }
};

}  // namespace calque
