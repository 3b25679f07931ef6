// From text to vector by whole words: split, find each word's row, add the rows up. Three sentences are under way at
// once, so that the slots of one and the rows of another travel from memory while a third is summed.
#pragma once

#include "bag.hpp"
#include "split.hpp"

namespace calque::CALQUE_TARGET {

constexpr std::size_t MOST_WORDS = 4096;  // in one sentence; longer ones take the plain path

struct Word {
    Key key;
    std::uint64_t home;
    const char* text;
    std::size_t bytes;
};

struct FoundRow {
    std::uint32_t row;
    float scale;
};

struct InFlight {
    std::size_t sentence;
    std::size_t count;
    std::size_t pieces;
    Outcome outcome;
    Word words[MOST_WORDS];
    FoundRow rows[MOST_WORDS];
};

struct Scratch {
    InFlight ring[3];
    float sums[WIDEST];
};
static_assert(sizeof(Scratch) <= WORD_SCRATCH);

CALQUE_INLINE void split(const WordRows& table, const Utf8& text, InFlight& flight) {
    flight.count = 0;
    flight.outcome = Outcome::done;
    const bool whole = for_words(text.text, text.bytes, [&](const char* word, std::size_t bytes) {
        if (bytes > table.longest || flight.count == MOST_WORDS) return false;
        Word& entry = flight.words[flight.count++];
        entry = {key_of(word, bytes, table), 0, word, bytes};
        entry.home = home_of(entry.key, table);
        __builtin_prefetch(table.slots + entry.home);
        return true;
    });
    if (!whole) flight.outcome = Outcome::needs_plain;
}

CALQUE_INLINE const WordSlot* find(const WordRows& table, const Key& key, std::uint64_t home) {
    for (std::uint64_t at = home;; at = (at + 1) & table.slot_mask) {
        const WordSlot& slot = table.slots[at];
        if (slot.row == NO_ROW) return nullptr;
        if (slot.low == key.low && slot.high == key.high) return &slot;
    }
}

CALQUE_INLINE void look_up(const WordRows& table, const WordWork& work, InFlight& flight) {
    if (flight.outcome == Outcome::needs_plain) return;
    std::size_t pieces = 0;
    for (std::size_t k = 0; k < flight.count; ++k) {
        const Word& word = flight.words[k];
        const WordSlot* slot = find(table, word.key, word.home);
        if (!slot) {
            flight.outcome = Outcome::missing_words;
            work.missing(work.context, word.text, word.bytes);
            continue;
        }
        flight.rows[k] = {slot->row, slot->scale};
        pieces += slot->pieces;
        prefetch_row(table.rows + slot->row * table.width, table.width * sizeof(std::int16_t));
    }
    flight.pieces = pieces;
}

CALQUE_INLINE void write_mean(const WordRows& table, const WordWork& work, const InFlight& flight, float* sums) {
    const auto row_at = [&](std::size_t k) {
        return FixedRow{table.rows + flight.rows[k].row * table.width, flight.rows[k].scale};
    };
    sum_rows(row_at, flight.count, 0, table.width, sums);
    float share = flight.pieces ? 1 / static_cast<float>(flight.pieces) : 0;
    if (work.normalize) {
        const float squares = squared_norm(sums, table.width);
        share = squares > 0 ? 1 / __builtin_sqrtf(squares) : 0;
    }
    scale_in_place(sums, table.width, share);
    std::memcpy(work.out + flight.sentence * work.dimension, sums, work.dimension * sizeof(float));
}

CALQUE_INLINE void finish(const WordRows& table, const WordWork& work, const InFlight& flight, float* sums) {
    work.outcome[flight.sentence] = flight.outcome;
    if (flight.outcome != Outcome::done) return;
    work.pieces[flight.sentence] = static_cast<std::uint32_t>(flight.pieces);
    write_mean(table, work, flight, sums);
}

inline void encode_words(const WordRows& table, const WordWork& work, std::size_t begin, std::size_t end) {
    auto& [ring, sums] = *static_cast<Scratch*>(work.scratch);
    for (std::size_t at = begin; at < end + 2; ++at) {
        if (at < end) {
            InFlight& flight = ring[at % 3];
            flight.sentence = work.sentences[at];
            split(table, work.text_at(work.context, flight.sentence, at % 3), flight);
        }
        if (at >= begin + 1 && at - 1 < end) look_up(table, work, ring[(at - 1) % 3]);
        if (at >= begin + 2) finish(table, work, ring[(at - 2) % 3], sums);
    }
}

}  // namespace calque::CALQUE_TARGET
