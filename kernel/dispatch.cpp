// Chooses the inner loops that this machine can run. CALQUE_KERNEL=baseline|avx2|avx512 asks for a lesser one, so that
// tests can compare them.
#include <cstdlib>
#include <cstring>

#include "hot.hpp"
#ifdef CALQUE_X86
#include "processor.hpp"
#endif

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
    const Processor processor;
    if (allowed("avx512") && processor.avx512) return avx512::TABLE;
    if (allowed("avx2") && processor.avx2) return avx2::TABLE;
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
