// The inner loops, by target. hot.cpp is compiled once for each instruction set and fills one of these tables; the rest
// of the kernel is ordinary C++ that calls through the table the machine can run. Everything here is plain data and
// pointers: no template of the standard library may be instantiated with a target's flags, or the linker could hand it
// to a machine that lacks them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace calque {

constexpr std::size_t TILE = 16;      // columns handled together
constexpr std::size_t WIDEST = 8192;  // columns a table may have

// Sentences as one flat array of ids: sentence i is ids[offsets[i] … offsets[i + 1]).
struct Tokens {
    const void* ids;
    std::size_t id_bytes;  // 2 or 4
    const std::uint64_t* offsets;
};

struct Sentence {
    const void* ids;
    std::size_t count;
};

struct Table {
    const float* rows;
    std::size_t width;  // floats a row, at least TILE
};

// Rows against columns; a column is never a negative for a row when any key agrees.
struct Search {
    const std::uint8_t* rows;         // strips
    const std::int8_t* columns;       // panels
    const std::int32_t* correction;   // a column
    const float* row_scale;
    const float* column_scale;        // NaN where a panel is padded: no comparison with NaN is true
    std::size_t depth, row_count, column_count, keys;
    const std::int32_t* row_keys[3];
    const std::int32_t* column_keys[3];  // padded to panels
};

struct Best {
    float* cosine;
    std::int32_t* index;  // −1: there is none
};

// A product of rows and columns that begin somewhere in larger matrices.
struct CosineBlock {
    const float* cosines;  // (rows, columns)
    std::size_t rows, columns, first_row, first_column;
};

// Rows, and columns as pack_columns lays them out, of larger matrices.
struct FusedBlock {
    const float* rows;              // (…, depth)
    const float* columns_as_given;  // (columns, depth)
    const void* packed;             // tiles of columns
    std::size_t depth, columns, first_row, first_column;
};

constexpr std::size_t FUSED_ROWS = 192;        // that stay near while all columns pass by

// The k best of many, each sorted from the best down.
struct Top {
    float* cosine;        // (count, k)
    std::int32_t* index;  // (count, k)
    std::size_t k;
};

// A vector as 8-bit codes: error ≥ |vector − scale · codes|, length ≥ |scale · codes|.
struct CodedRow {
    float scale, error, length;
};

struct CodedRows {
    const std::int8_t* codes;  // (count, width)
    const CodedRow* about;
    std::size_t width;  // a multiple of TILE
};

// error as above, length ≥ |vector|. The sum of WIDEST products with codes must fit 32 bits.
struct CodedQuery {
    const std::int16_t* values;
    float scale, error, length;
};

constexpr std::int16_t MOST_OF_QUERY = 2047;
static_assert(std::int64_t{MOST_OF_QUERY} * 127 * WIDEST < (std::int64_t{1} << 31));

constexpr std::size_t SCRATCH_A_PAIR = 40;
constexpr std::size_t DRIFT = 4;  // numbers by which a row drifts, see adam.hpp

constexpr std::size_t ROLES = 4;  // of a sentence in a pair's step
constexpr std::size_t DOTS = 7;   // products that a pair's cosines need

// One mini-batch. Sentences come in fours: source, target, the source's negative, the target's negative.
struct MiniBatch {
    float* embeddings;
    float* first_moments;
    float* second_moments;
    std::size_t width;

    const std::uint32_t* touched;      // the distinct rows
    const float* drift;                // (touched, DRIFT): of the steps until each is touched again
    std::size_t touched_count;
    const std::uint32_t* slots;        // the tokens, as indices into touched
    const std::uint32_t* begins;       // (ROLES · pairs + 1)
    const std::uint8_t* has_negative;  // (2 · pairs)
    std::size_t pairs;

    const std::uint8_t* frozen;  // a row: whether it does not learn; null: all do
    float margin;
    std::uint32_t drop_of_256;
    std::uint64_t dropout_key;
    float rate, second_inverse, beta_first, beta_second, epsilon;

