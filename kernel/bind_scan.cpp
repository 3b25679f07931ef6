// One-way search for Python: codes of vectors, the scan, and what the product of whole blocks needs beside it.
#include "bind.hpp"

#include <nanobind/stl/optional.h>

#include "scan.hpp"
#include "threads.hpp"

namespace calque {
namespace {

using Codes = Array<const std::int8_t, 2>;
using Indices = Array<std::int32_t, 2>;

constexpr std::size_t ABOUT = sizeof(CodedRow) / sizeof(float);

void require_codes(std::size_t rows, std::size_t depth, std::size_t coded_rows, std::size_t width,
                   std::size_t about_rows, std::size_t about_columns) {
    require(depth > 0 && depth <= WIDEST, "vectors need 1 to 8192 columns");
    require(rows <= 0x7FFFFFFF, "at most 2³¹ − 1 rows");
    require(coded_rows == rows && width >= depth && width % TILE == 0, "codes have a row a vector, in multiples of 16");
    require(about_rows == rows && about_columns == ABOUT, "three numbers about each vector");
}

void code_rows(ConstMatrix vectors, Array<std::int8_t, 2> codes, Matrix about, std::size_t threads) {
    require_threads(threads);
    require_codes(vectors.shape(0), vectors.shape(1), codes.shape(0), codes.shape(1), about.shape(0), about.shape(1));
    const std::size_t depth = vectors.shape(1), width = codes.shape(1);
    auto* rows = reinterpret_cast<CodedRow*>(about.data());
    const Unlocked unlocked;
    in_pieces(threads, vectors.shape(0), 256, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            hot().code_row(vectors.data() + row * depth, depth, width, codes.data() + row * width, rows + row);
    });
}

void scan_rows(ConstMatrix queries, ConstMatrix vectors, Codes codes, ConstMatrix about,
               std::optional<Array<const std::uint8_t, 1>> deleted, Matrix cosine, Indices index,
               std::size_t threads) {
    require_threads(threads);
    require_codes(vectors.shape(0), vectors.shape(1), codes.shape(0), codes.shape(1), about.shape(0), about.shape(1));
    require(queries.shape(1) == vectors.shape(1), "queries and vectors differ in width");
    require(!deleted || deleted->shape(0) == vectors.shape(0), "a mark a vector");
    require(cosine.shape(0) == queries.shape(0) && index.shape(0) == queries.shape(0) &&
                cosine.shape(1) == index.shape(1) && cosine.shape(1) > 0,
            "k places a query");
    const Scanned rows{{codes.data(), reinterpret_cast<const CodedRow*>(about.data()), codes.shape(1)},
                       vectors.data(), deleted ? deleted->data() : nullptr, vectors.shape(0), vectors.shape(1)};
    const Unlocked unlocked;
    scan(rows, queries.data(), queries.shape(0), cosine.shape(1), threads, cosine.data(), index.data());
}

void offer_one_way(ConstMatrix cosines, std::size_t first_column, Matrix cosine, Indices index, std::size_t threads) {
    require_threads(threads);
    require(cosine.shape(0) == cosines.shape(0) && index.shape(0) == cosine.shape(0) &&
                index.shape(1) == cosine.shape(1) && cosine.shape(1) > 0,
            "k places a row");
    const CosineBlock block{cosines.data(), cosines.shape(0), cosines.shape(1), 0, first_column};
    const Top rows{cosine.data(), index.data(), cosine.shape(1)};
    const Unlocked unlocked;
    in_pieces(threads, block.rows, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
        hot().offer_rows(block, begin, end, rows);
    });
}

void exact_products(ConstMatrix queries, ConstMatrix vectors, Array<const std::int32_t, 2> index, Matrix out,
                    std::size_t threads) {
    require_threads(threads);
    require(queries.shape(1) == vectors.shape(1), "queries and vectors differ in width");
    require(index.shape(0) == queries.shape(0) && out.shape(0) == index.shape(0) && out.shape(1) == index.shape(1),
            "one product an index");
    const std::size_t depth = vectors.shape(1), k = index.shape(1);
    const auto rows = static_cast<std::int64_t>(vectors.shape(0));
    for (std::size_t at = 0; at < index.size(); ++at)
        require(index.data()[at] >= -1 && index.data()[at] < rows, "no such vector");
    const Unlocked unlocked;
    in_pieces(threads, index.shape(0), 4, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin * k; at < end * k; ++at)
            if (index.data()[at] >= 0)
                out.data()[at] = exact_product(queries.data() + at / k * depth,
                                               vectors.data() + index.data()[at] * depth, depth);
    });
}

}  // namespace

void bind_scan(nb::module_& module) {
    module.def("code_rows", &code_rows, "vectors"_a, "codes"_a.noconvert(), "about"_a.noconvert(), "threads"_a,
               "8-bit codes of each vector, and their scale, error and length.");
    module.def("scan", &scan_rows, "queries"_a, "vectors"_a.noconvert(), "codes"_a.noconvert(), "about"_a.noconvert(),
               "deleted"_a.none(), "cosine"_a.noconvert(), "index"_a.noconvert(), "threads"_a,
               "The nearest vectors to each query, exactly.");
    module.def("offer_one_way", &offer_one_way, "cosines"_a, "first_column"_a, "cosine"_a.noconvert(),
               "index"_a.noconvert(), "threads"_a, "Keeps the best of each row of a block of cosines, in place.");
    module.def("exact_products", &exact_products, "queries"_a, "vectors"_a.noconvert(), "index"_a, "out"_a.noconvert(),
               "threads"_a, "Each query's product with the vectors that its row of `index` names; −1 names none.");
}

}  // namespace calque
