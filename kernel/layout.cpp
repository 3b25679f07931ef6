#include "layout.hpp"

#include <algorithm>

#include "sentence.hpp"
#include "threads.hpp"

namespace calque {
namespace {

void fill(const Chosen& chosen, std::size_t begin, std::size_t end, Laid& laid, std::vector<std::uint32_t>& slot_of) {
    laid.touched.clear();
    laid.slots.clear();
    laid.begins.assign(1, 0);
    laid.has_negative.clear();
    const auto add = [&](std::int64_t which) {
        const Sentence sentence = which < 0 ? Sentence{nullptr, 0} : chosen.sentences[static_cast<std::size_t>(which)];
        for (std::size_t k = 0; k < sentence.count; ++k) {
            const std::uint32_t row = id_at(sentence, chosen.id_bytes, k);
            if (!slot_of[row]) {
                laid.touched.push_back(row);
                slot_of[row] = static_cast<std::uint32_t>(laid.touched.size());
            }
            laid.slots.push_back(slot_of[row] - 1);
        }
        laid.begins.push_back(static_cast<std::uint32_t>(laid.slots.size()));
    };
    const std::size_t targets = chosen.pairs();
    for (std::size_t pair = begin; pair < end; ++pair) {
        const std::int32_t source_negative = chosen.negative_of[pair], target_negative = chosen.negative_of[targets + pair];
        add(static_cast<std::int64_t>(pair));
        add(static_cast<std::int64_t>(targets + pair));
        add(source_negative);
        add(target_negative);
        laid.has_negative.push_back(source_negative >= 0);
        laid.has_negative.push_back(target_negative >= 0);
    }
    for (const std::uint32_t row : laid.touched) slot_of[row] = 0;
}

}  // namespace

// When each mini-batch's rows are touched again, and which rows there are. Afterwards next_ holds the first time.
void Layout::find_next(std::uint32_t first_step, std::size_t rows) {
    next_.resize(rows);
    rows_.clear();
    for (std::size_t batch = laid_.size(); batch-- > 0;) {
        Laid& laid = laid_[batch];
        laid.next.resize(laid.touched.size());
        for (std::size_t u = 0; u < laid.touched.size(); ++u) {
            std::uint32_t& next = next_[laid.touched[u]];
            if (!next) rows_.push_back(laid.touched[u]);
            laid.next[u] = next;
            next = first_step + static_cast<std::uint32_t>(batch);
        }
    }
}

const std::vector<Laid>& Layout::lay(const Chosen& chosen, std::size_t batch_size, Optimiser& optimiser,
                                     std::size_t threads) {
    const std::size_t batches = (chosen.pairs() + batch_size - 1) / batch_size;
    laid_.resize(batches);
    slot_of_.resize(std::max(slot_of_.size(), threads));
    for (auto& slot_of : slot_of_) slot_of.resize(optimiser.state.rows);
    in_pieces(threads, batches, 1, [&](std::size_t thread, std::size_t batch, std::size_t) {
        const std::size_t begin = batch * batch_size;
        fill(chosen, begin, std::min(begin + batch_size, chosen.pairs()), laid_[batch], slot_of_[thread]);
    });
    const auto first_step = static_cast<std::uint32_t>(optimiser.steps() - batches + 1);
    find_next(first_step, optimiser.state.rows);
    in_pieces(threads, batches, 1, [&](std::size_t, std::size_t batch, std::size_t) {
        Laid& laid = laid_[batch];
        const std::uint32_t step = first_step + static_cast<std::uint32_t>(batch);
        laid.drift.resize(DRIFT * laid.touched.size());
        for (std::size_t u = 0; u < laid.touched.size(); ++u)
            optimiser.drift_of(step, laid.next[u] ? laid.next[u] - 1 : step, laid.drift.data() + DRIFT * u);
    });
    in_pieces(threads, rows_.size(), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) optimiser.drift_row(rows_[at], next_[rows_[at]] - 1);
    });
    for (std::size_t batch = 0; batch < batches; ++batch)
        for (const std::uint32_t row : laid_[batch].touched)
            optimiser.state.current[row] = first_step + static_cast<std::uint32_t>(batch);
    for (const std::uint32_t row : rows_) next_[row] = 0;
    return laid_;
}

}  // namespace calque
