// A sentence is a sum of words: sub-word pieces never cross a space, so a word's pieces do not depend on its neighbours,
// and the sum of its rows can be kept for each distinct word. The table is that memory: bounded, shared by all threads,
// forgotten as a whole when it is full.
#pragma once

#include <shared_mutex>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "hot.hpp"
#include "text.hpp"

namespace calque {

class WordTable {
  public:
    WordTable(std::size_t dimension, std::size_t most_words, bool fold_case, std::uint64_t seed);

    // Writes the vectors of texts[which[…]] whose words are all known, and of how many pieces each is the mean; the
    // outcome says of each sentence how it went.
    // Returns the distinct words that were missing, at most as many as the table can take.
    std::vector<std::string> encode(const std::vector<Text>& texts, const std::vector<std::uint64_t>& which, float* out,
                                    std::uint32_t* pieces, bool normalize, std::size_t threads, Outcome* outcome) const;

    // Word k is made of the pieces ids[offsets[k] … offsets[k + 1]).
    void add(const std::vector<std::string>& words, const Tokens& pieces, const Table& table);

    std::size_t size() const;
    std::size_t dimension() const { return dimension_; }

  private:
    WordRows view() const;
    WordSlot& free_slot(const std::string& word, WordSlot& entry);
    void grow_slots(std::size_t slots);

    const std::size_t dimension_, width_, most_words_;
    const bool fold_case_;
    const std::uint64_t seed_;  // unknown outside, so that nobody can send words that all share one slot
    std::size_t count_ = 0;
    Buffer<WordSlot> slots_;
    Buffer<std::int16_t> rows_;
    mutable std::shared_mutex lock_;
};

}  // namespace calque
