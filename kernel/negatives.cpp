#include "negatives.hpp"

#include <algorithm>
#include <limits>

#include "threads.hpp"

namespace calque {
namespace {

constexpr float BELOW_ANY_COSINE = -2;

std::size_t padded(std::size_t count, std::size_t to) { return (count + to - 1) / to * to; }

}  // namespace

void QuantisedSide::prepare(std::size_t count_, std::size_t depth_) {
    count = count_;
    depth = depth_;
    values.grow(count * depth);
    scale.assign(padded(count, hot().panel), std::numeric_limits<float>::quiet_NaN());
}

void QuantisedSide::put(std::size_t at, const float* vector) {
    scale[at] = hot().quantise(vector, depth, values.data() + at * depth);
}

void QuantisedSide::as_rows() {
    const std::size_t strip = hot().strip;
    strips.grow(padded(count, strip) * depth);
    for (std::size_t at = 0; at < count; at += strip)
        hot().pack_strip(values.data() + at * depth, std::min(strip, count - at), depth, strips.data() + at * depth);
}

void QuantisedSide::as_columns() {
    const std::size_t panel = hot().panel;
    panels.grow(padded(count, panel) * depth);
    correction.resize(padded(count, panel));
    for (std::size_t at = 0; at < count; at += panel)
        hot().pack_panel(values.data() + at * depth, std::min(panel, count - at), depth, panels.data() + at * depth,
                         correction.data() + at);
}

void find_negatives(const QuantisedSide& rows, const QuantisedSide& columns, const Keys& row_keys, Keys& column_keys,
                    std::size_t threads, Negatives& found) {
    const std::size_t wide = padded(columns.count, hot().panel);
    for (std::size_t key = 0; key < column_keys.count; ++key) column_keys.of[key].resize(wide, -1);
    Search search{rows.strips.data(), columns.panels.data(), columns.correction.data(), rows.scale.data(),
                  columns.scale.data(), rows.depth, rows.count, columns.count, row_keys.count, {}, {}};
    for (std::size_t key = 0; key < row_keys.count; ++key) {
        search.row_keys[key] = row_keys.of[key].data();
        search.column_keys[key] = column_keys.of[key].data();
    }

    found.row_cosine.assign(rows.count, BELOW_ANY_COSINE);
    found.row_index.assign(rows.count, -1);
    found.column_cosine.assign(threads * wide, BELOW_ANY_COSINE);
    found.column_index.assign(threads * wide, -1);
    // Each thread takes one run of rows, so that merging in thread order prefers the smaller row on a tie.
    const std::size_t strips = padded(rows.count, hot().strip) / hot().strip;
    on_threads(threads, [&](std::size_t thread) {
        const std::size_t begin = strips * thread / threads * hot().strip;
        const std::size_t end = std::min(strips * (thread + 1) / threads * hot().strip, rows.count);
        if (begin < end)
            hot().search(search, begin, end, {found.row_cosine.data(), found.row_index.data()},
                         {found.column_cosine.data() + thread * wide, found.column_index.data() + thread * wide});
    });
    for (std::size_t thread = 1; thread < threads; ++thread)
        for (std::size_t at = 0; at < columns.count; ++at)
            if (found.column_cosine[thread * wide + at] > found.column_cosine[at]) {
                found.column_cosine[at] = found.column_cosine[thread * wide + at];
                found.column_index[at] = found.column_index[thread * wide + at];
            }
    // An excluded candidate was offered at the floor and so never taken; its index is still −1.
}

}  // namespace calque
