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

enum Role : std::size_t { SOURCE, TARGET, SOURCE_NEGATIVE, TARGET_NEGATIVE, ROLES };
enum Dot : std::size_t { S_S, T_T, N_N, M_M, S_T, S_N, T_M, DOTS };  // n = t', the source's negative; m = s'

CALQUE_INLINE float keep_scale(const MiniBatch& batch) { return 256.0f / (256 - batch.drop_of_256); }

CALQUE_INLINE std::uint32_t token_key(const MiniBatch& batch, std::size_t token) {
    return static_cast<std::uint32_t>(mix(batch.dropout_key + token));
}

CALQUE_INLINE void mean_with_dropout(const MiniBatch& batch, std::size_t begin, std::size_t end, std::size_t tile_begin,
                                     std::size_t tile_end, float* out) {
    for (std::size_t token = begin; token < end; ++token) {
        const float* row = batch.embeddings + batch.touched[batch.slots[token]] * batch.width;
        for_kept(token_key(batch, token), batch.drop_of_256, tile_begin, tile_end,
                 [&](std::size_t tile, const Ints& keep) {
                     float* sum = out + tile * LANES;
                     store(sum, load<Floats>(sum) + keep_where(keep, load<Floats>(row + tile * LANES)));
                 });
    }
}

// A sentence's mean in the columns of this thread.
CALQUE_INLINE void sentence_mean(const MiniBatch& batch, std::size_t sentence, std::size_t tile_begin,
                                 std::size_t tile_end) {
    const std::size_t begin = batch.begins[sentence], end = batch.begins[sentence + 1];
    const std::size_t column = tile_begin * LANES, tiles = tile_end - tile_begin;
    float* out = batch.means + sentence * batch.width;
    if (batch.drop_of_256) {
        std::memset(out + column, 0, tiles * LANES * sizeof(float));
        mean_with_dropout(batch, begin, end, tile_begin, tile_end, out);
    } else {
        const auto row_at = [&](std::size_t k) {
            return FloatRow{batch.embeddings + batch.touched[batch.slots[begin + k]] * batch.width};
        };
        sum_rows(row_at, end - begin, column, tile_end * LANES, out);
    }
    if (end > begin) scale_in_place(out + column, tiles * LANES, keep_scale(batch) / static_cast<float>(end - begin));
}

