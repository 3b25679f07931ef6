// The inner loops for one instruction set, named by CALQUE_TARGET. Compiled once for each.
#include "hot.hpp"

#include "bounds.hpp"
#include "nearest.hpp"
#include "search.hpp"
#ifdef __AVX2__
#include "meet_codes.hpp"
#else
#include "meet_floats.hpp"
#endif
#include "step.hpp"
#include "words.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t PART = 1024;  // rows added up at once: float32 loses what is added to a much larger sum

template <class Id>
void mean_of(const Table& table, const Sentence& sentence, float* out) {
    const Id* ids = static_cast<const Id*>(sentence.ids);
    const auto row = [&](std::size_t k) { return FloatRow{table.rows + ids[k] * table.width}; };
    for (std::size_t k = 0; k < sentence.count && k < AHEAD; ++k) row(k).prefetch(table.width);
    const auto row_at = [&](std::size_t k) {
        if (k + AHEAD < sentence.count) row(k + AHEAD).prefetch(table.width);
        return row(k);
    };
    sum_rows(row_at, sentence.count < PART ? sentence.count : PART, 0, table.width, out);
    for (std::size_t begin = PART; begin < sentence.count; begin += PART) {
        float part[WIDEST];
        const std::size_t count = sentence.count - begin < PART ? sentence.count - begin : PART;
        sum_rows([&](std::size_t k) { return row_at(begin + k); }, count, 0, table.width, part);
        for (std::size_t column = 0; column < table.width; ++column) out[column] += part[column];
    }
    if (sentence.count) scale_in_place(out, table.width, 1 / static_cast<float>(sentence.count));
}

void mean(const Table& table, const Sentence& sentence, std::size_t id_bytes, float* out) {
    if (id_bytes == 2)
        mean_of<std::uint16_t>(table, sentence, out);
    else
        mean_of<std::uint32_t>(table, sentence, out);
}

float quantise_vector(const float* vector, std::size_t depth, std::int8_t* out) { return quantise(vector, depth, out); }

void drift(float* row, float* first, float* second, std::size_t width, const float* drift) {
    drift_row({row, first, second, width}, load<Drift>(drift));
}

void word_key(const char* word, std::size_t bytes, const WordRows& table, std::uint64_t* low, std::uint64_t* high) {
    const Key key = key_of(word, bytes, table);
    *low = key.low;
    *high = key.high;
}

std::uint64_t word_home(std::uint64_t low, std::uint64_t high, const WordRows& table) {
    return home_of({low, high}, table);
}

#define CALQUE_TEXT_OF(name) #name
#define CALQUE_TEXT(name) CALQUE_TEXT_OF(name)

extern const Hot TABLE;
const Hot TABLE = {CALQUE_TEXT(CALQUE_TARGET),
                   PANEL,
                   STRIP,
                   COLUMNS_A_TILE,
                   mean,
                   quantise_vector,
                   pack_strip,
                   pack_panel,
                   search,
                   offer_rows,
                   column_tile_bytes,
                   row_scratch_bytes,
                   pack_columns,
                   meet,
                   code_row,
                   code_query,
                   bound_rows,
                   drift,
                   forward,
                   backward,
                   word_key,
                   word_home,
                   encode_words};

}  // namespace calque::CALQUE_TARGET
