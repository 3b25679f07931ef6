// Chooses the inner loops that this machine can run. CALQUE_KERNEL=baseline|avx2|avx512 asks for a lesser one, so that
// tests can compare them.
#include <cstdlib>
#include <cstring>

#include "hot.hpp"

namespace calque {

namespace baseline {
extern const Hot TABLE;
}
#ifdef CALQUE_X86
namespace avx2 {
extern const Hot TABLE;
}
namespace avx512 {
extern const Hot TABLE;
}
#endif

namespace {

const Hot& choose() {
    const char* wish = std::getenv("CALQUE_KERNEL");
    const auto allowed = [wish](const char* name) { return !wish || !*wish || !std::strcmp(wish, name); };
#ifdef CALQUE_X86
    __builtin_cpu_init();
    if (allowed("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni"))
        return avx512::TABLE;
    if (allowed("avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::TABLE;
#endif
    (void)allowed;
    return baseline::TABLE;
}

}  // namespace

const Hot& hot() {
    static const Hot& chosen = choose();
    return chosen;
}

}  // namespace calque
