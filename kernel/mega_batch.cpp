#include "mega_batch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>

#include "threads.hpp"

namespace calque {
namespace {

constexpr std::size_t TERMS = 128;  // of the drift's sum; the next is 10⁻⁶ of the first
constexpr std::size_t ROLES = 4, DOTS = 7;

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

std::uint32_t id_at(const Sentence& sentence, std::size_t id_bytes, std::size_t k) {
    return id_bytes == 2 ? static_cast<const std::uint16_t*>(sentence.ids)[k]
                         : static_cast<const std::uint32_t*>(sentence.ids)[k];
}

Sentence sentence_at(const Tokens& tokens, std::size_t at) {
    return {static_cast<const char*>(tokens.ids) + tokens.offsets[at] * tokens.id_bytes,
            static_cast<std::size_t>(tokens.offsets[at + 1] - tokens.offsets[at])};
}

std::uint64_t mix(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

std::uint64_t hash_of(const Sentence& sentence, std::size_t id_bytes) {
    std::uint64_t hash = sentence.count;
    for (std::size_t k = 0; k < sentence.count; ++k) hash = mix(hash ^ id_at(sentence, id_bytes, k));
    return hash;
}

// Numbers texts, the same number for the same text.
class TextNumbers {
  public:
    std::int32_t of(std::uint64_t hash) {
        return numbers_.try_emplace(hash, static_cast<std::int32_t>(numbers_.size())).first->second;
    }

  private:
    std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

}  // namespace

// One mini-batch, ready for its step.
struct Trainer::Prepared {
    std::vector<std::uint32_t> touched, slots, begins, current;
    std::vector<float> drift;
    std::vector<std::uint8_t> has_negative;
};

Trainer::Trainer(const State& state, const Settings& settings) : state_(state), settings_(settings) {
    const double ratio = static_cast<double>(settings.beta_first) / std::sqrt(static_cast<double>(settings.beta_second));
    for (std::size_t j = 1; j <= TERMS; ++j) decay_powers_.push_back(static_cast<float>(std::pow(ratio, j)));
}

Trainer::~Trainer() = default;

// The steps from + 1 … to had no gradient for this row.
void Trainer::drift_of(std::uint32_t from, std::uint32_t to, float* drift) const {
    if (from == 0 || from >= to) {  // never touched: no momentum to spend
        drift[0] = 0, drift[1] = 1, drift[2] = 1;
        return;
    }
    float sum = 0;
    const std::size_t terms = std::min<std::size_t>(to - from, TERMS);
    for (std::size_t j = 0; j < terms; ++j) sum += step_weights[from + j] * decay_powers_[j];
    drift[0] = sum;
    drift[1] = std::pow(settings_.beta_first, static_cast<float>(to - from));
    drift[2] = std::pow(settings_.beta_second, static_cast<float>(to - from));
}

void Trainer::catch_up(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads) {
    const auto now = static_cast<std::uint32_t>(step_weights.size());
    std::vector<std::uint32_t> rows, from;
    for (const Sentence& sentence : sentences)
        for (std::size_t k = 0; k < sentence.count; ++k) {
            const std::uint32_t row = id_at(sentence, id_bytes, k);
            if (state_.current[row] == 0 || state_.current[row] == now) continue;
            rows.push_back(row);
            from.push_back(state_.current[row]);
            state_.current[row] = now;
        }
    in_pieces(threads, rows.size(), 256, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t u = begin; u < end; ++u) {
            float drift[3];
            drift_of(from[u], now, drift);
            const std::size_t at = rows[u] * state_.width;
            hot().drift(state_.embeddings + at, state_.first_moments + at, state_.second_moments + at, state_.width, drift);
        }
    });
}

void Trainer::settle(float* embeddings, std::size_t threads) const {
    const auto now = static_cast<std::uint32_t>(step_weights.size());
    in_pieces(threads, state_.rows, 256, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<float> first(state_.width), second(state_.width);
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t at = row * state_.width;
            std::copy_n(state_.embeddings + at, state_.width, embeddings + at);
            if (state_.current[row] == 0 || state_.current[row] == now) continue;
            std::copy_n(state_.first_moments + at, state_.width, first.data());
            std::copy_n(state_.second_moments + at, state_.width, second.data());
            float drift[3];
            drift_of(state_.current[row], now, drift);
            hot().drift(embeddings + at, first.data(), second.data(), state_.width, drift);
        }
    });
}

