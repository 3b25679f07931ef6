// One mini-batch of margin loss over averages, by columns: each thread holds some tiles of every row and does everything
// for them (gather, mean, gradient, scatter, Adam). Threads meet once a step, for the dot products; and since dot products
// are added a tile at a time in the order of the tiles, the result does not depend on how many threads there are.
//
// Loss of a pair (s, t) with negatives t' and s':
//     [margin − cos(s,t) + cos(s,t')]₊ + [margin − cos(s,t) + cos(t,s')]₊
#pragma once

#include "adam.hpp"
#include "bag.hpp"
#include "dropout.hpp"
#include "hot.hpp"

namespace calque::CALQUE_TARGET {

enum Role : std::size_t { SOURCE, TARGET, SOURCE_NEGATIVE, TARGET_NEGATIVE };
enum Dot : std::size_t { S_S, T_T, N_N, M_M, S_T, S_N, T_M };  // n = t', the source's negative; m = s'
constexpr Role FACTORS[DOTS][2] = {{SOURCE, SOURCE},
                                   {TARGET, TARGET},
                                   {SOURCE_NEGATIVE, SOURCE_NEGATIVE},
                                   {TARGET_NEGATIVE, TARGET_NEGATIVE},
                                   {SOURCE, TARGET},
                                   {SOURCE, SOURCE_NEGATIVE},
                                   {TARGET, TARGET_NEGATIVE}};
static_assert(TARGET_NEGATIVE + 1 == ROLES && T_M + 1 == DOTS);

CALQUE_INLINE float keep_scale(const MiniBatch& batch) { return 256.0f / (256 - batch.drop_of_256); }

// A thread goes through its tiles a few at a time, so that what a mini-batch touches of them stays in its cache.
constexpr std::size_t TILES_A_BLOCK = TILES_A_DRAW;

struct Block {
    std::size_t begin, end;  // tiles
    CALQUE_INLINE std::size_t column() const { return begin * LANES; }
    CALQUE_INLINE std::size_t end_column() const { return end * LANES; }
    CALQUE_INLINE std::size_t bytes() const { return (end - begin) * LANES * sizeof(float); }
};

template <class Work>
CALQUE_INLINE void for_blocks(std::size_t tile_begin, std::size_t tile_end, const Work& work) {
    for (std::size_t begin = tile_begin; begin < tile_end; begin += TILES_A_BLOCK)
        work(Block{begin, begin + TILES_A_BLOCK < tile_end ? begin + TILES_A_BLOCK : tile_end});
}

CALQUE_INLINE Row row_of(const MiniBatch& batch, std::size_t touched, const Block& block) {
    const std::size_t at = batch.touched[touched] * batch.width + block.column();
    return {batch.embeddings + at, batch.first_moments + at, batch.second_moments + at,
            block.end_column() - block.column()};
}

CALQUE_INLINE bool is_frozen(const MiniBatch& batch, std::size_t touched) {
    return batch.frozen && batch.frozen[batch.touched[touched]];
}

CALQUE_INLINE Drift drift_of(const MiniBatch& batch, std::size_t touched) {
    return load<Drift>(batch.drift + DRIFT * touched);
}

CALQUE_INLINE void prefetch_ahead(const MiniBatch& batch, std::size_t touched, const Block& block) {
    if (touched + AHEAD >= batch.touched_count) return;
    const Row row = row_of(batch, touched + AHEAD, block);
    prefetch_row(row.values, block.bytes());
    prefetch_row(row.first, block.bytes());
    prefetch_row(row.second, block.bytes());
}

using BlockKept = Kept<TILES_A_BLOCK>;

CALQUE_INLINE const BlockKept& draw_kept(BlockKept& kept, const MiniBatch& batch, std::size_t token, const Block& block) {
    const auto key = static_cast<std::uint32_t>(mix(batch.dropout_key + token));
    kept.draw(key, batch.drop_of_256, block.begin, block.end);
    return kept;
}

struct DroppedRow {
    const float* row;
    const BlockKept& kept;
    CALQUE_INLINE Numbers at(std::size_t column) const {
        return keep_where(kept.at(column), load<Numbers>(row + column));
    }
};

// A sentence's mean in the columns of a block.
CALQUE_INLINE void sentence_mean(const MiniBatch& batch, std::size_t sentence, const Block& block) {
    const std::size_t begin = batch.begins[sentence], end = batch.begins[sentence + 1];
    float* out = batch.means + sentence * batch.width;
    const auto row_of_token = [&](std::size_t token) {
        return batch.embeddings + batch.touched[batch.slots[token]] * batch.width;
    };
    const std::size_t tokens = batch.begins[ROLES * batch.pairs];
    const auto row = [&](std::size_t k) {
        const std::size_t later = begin + k + AHEAD;  // most likely of another sentence
        if (later < tokens) prefetch_row(row_of_token(later) + block.column(), block.bytes());
        return row_of_token(begin + k);
    };
    BlockKept kept;
    if (batch.drop_of_256)
        sum_rows([&](std::size_t k) { return DroppedRow{row(k), draw_kept(kept, batch, begin + k, block)}; },
                 end - begin, block.column(), block.end_column(), out);
    else
        sum_rows([&](std::size_t k) { return FloatRow{row(k)}; }, end - begin, block.column(), block.end_column(), out);
    if (end > begin)
        scale_in_place(out + block.column(), block.end_column() - block.column(),
                       keep_scale(batch) / static_cast<float>(end - begin));
}

inline void forward(const MiniBatch& batch, std::size_t tile_begin, std::size_t tile_end) {
    for_blocks(tile_begin, tile_end, [&](const Block& block) {
        for (std::size_t sentence = 0; sentence < ROLES * batch.pairs; ++sentence) sentence_mean(batch, sentence, block);
    });
    const std::size_t all_tiles = batch.width / LANES;
    for (std::size_t pair = 0; pair < batch.pairs; ++pair) {
        const float* means = batch.means + ROLES * pair * batch.width;
        float* partials = batch.partials + pair * DOTS * all_tiles;
        for (std::size_t tile = tile_begin; tile < tile_end; ++tile) {
            const auto sum = [&](Role one, Role two) {
                const float *first = means + one * batch.width, *second = means + two * batch.width;
                return sum_of_tile([&](std::size_t at) {
                    return load<Numbers>(first + tile * LANES + at) * load<Numbers>(second + tile * LANES + at);
                });
            };
#pragma GCC unroll 7
            for (std::size_t dot = 0; dot < DOTS; ++dot)
                partials[dot * all_tiles + tile] = sum(FACTORS[dot][0], FACTORS[dot][1]);
        }
    }
}

// How a cosine of x and y enters the loss: the gradient for x is across · y − along_x · x, and likewise for y.
struct Pull {
    float across, along_first, along_second;
};

CALQUE_INLINE Pull pull(float weight, float dot, float first_square, float second_square) {
    if (weight == 0 || !(first_square > 0) || !(second_square > 0)) return {0, 0, 0};
    const float across = weight / __builtin_sqrtf(first_square * second_square);
    return {across, across * dot / first_square, across * dot / second_square};
}

CALQUE_INLINE float cosine(float dot, float first_square, float second_square) {
    return first_square > 0 && second_square > 0 ? dot / __builtin_sqrtf(first_square * second_square) : 0;
}

struct PairGradient {
    Pull pair, source_negative, target_negative;
    float loss;
};
static_assert(sizeof(PairGradient) == SCRATCH_A_PAIR);

CALQUE_INLINE PairGradient pair_gradient(const MiniBatch& batch, std::size_t pair) {
    const std::size_t tiles = batch.width / LANES;
    float dots[DOTS];
    for (std::size_t dot = 0; dot < DOTS; ++dot) {
        const float* partials = batch.partials + (pair * DOTS + dot) * tiles;
        dots[dot] = 0;
        for (std::size_t tile = 0; tile < tiles; ++tile) dots[dot] += partials[tile];
    }
    const float agreement = cosine(dots[S_T], dots[S_S], dots[T_T]);
    const float forward_loss = batch.margin - agreement + cosine(dots[S_N], dots[S_S], dots[N_N]);
    const float backward_loss = batch.margin - agreement + cosine(dots[T_M], dots[T_T], dots[M_M]);
    const bool forward_active = batch.has_negative[2 * pair] && forward_loss > 0;
    const bool backward_active = batch.has_negative[2 * pair + 1] && backward_loss > 0;
    const float one = 1 / static_cast<float>(batch.pairs);
    const float nonsense = 0 * (dots[S_S] + dots[T_T] + dots[N_N] + dots[M_M]);  // NaN if a vector is no longer finite
    const float forward_weight = forward_active ? one : 0, backward_weight = backward_active ? one : 0;
    return {pull(-forward_weight - backward_weight, dots[S_T], dots[S_S], dots[T_T]),
            pull(forward_weight, dots[S_N], dots[S_S], dots[N_N]),
            pull(backward_weight, dots[T_M], dots[T_T], dots[M_M]),
            (forward_active ? forward_loss : 0) + (backward_active ? backward_loss : 0) + nonsense};
}

// Adds one sentence's gradient to the rows of its tokens, through the same dropout as on the way forward.
template <class Slope>
CALQUE_INLINE void scatter(const MiniBatch& batch, std::size_t sentence, const Block& block, const Slope& slope_at) {
    const std::size_t begin = batch.begins[sentence], end = batch.begins[sentence + 1];
    if (begin == end) return;
    const float share = keep_scale(batch) / static_cast<float>(end - begin);
    float slope[TILES_A_BLOCK * LANES];
    for (std::size_t column = block.column(); column < block.end_column(); column += WIDTH)
        store(slope + (column - block.column()), slope_at(column) * share);
    const auto add = [&](std::size_t token, const auto& part_at) {
        float* row = batch.gradient + batch.slots[token] * batch.width;
        for (std::size_t column = block.column(); column < block.end_column(); column += WIDTH) {
            const Numbers part = part_at(load<Numbers>(slope + (column - block.column())), column);
            store(row + column, load<Numbers>(row + column) + part);
        }
    };
    BlockKept kept;
    for (std::size_t token = begin; token < end; ++token) {
        if (is_frozen(batch, batch.slots[token])) continue;
        if (batch.drop_of_256) {
            draw_kept(kept, batch, token, block);
            add(token, [&](const Numbers& part, std::size_t column) { return keep_where(kept.at(column), part); });
        } else {
            add(token, [](const Numbers& part, std::size_t) { return part; });
        }
    }
}

CALQUE_INLINE void scatter_pair(const MiniBatch& batch, std::size_t pair, const PairGradient& gradient, const Block& block) {
    const Pull &p = gradient.pair, &f = gradient.source_negative, &b = gradient.target_negative;
    if (p.across == 0) return;  // already right by the margin
    const float* means = batch.means + ROLES * pair * batch.width;
    const auto at = [&](Role role, std::size_t column) { return load<Numbers>(means + role * batch.width + column); };
    const auto add = [&](Role role, const auto& slope) { scatter(batch, ROLES * pair + role, block, slope); };
    add(SOURCE, [&](std::size_t column) {
        return p.across * at(TARGET, column) + f.across * at(SOURCE_NEGATIVE, column) -
               (p.along_first + f.along_first) * at(SOURCE, column);
    });
    add(TARGET, [&](std::size_t column) {
        return p.across * at(SOURCE, column) + b.across * at(TARGET_NEGATIVE, column) -
               (p.along_second + b.along_first) * at(TARGET, column);
    });
    if (f.across != 0)
        add(SOURCE_NEGATIVE, [&](std::size_t column) {
            return f.across * at(SOURCE, column) - f.along_second * at(SOURCE_NEGATIVE, column);
        });
    if (b.across != 0)
        add(TARGET_NEGATIVE, [&](std::size_t column) {
            return b.across * at(TARGET, column) - b.along_second * at(TARGET_NEGATIVE, column);
        });
}

inline void backward(const MiniBatch& batch, std::size_t tile_begin, std::size_t tile_end) {
    auto* gradients = static_cast<PairGradient*>(batch.scratch);
    double loss = 0;
    for (std::size_t pair = 0; pair < batch.pairs; ++pair) {
        gradients[pair] = pair_gradient(batch, pair);
        loss += static_cast<double>(gradients[pair].loss);
    }
    if (tile_begin == 0) *batch.loss = loss;

    const AdamStep step{batch.rate, batch.second_inverse, batch.beta_first, batch.beta_second, batch.epsilon};
    for_blocks(tile_begin, tile_end, [&](const Block& block) {
        for (std::size_t pair = 0; pair < batch.pairs; ++pair) scatter_pair(batch, pair, gradients[pair], block);
        for (std::size_t u = 0; u < batch.touched_count; ++u) {
            if (is_frozen(batch, u)) continue;
            prefetch_ahead(batch, u, block);
            adam_row(row_of(batch, u, block), batch.gradient + u * batch.width + block.column(), step, drift_of(batch, u));
        }
    });
}

}  // namespace calque::CALQUE_TARGET
