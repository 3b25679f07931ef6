#include "word_table.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <unordered_set>

#include "threads.hpp"

namespace calque {
namespace {

constexpr std::size_t LONGEST_WORD = 48;      // bytes; longer runs are text without spaces and would never be met again
constexpr std::size_t FIRST_SLOTS = 1 << 12;
constexpr std::size_t GRAIN = 256;            // sentences a thread fetches at a time

// One thread's side of an encoding: texts turned to UTF-8, and the words it did not find.
struct Worker {
    const std::vector<Text>* texts;
    std::size_t most_missing;
    std::string scratch[3];
    std::unordered_set<std::string> missing;
    Buffer<char> memory{WORD_SCRATCH};

    static Utf8 text_at(void* self, std::size_t sentence, std::size_t ring) {
        Worker& worker = *static_cast<Worker*>(self);
        return to_utf8((*worker.texts)[sentence], worker.scratch[ring]);
    }

    static void note_missing(void* self, const char* word, std::size_t bytes) {
        Worker& worker = *static_cast<Worker*>(self);
        if (worker.missing.size() < worker.most_missing) worker.missing.emplace(word, bytes);
    }
};

void clear(Buffer<WordSlot>& slots) {
    std::fill(slots.data(), slots.data() + slots.size(), WordSlot{0, 0, NO_ROW, 0, 0, 0});
}

}  // namespace

WordTable::WordTable(std::size_t dimension, std::size_t most_words, bool fold_case, std::uint64_t seed)
    : dimension_(dimension),
      width_((dimension + TILE - 1) / TILE * TILE),
      most_words_(most_words),
      fold_case_(fold_case),
      seed_(seed),
      slots_(FIRST_SLOTS) {
    if (width_ > WIDEST) throw std::invalid_argument("a word table holds at most 8192 dimensions");
    clear(slots_);
}

WordRows WordTable::view() const {
    return {slots_.data(), slots_.size() - 1, seed_, rows_.data(), width_, LONGEST_WORD, fold_case_};
}

std::size_t WordTable::size() const {
    const std::shared_lock<std::shared_mutex> reading(lock_);
    return count_;
}

std::vector<std::string> WordTable::encode(const std::vector<Text>& texts, const std::vector<std::uint64_t>& which,
                                           float* out, std::uint32_t* pieces, bool normalize, std::size_t threads,
                                           Outcome* outcome) const {
    const std::shared_lock<std::shared_mutex> reading(lock_);
    const WordRows table = view();
    std::vector<Worker> workers(threads);
    for (Worker& worker : workers) worker.texts = &texts, worker.most_missing = most_words_;
    in_pieces(threads, which.size(), GRAIN, [&](std::size_t thread, std::size_t begin, std::size_t end) {
        const WordWork work{Worker::text_at, Worker::note_missing, &workers[thread], which.data(),
                            outcome,         out,                  pieces,           dimension_,
                            normalize,       workers[thread].memory.data()};
        hot().encode_words(table, work, begin, end);
    });
    for (std::size_t thread = 1; thread < threads; ++thread) workers[0].missing.merge(workers[thread].missing);
    std::vector<std::string> missing(workers[0].missing.begin(), workers[0].missing.end());
    std::sort(missing.begin(), missing.end());
    missing.resize(std::min(missing.size(), most_words_));
    return missing;
}

// Where a word belongs, or where it already is; `entry` gets its key.
WordSlot& WordTable::free_slot(const std::string& word, WordSlot& entry) {
    hot().word_key(word.data(), word.size(), view(), &entry.low, &entry.high);
    std::uint64_t home = hot().word_home(entry.low, entry.high, view());
    const std::uint64_t mask = slots_.size() - 1;
    while (slots_[home].row != NO_ROW && (slots_[home].low != entry.low || slots_[home].high != entry.high))
        home = (home + 1) & mask;
    return slots_[home];
}

void WordTable::grow_slots(std::size_t size) {
    Buffer<WordSlot> old(size);
    clear(old);
    old.swap(slots_);
    const std::uint64_t mask = slots_.size() - 1;
    for (std::size_t at = 0; at < old.size(); ++at) {
        if (old[at].row == NO_ROW) continue;
        std::uint64_t home = hot().word_home(old[at].low, old[at].high, view());
        while (slots_[home].row != NO_ROW) home = (home + 1) & mask;
        slots_[home] = old[at];
    }
}

void WordTable::add(const std::vector<std::string>& words, const Tokens& pieces, const Table& table) {
    const std::unique_lock<std::shared_mutex> writing(lock_);
    if (count_ + words.size() > most_words_) {
        count_ = 0;
        clear(slots_);
    }
    const std::size_t most = std::min(count_ + words.size(), most_words_);
    std::size_t slots = slots_.size();
    while (slots < 4 * most) slots *= 2;
    if (slots > slots_.size()) grow_slots(slots);
    if (most * width_ > rows_.size()) rows_.grow(std::max(most, std::min(2 * most, most_words_)) * width_);

    std::vector<float> sum(std::max(table.width, width_));
    for (std::size_t k = 0; k < words.size() && count_ < most_words_; ++k) {
        WordSlot entry{};
        WordSlot& slot = free_slot(words[k], entry);
        if (slot.row != NO_ROW) continue;
        std::fill(sum.begin(), sum.end(), 0.0f);
        for (std::uint64_t at = pieces.offsets[k]; at < pieces.offsets[k + 1]; ++at) {
            const std::size_t id = pieces.id_bytes == 2 ? static_cast<const std::uint16_t*>(pieces.ids)[at]
                                                        : static_cast<const std::uint32_t*>(pieces.ids)[at];
            for (std::size_t column = 0; column < dimension_; ++column) sum[column] += table.rows[id * table.width + column];
        }
        float largest = 0;
        for (const float value : sum) largest = std::max(largest, std::abs(value));
        entry.scale = largest / 32767;
        entry.pieces = static_cast<std::uint32_t>(pieces.offsets[k + 1] - pieces.offsets[k]);
        entry.row = static_cast<std::uint32_t>(count_++);
        std::int16_t* row = rows_.data() + entry.row * width_;
        for (std::size_t column = 0; column < width_; ++column)
            row[column] = static_cast<std::int16_t>(largest > 0 ? std::lrint(sum[column] / entry.scale) : 0);
        slot = entry;
    }
}

}  // namespace calque