// Sources stand in sentences[0 … n), targets in [n … 2n).
void Trainer::choose(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t threads,
                     Seconds& seconds) {
    Clock clock;
    const std::size_t count = sentences.size() / 2, width = state_.width;
    const Table table{state_.embeddings, width};
    const auto encode = [&](QuantisedSide& side, std::size_t from, std::size_t size) {
        side.prepare(size, width);
        in_pieces(threads, size, 64, [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<float> vector(width);
            for (std::size_t at = begin; at < end; ++at) {
                hot().mean(table, sentences[from + at], id_bytes, vector.data());
                side.put(at, vector.data());
            }
        });
    };

    Keys row_keys, column_keys;
    const auto add_key = [&](const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns) {
        row_keys.of[row_keys.count++] = rows;
        column_keys.of[column_keys.count++] = columns;
    };
    std::vector<std::int32_t> pair(sentences.size()), own(sentences.size()), partner(sentences.size());
    for (std::size_t at = 0; at < sentences.size(); ++at) pair[at] = static_cast<std::int32_t>(at % count);
    if (settings_.exclude_same_text) {
        TextNumbers sources, targets;
        for (std::size_t at = 0; at < sentences.size(); ++at) {
            TextNumbers& numbers = settings_.monolingual || at < count ? sources : targets;
            own[at] = numbers.of(hash_of(sentences[at], id_bytes));
        }
        for (std::size_t at = 0; at < sentences.size(); ++at) partner[at] = own[(at + count) % sentences.size()];
    }

    negative_of_.resize(sentences.size());
    if (settings_.monolingual) {
        encode(source_side_, 0, sentences.size());
        seconds.encode += clock.lap();
        source_side_.as_rows();
        source_side_.as_columns();
        if (settings_.exclude_same_text) {
            add_key(own, own);
            add_key(own, partner);
            add_key(partner, own);
        } else {
            add_key(pair, pair);
        }
        find_negatives(source_side_, source_side_, row_keys, column_keys, threads, negatives_);
        negative_of_ = negatives_.row_index;
    } else {
        encode(source_side_, 0, count);
        encode(target_side_, count, count);
        seconds.encode += clock.lap();
        source_side_.as_rows();
        target_side_.as_columns();
        if (settings_.exclude_same_text) {
            add_key(own, {partner.begin() + static_cast<std::ptrdiff_t>(count), partner.end()});  // c's source is s
            add_key(partner, {own.begin() + static_cast<std::ptrdiff_t>(count), own.end()});      // c is t
        } else {
            add_key(pair, pair);
        }
        for (std::size_t key = 0; key < column_keys.count; ++key) column_keys.of[key].resize(count);
        find_negatives(source_side_, target_side_, row_keys, column_keys, threads, negatives_);
        for (std::size_t at = 0; at < count; ++at) {
            const std::int32_t target = negatives_.row_index[at];
            negative_of_[at] = target < 0 ? -1 : target + static_cast<std::int32_t>(count);
            negative_of_[count + at] = negatives_.column_index[at];
        }
    }
    seconds.negatives += clock.lap();
}

void Trainer::fill_slots(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t begin, std::size_t end,
                         Prepared& prepared, std::vector<std::uint32_t>& slot_of) const {
    const std::size_t count = sentences.size() / 2;
    prepared.touched.clear();
    prepared.slots.clear();
    prepared.begins.assign(1, 0);
    prepared.has_negative.clear();
    const auto add = [&](std::int64_t which) {
        for (std::size_t k = 0; which >= 0 && k < sentences[static_cast<std::size_t>(which)].count; ++k) {
            const std::uint32_t row = id_at(sentences[static_cast<std::size_t>(which)], id_bytes, k);
            if (!slot_of[row]) {
                prepared.touched.push_back(row);
                slot_of[row] = static_cast<std::uint32_t>(prepared.touched.size());
            }
            prepared.slots.push_back(slot_of[row] - 1);
        }
        prepared.begins.push_back(static_cast<std::uint32_t>(prepared.slots.size()));
    };
    for (std::size_t pair = begin; pair < end; ++pair) {
        add(static_cast<std::int64_t>(pair));
        add(static_cast<std::int64_t>(count + pair));
        add(negative_of_[pair]);
        add(negative_of_[count + pair]);
        prepared.has_negative.push_back(negative_of_[pair] >= 0);
        prepared.has_negative.push_back(negative_of_[count + pair] >= 0);
    }
    for (const std::uint32_t row : prepared.touched) slot_of[row] = 0;
}

