#include "meet.hpp"

#include <limits>
#include <vector>

#include "buffer.hpp"
#include "threads.hpp"

namespace calque {
namespace {

constexpr float BELOW_ANY_COSINE = -2;

// What one thread has found for the columns. Its rows lie between those of its neighbours.
struct OwnColumns {
    std::vector<float> cosine, floors;
    std::vector<std::int32_t> index;

    OwnColumns(const Top& kept, std::size_t first, std::size_t count, std::size_t padded)
        : cosine(count * kept.k, BELOW_ANY_COSINE),
          floors(padded, std::numeric_limits<float>::infinity()),
          index(count * kept.k, -1) {
        for (std::size_t column = 0; column < count; ++column)
            floors[column] = kept.cosine[(first + column) * kept.k + kept.k - 1];
    }
};

void add(const OwnColumns& own, std::size_t column, std::size_t to, const Top& kept) {
    for (std::size_t at = column * kept.k; at < (column + 1) * kept.k && own.index[at] >= 0; ++at) {
        float* best = kept.cosine + to * kept.k;
        std::int32_t* index = kept.index + to * kept.k;
        std::size_t place = kept.k - 1;
        if (!(own.cosine[at] > best[place])) return;  // what follows is no better
        for (; place > 0 && own.cosine[at] > best[place - 1]; --place) {
            best[place] = best[place - 1];
            index[place] = index[place - 1];
        }
        best[place] = own.cosine[at];
        index[place] = own.index[at];
    }
}

}  // namespace

void meet(const Meeting& meeting, const Top& rows, const Top& columns, std::size_t threads) {
    if (!meeting.row_count || !meeting.column_count) return;
    const std::size_t tile = hot().columns_a_tile, tiles = (meeting.column_count + tile - 1) / tile;
    const std::size_t tile_bytes = hot().column_tile_bytes(meeting.depth);
    Buffer<char> packed(tiles * tile_bytes);
    in_pieces(threads, tiles, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at)
            hot().pack_columns(meeting.columns, meeting.column_count, meeting.depth, at,
                               packed.data() + at * tile_bytes);
    });
    const FusedBlock block{meeting.rows,         meeting.columns,   packed.data(),       meeting.depth,
                           meeting.column_count, meeting.first_row, meeting.first_column};
    std::vector<OwnColumns> own(threads, {columns, meeting.first_column, meeting.column_count, tiles * tile});
    const std::size_t share = (meeting.row_count + threads - 1) / threads;
    on_threads(threads, [&](std::size_t thread) {
        const std::size_t begin = thread * share;
        const std::size_t end = begin + share < meeting.row_count ? begin + share : meeting.row_count;
        if (begin >= end) return;
        Buffer<char> scratch(hot().row_scratch_bytes(meeting.depth));
        OwnColumns& mine = own[thread];
        hot().meet(block, begin, end, rows, Top{mine.cosine.data(), mine.index.data(), columns.k}, mine.floors.data(),
                   scratch.data());
    });
    in_pieces(threads, meeting.column_count, 256, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t column = begin; column < end; ++column)
            for (const OwnColumns& each : own) add(each, column, meeting.first_column + column, columns);
    });
}

}  // namespace calque
