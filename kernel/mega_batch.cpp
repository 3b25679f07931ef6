#include "mega_batch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>

#include "sentence.hpp"
#include "threads.hpp"

namespace calque {
namespace {

constexpr std::size_t GRAIN = 64;  // sentences a thread fetches at a time

class Clock {
  public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> passed = now - last_;
        last_ = now;
        return passed.count();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Numbers texts, the same number for the same text.
class TextNumbers {
  public:
    std::int32_t of(std::uint64_t hash) {
        return numbers_.try_emplace(hash, static_cast<std::int32_t>(numbers_.size())).first->second;
    }

  private:
    std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

// What keeps a candidate from being a negative: a key that it shares with the sentence.
class Exclusions {
  public:
    Exclusions(const std::vector<Sentence>& sentences, std::size_t id_bytes, const Settings& settings) {
        const std::size_t all = sentences.size(), pairs = all / 2;
        own_.resize(all);
        partner_.resize(all);
        TextNumbers sources, targets;
        for (std::size_t at = 0; at < all; ++at) {
            TextNumbers& numbers = settings.monolingual || at < pairs ? sources : targets;
            own_[at] = settings.exclude_same_text ? numbers.of(hash_of(sentences[at], id_bytes))
                                                  : static_cast<std::int32_t>(at % pairs);
        }
        for (std::size_t at = 0; at < all; ++at) partner_[at] = own_[(at + pairs) % all];
        if (settings.monolingual) {
            add(own_, own_);          // the candidate is the sentence itself
            add(own_, partner_);      // its partner is
            add(partner_, own_);      // it is the sentence's partner
        } else {
            add(own_, second_half(partner_));  // the candidate's source is the sentence
            add(partner_, second_half(own_));  // the candidate is the sentence's translation
        }
    }

    Keys rows, columns;

  private:
    static std::vector<std::int32_t> second_half(const std::vector<std::int32_t>& keys) {
        return {keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2), keys.end()};
    }

    void add(const std::vector<std::int32_t>& of_rows, const std::vector<std::int32_t>& of_columns) {
        rows.of[rows.count++] = of_rows;
        columns.of[columns.count++] = of_columns;
    }

    std::vector<std::int32_t> own_, partner_;  // a sentence's text, its partner's text
};

}  // namespace

Trainer::Trainer(const State& state, const AdamSettings& adam, const Settings& settings)
    : optimiser(state, adam), settings_(settings) {}

void Trainer::encode(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads) {
    const Table table{optimiser.state.embeddings, optimiser.state.width};
    const auto encode_run = [&](QuantisedSide& side, std::size_t from, std::size_t size) {
        side.prepare(size, table.width);
        in_pieces(threads, size, GRAIN, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<float> vector(table.width);
            for (std::size_t at = begin; at < end; ++at) {
                hot().mean(table, sentences[from + at], id_bytes, vector.data());
                side.put(at, vector.data());
            }
        });
    };
    if (settings_.monolingual) {
        encode_run(source_side_, 0, sentences.size());
    } else {
        encode_run(source_side_, 0, sentences.size() / 2);
        encode_run(target_side_, sentences.size() / 2, sentences.size() / 2);
    }
}

void Trainer::choose(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads) {
    Exclusions exclusions(sentences, id_bytes, settings_);
    QuantisedSide& candidates = settings_.monolingual ? source_side_ : target_side_;
    source_side_.as_rows();
    candidates.as_columns();
    find_negatives(source_side_, candidates, exclusions.rows, exclusions.columns, threads, negatives_);
    negative_of_ = negatives_.row_index;
    if (settings_.monolingual) return;
    const auto pairs = static_cast<std::int32_t>(sentences.size() / 2);
    for (std::int32_t& target : negative_of_)
        if (target >= 0) target += pairs;
    negative_of_.insert(negative_of_.end(), negatives_.column_index.begin(), negatives_.column_index.begin() + pairs);
}

double Trainer::step(const std::vector<Laid>& laid, const float* rates, std::size_t threads) {
    const State& state = optimiser.state;
    const std::size_t tiles = state.width / TILE;
    const std::size_t crew = std::min(threads, tiles), first_step = optimiser.steps() - laid.size() + 1;
    std::size_t most_touched = 0, pairs = 0, most_pairs = 0;  // of a mini-batch, which may be asked to be larger than all
    for (const Laid& each : laid) {
        most_touched = std::max(most_touched, each.touched.size());
        most_pairs = std::max(most_pairs, each.pairs());
        pairs += each.pairs();
    }
    const std::size_t partials = most_pairs * DOTS * tiles;
    means_.grow(ROLES * most_pairs * state.width);
    gradient_.grow(most_touched * state.width, true);
    partials_.grow(2 * partials);
    scratch_.grow(crew * most_pairs * SCRATCH_A_PAIR);

    std::vector<double> losses(laid.size());
    const auto mini_batch = [&](std::size_t batch, std::size_t thread) {
        const Laid& each = laid[batch];
        const StepRates step_rates = optimiser.rates(first_step + batch, rates[batch]);
        return MiniBatch{
            state.embeddings, state.first_moments, state.second_moments, state.width,
            each.touched.data(), each.drift.data(), each.touched.size(), each.slots.data(), each.begins.data(),
            each.has_negative.data(), each.pairs(),
            settings_.frozen, settings_.margin, static_cast<std::uint32_t>(std::min(std::lround(settings_.dropout * 256), 255L)),
            mix(mix(settings_.seed) ^ (first_step + batch)),
            step_rates.rate, step_rates.second_inverse,
            optimiser.settings.beta_first, optimiser.settings.beta_second, optimiser.settings.epsilon,
            // A thread may be a step ahead of another, never two: two sets of partial sums are enough.
            means_.data(), gradient_.data(), partials_.data() + batch % 2 * partials,
            scratch_.data() + thread * most_pairs * SCRATCH_A_PAIR, &losses[batch]};
    };
    Barrier barrier(crew);
    on_threads(crew, [&](std::size_t thread) {
        const std::size_t begin = tiles * thread / crew, end = tiles * (thread + 1) / crew;
        for (std::size_t batch = 0; batch < laid.size(); ++batch) {
            const MiniBatch work = mini_batch(batch, thread);
            hot().forward(work, begin, end);
            barrier.wait();
            hot().backward(work, begin, end);
        }
    });
    double loss = 0;
    for (const double part : losses) loss += part;
    return loss / static_cast<double>(pairs);
}

MegaBatchResult Trainer::train(const Tokens& source, const Tokens& target, const std::uint32_t* pairs, std::size_t count,
                               const float* rates, std::size_t threads) {
    MegaBatchResult result;
    Clock clock;
    std::vector<Sentence> sentences(2 * count);
    for (std::size_t at = 0; at < count; ++at) {
        sentences[at] = sentence_at(source, pairs[at]);
        sentences[count + at] = sentence_at(target, pairs[at]);
    }
    optimiser.catch_up(sentences, source.id_bytes, threads);
    encode(sentences, source.id_bytes, threads);
    result.seconds.encode = clock.lap();
    choose(sentences, source.id_bytes, threads);
    result.seconds.negatives = clock.lap();
    for (std::size_t begin = 0; begin < count; begin += settings_.batch_size)
        optimiser.announce(rates[begin / settings_.batch_size]);
    const Chosen chosen{sentences, source.id_bytes, negative_of_};
    const std::vector<Laid>& laid = layout_.lay(chosen, settings_.batch_size, optimiser, threads);
    result.seconds.prepare = clock.lap();
    result.loss = step(laid, rates, threads);
    result.seconds.steps = clock.lap();
    return result;
}

}  // namespace calque