    float* means;     // (ROLES · pairs, width)
    float* gradient;  // (touched, width), zero before and after
    float* partials;  // (pairs, DOTS, tiles): dot products a tile, summed after the barrier
    void* scratch;    // SCRATCH_A_PAIR bytes a pair, one thread's own
    double* loss;     // written by the thread that holds the first tile
};

struct WordSlot {
    std::uint64_t low, high;  // the word itself when it is short, else 128 bits of hash
    std::uint32_t row;        // NO_ROW: the slot is free
    float scale;
    std::uint32_t pieces;
    std::uint32_t unused;
};

constexpr std::uint32_t NO_ROW = 0xFFFFFFFF;

struct WordRows {
    const WordSlot* slots;
    std::uint64_t slot_mask;
    std::uint64_t seed;
    const std::int16_t* rows;
    std::size_t width;
    std::size_t longest;  // bytes; a longer word is never in the table
    bool fold_case;       // the vocabulary does not tell A from a
};

struct Utf8 {
    const char* text;
    std::size_t bytes;
};

enum class Outcome : std::uint8_t { done = 0, missing_words = 1, needs_plain = 2 };

// What encode_words needs from outside, as it may not allocate.
struct WordWork {
    Utf8 (*text_at)(void* context, std::size_t sentence, std::size_t ring);  // valid for the next two calls
    void (*missing)(void* context, const char* word, std::size_t bytes);
    void* context;
    const std::uint64_t* sentences;  // which to do
    Outcome* outcome;                // by sentence
    float* out;                      // (sentences, dimension)
    std::uint32_t* pieces;           // by sentence: how many its mean is of
    std::size_t dimension;
    bool normalize;
    void* scratch;  // WORD_SCRATCH bytes, one thread's own
};

constexpr std::size_t WORD_SCRATCH = 1 << 20;

struct Hot {
    const char* name;
    std::size_t panel, strip, columns_a_tile;

    void (*mean)(const Table&, const Sentence&, std::size_t id_bytes, float* out);
    float (*quantise)(const float* vector, std::size_t depth, std::int8_t* out);
    void (*pack_strip)(const std::int8_t* rows, std::size_t count, std::size_t depth, std::uint8_t* strip);
    void (*pack_panel)(const std::int8_t* columns, std::size_t count, std::size_t depth, std::int8_t* panel,
                       std::int32_t* correction);
    void (*search)(const Search&, std::size_t row_begin, std::size_t row_end, Best rows, Best columns);
    void (*offer_rows)(const CosineBlock&, std::size_t row_begin, std::size_t row_end, const Top&);
    std::size_t (*column_tile_bytes)(std::size_t depth);
    std::size_t (*row_scratch_bytes)(std::size_t depth);
    void (*pack_columns)(const float* columns, std::size_t count, std::size_t depth, std::size_t tile, void* packed);
    void (*meet)(const FusedBlock&, std::size_t row_begin, std::size_t row_end, const Top& rows, const Top& columns,
                 float* column_floors, void* scratch);  // one thread's own
    void (*code_row)(const float* vector, std::size_t depth, std::size_t width, std::int8_t* codes, CodedRow* about);
    void (*code_query)(const float* vector, std::size_t depth, std::size_t width, std::int16_t* values, CodedQuery*);
    void (*bound_rows)(const CodedRows&, const CodedQuery&, std::size_t begin, std::size_t end, float* lower,
                       float* upper);
    void (*drift)(float* row, float* first, float* second, std::size_t width, const float* drift);
    void (*forward)(const MiniBatch&, std::size_t tile_begin, std::size_t tile_end);
    void (*backward)(const MiniBatch&, std::size_t tile_begin, std::size_t tile_end);
    void (*word_key)(const char* word, std::size_t bytes, const WordRows&, std::uint64_t* low, std::uint64_t* high);
    std::uint64_t (*word_home)(std::uint64_t low, std::uint64_t high, const WordRows&);
    void (*encode_words)(const WordRows&, const WordWork&, std::size_t begin, std::size_t end);
};

const Hot& hot();  // the table for this machine, chosen once

}  // namespace calque