void Trainer::prepare(const std::vector<Sentence>& sentences, std::size_t id_bytes, std::size_t count,
                      std::size_t threads) {
    const std::size_t batches = (count + settings_.batch_size - 1) / settings_.batch_size;
    prepared_.resize(std::max(prepared_.size(), batches));
    slot_of_.resize(std::max(slot_of_.size(), threads));
    for (auto& slot_of : slot_of_) slot_of.resize(state_.rows);
    in_pieces(threads, batches, 1, [&](std::size_t thread, std::size_t batch, std::size_t) {
        const std::size_t begin = batch * settings_.batch_size;
        fill_slots(sentences, id_bytes, begin, std::min(begin + settings_.batch_size, count), prepared_[batch],
                   slot_of_[thread]);
    });
    // Which step a row was last current at is known only in order; the drift itself can be had in parallel.
    auto now = static_cast<std::uint32_t>(step_weights.size() - batches);
    for (std::size_t batch = 0; batch < batches; ++batch, ++now) {
        Prepared& prepared = prepared_[batch];
        prepared.current.resize(prepared.touched.size());
        for (std::size_t u = 0; u < prepared.touched.size(); ++u) {
            prepared.current[u] = state_.current[prepared.touched[u]];
            state_.current[prepared.touched[u]] = now + 1;
        }
    }
    in_pieces(threads, batches, 1, [&](std::size_t, std::size_t batch, std::size_t) {
        Prepared& prepared = prepared_[batch];
        const auto before = static_cast<std::uint32_t>(step_weights.size() - batches + batch);
        prepared.drift.resize(3 * prepared.touched.size());
        for (std::size_t u = 0; u < prepared.touched.size(); ++u)
            drift_of(prepared.current[u], before, prepared.drift.data() + 3 * u);
    });
}

double Trainer::step(std::size_t count, const float* rates, std::size_t threads) {
    const std::size_t batches = (count + settings_.batch_size - 1) / settings_.batch_size;
    const std::size_t tiles = state_.width / TILE, partials = settings_.batch_size * DOTS * tiles;
    std::size_t most_touched = 0;
    for (std::size_t batch = 0; batch < batches; ++batch)
        most_touched = std::max(most_touched, prepared_[batch].touched.size());
    means_.grow(ROLES * settings_.batch_size * state_.width);
    gradient_.grow(most_touched * state_.width);
    partials_.grow(2 * partials);

    std::vector<double> losses(batches);
    const std::size_t first_step = step_weights.size() - batches;
    const std::size_t crew = std::min(threads, tiles);
    scratch_.grow(crew * settings_.batch_size * SCRATCH_A_PAIR);
    const auto mini_batch = [&](std::size_t batch, std::size_t thread) {
        const Prepared& prepared = prepared_[batch];
        const auto t = static_cast<double>(first_step + batch + 1);
        const double first = 1 - std::pow(static_cast<double>(settings_.beta_first), t);
        const double second = 1 - std::pow(static_cast<double>(settings_.beta_second), t);
        return MiniBatch{
            state_.embeddings, state_.first_moments, state_.second_moments, state_.width,
            prepared.touched.data(), prepared.drift.data(), prepared.touched.size(), prepared.slots.data(),
            prepared.begins.data(), prepared.has_negative.data(), (prepared.begins.size() - 1) / ROLES,
            settings_.margin, static_cast<std::uint32_t>(std::lround(settings_.dropout * 256)),
            mix(mix(settings_.seed) ^ static_cast<std::uint64_t>(t)),
            static_cast<float>(static_cast<double>(rates[batch]) / first), static_cast<float>(1 / second),
            settings_.beta_first, settings_.beta_second, settings_.epsilon,
            // A thread may be a step ahead of another, never two: two sets of partial sums are enough.
            means_.data(), gradient_.data(), partials_.data() + batch % 2 * partials,
            scratch_.data() + thread * settings_.batch_size * SCRATCH_A_PAIR, &losses[batch]};
    };

    Barrier barrier(crew);
    on_threads(crew, [&](std::size_t thread) {
        const std::size_t begin = tiles * thread / crew, end = tiles * (thread + 1) / crew;
        for (std::size_t batch = 0; batch < batches; ++batch) {
            const MiniBatch work = mini_batch(batch, thread);
            hot().forward(work, begin, end);
            barrier.wait();
            hot().backward(work, begin, end);
        }
    });
    double loss = 0;
    for (const double part : losses) loss += part;
    return loss / static_cast<double>(count);
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
    catch_up(sentences, source.id_bytes, threads);
    result.seconds.encode = clock.lap();
    choose(sentences, source.id_bytes, threads, result.seconds);
    clock.lap();
    const std::size_t batches = (count + settings_.batch_size - 1) / settings_.batch_size;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const auto t = static_cast<double>(step_weights.size() + 1);
        const double first = 1 - std::pow(static_cast<double>(settings_.beta_first), t);
        const double second = 1 - std::pow(static_cast<double>(settings_.beta_second), t);
        step_weights.push_back(static_cast<float>(static_cast<double>(rates[batch]) * std::sqrt(second) / first));
    }
    prepare(sentences, source.id_bytes, count, threads);
    result.seconds.prepare = clock.lap();
    result.loss = step(count, rates, threads);
    result.seconds.steps = clock.lap();
    return result;
}

}  // namespace calque