inline void forward(const MiniBatch& batch, std::size_t tile_begin, std::size_t tile_end) {
    const std::size_t column = tile_begin * LANES, tiles = tile_end - tile_begin, all_tiles = batch.width / LANES;
    for (std::size_t u = 0; u < batch.touched_count; ++u) {
        const std::size_t at = batch.touched[u] * batch.width + column;
        const float* drift = batch.drift + 3 * u;
        if (drift[1] < 1)
            drift_row(batch.embeddings + at, {batch.first_moments + at, batch.second_moments + at}, tiles,
                      {drift[0], drift[1], drift[2]});
        std::memset(batch.gradient + u * batch.width + column, 0, tiles * LANES * sizeof(float));
    }
    for (std::size_t sentence = 0; sentence < ROLES * batch.pairs; ++sentence)
        sentence_mean(batch, sentence, tile_begin, tile_end);

    for (std::size_t pair = 0; pair < batch.pairs; ++pair) {
        const float* means = batch.means + ROLES * pair * batch.width;
        float* partials = batch.partials + pair * DOTS * all_tiles;
        for (std::size_t tile = tile_begin; tile < tile_end; ++tile) {
            const auto part = [&](Role role) { return load<Floats>(means + role * batch.width + tile * LANES); };
            const Floats s = part(SOURCE), t = part(TARGET), n = part(SOURCE_NEGATIVE), m = part(TARGET_NEGATIVE);
            const Floats products[DOTS] = {s * s, t * t, n * n, m * m, s * t, s * n, t * m};
            for (std::size_t dot = 0; dot < DOTS; ++dot)
                partials[dot * all_tiles + tile] = horizontal_sum(products[dot]);
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
    const float forward_weight = forward_active ? one : 0, backward_weight = backward_active ? one : 0;
    return {pull(-forward_weight - backward_weight, dots[S_T], dots[S_S], dots[T_T]),
            pull(forward_weight, dots[S_N], dots[S_S], dots[N_N]),
            pull(backward_weight, dots[T_M], dots[T_T], dots[M_M]),
            (forward_active ? forward_loss : 0) + (backward_active ? backward_loss : 0)};
}

// Adds one sentence's gradient to the rows of its tokens, through the same dropout as on the way forward.
template <class Slope>
CALQUE_INLINE void scatter(const MiniBatch& batch, std::size_t sentence, std::size_t tile_begin, std::size_t tile_end,
                           const Slope& slope_at) {
    const std::size_t begin = batch.begins[sentence], end = batch.begins[sentence + 1];
    if (begin == end) return;
    const float share = keep_scale(batch) / static_cast<float>(end - begin);
    alignas(64) float slope[64 * LANES];  // up to 64 tiles at a time
    for (std::size_t first = tile_begin; first < tile_end; first += 64) {
        const std::size_t last = first + 64 < tile_end ? first + 64 : tile_end;
        for (std::size_t tile = first; tile < last; ++tile) store(slope + (tile - first) * LANES, slope_at(tile) * share);
        for (std::size_t token = begin; token < end; ++token) {
            float* row = batch.gradient + batch.slots[token] * batch.width;
            const auto add = [&](std::size_t tile, const Floats& value) {
                store(row + tile * LANES, load<Floats>(row + tile * LANES) + value);
            };
            if (batch.drop_of_256)
                for_kept(token_key(batch, token), batch.drop_of_256, first, last,
                         [&](std::size_t tile, const Ints& keep) {
                             add(tile, keep_where(keep, load<Floats>(slope + (tile - first) * LANES)));
                         });
            else
                for (std::size_t tile = first; tile < last; ++tile) add(tile, load<Floats>(slope + (tile - first) * LANES));
        }
    }
}

inline void backward(const MiniBatch& batch, std::size_t tile_begin, std::size_t tile_end) {
    double loss = 0;
    for (std::size_t pair = 0; pair < batch.pairs; ++pair) {
        const PairGradient gradient = pair_gradient(batch, pair);
        loss += static_cast<double>(gradient.loss);
        const Pull &p = gradient.pair, &f = gradient.source_negative, &b = gradient.target_negative;
        if (p.across == 0) continue;  // already right by the margin
        const float* means = batch.means + ROLES * pair * batch.width;
        const auto at = [&](Role role, std::size_t tile) { return load<Floats>(means + role * batch.width + tile * LANES); };
        const auto add = [&](Role role, const auto& slope) {
            scatter(batch, ROLES * pair + role, tile_begin, tile_end, slope);
        };
        add(SOURCE, [&](std::size_t tile) {
            return p.across * at(TARGET, tile) + f.across * at(SOURCE_NEGATIVE, tile) -
                   (p.along_first + f.along_first) * at(SOURCE, tile);
        });
        add(TARGET, [&](std::size_t tile) {
            return p.across * at(SOURCE, tile) + b.across * at(TARGET_NEGATIVE, tile) -
                   (p.along_second + b.along_first) * at(TARGET, tile);
        });
        if (f.across != 0)
            add(SOURCE_NEGATIVE, [&](std::size_t tile) {
                return f.across * at(SOURCE, tile) - f.along_second * at(SOURCE_NEGATIVE, tile);
            });
        if (b.across != 0)
            add(TARGET_NEGATIVE, [&](std::size_t tile) {
                return b.across * at(TARGET, tile) - b.along_second * at(TARGET_NEGATIVE, tile);
            });
    }
    if (tile_begin == 0) *batch.loss = loss;

    const AdamStep step{batch.rate, batch.second_inverse, batch.beta_first, batch.beta_second, batch.epsilon};
    const std::size_t column = tile_begin * LANES, tiles = tile_end - tile_begin;
    for (std::size_t u = 0; u < batch.touched_count; ++u) {
        const std::size_t at = batch.touched[u] * batch.width + column;
        adam_row(batch.embeddings + at, {batch.first_moments + at, batch.second_moments + at},
                 batch.gradient + u * batch.width + column, tiles, step);
    }
}

}  // namespace calque::CALQUE_TARGET
