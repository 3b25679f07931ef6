// Sentences of a mega-batch, wherever their ids lie.
#pragma once

#include "hot.hpp"
#include "mix.hpp"

namespace calque {

inline std::uint32_t id_at(const Sentence& sentence, std::size_t id_bytes, std::size_t k) {
    return id_bytes == 2 ? static_cast<const std::uint16_t*>(sentence.ids)[k]
                         : static_cast<const std::uint32_t*>(sentence.ids)[k];
}

inline Sentence sentence_at(const Tokens& tokens, std::size_t at) {
    return {static_cast<const char*>(tokens.ids) + tokens.offsets[at] * tokens.id_bytes,
            static_cast<std::size_t>(tokens.offsets[at + 1] - tokens.offsets[at])};
}

inline std::uint64_t hash_of(const Sentence& sentence, std::size_t id_bytes) {
    std::uint64_t hash = sentence.count;
    for (std::size_t k = 0; k < sentence.count; ++k) hash = mix(hash ^ id_at(sentence, id_bytes, k));
    return hash;
}

}  // namespace calque
