// The binding of path.hpp.
#include <algorithm>

#include "bind.hpp"
#include "path.hpp"

namespace calque {
namespace {

using Numbers = Array<const std::int64_t, 1>;

// Whatever the search reads or writes must lie inside: rows follow each other in the flat arrays.
void check_rows(const Numbers& first, const Numbers& last, const Numbers& offsets, std::size_t begin, std::size_t end,
                std::size_t nodes) {
    const auto inside = [most = static_cast<std::int64_t>(nodes)](std::int64_t at) { return at >= 0 && at <= most; };
    require(inside(offsets(begin)) && inside(offsets(end)), "one total and one step a node");
    for (std::size_t row = begin; row < end; ++row) {
        require(first(row) >= 0 && last(row) >= first(row), "a row of a band holds at least one node");
        require(inside(offsets(row + 1)) && offsets(row + 1) - offsets(row) - 1 == last(row) - first(row),
                "a band's offsets do not fit its rows");
    }
}

void advance_rows(Numbers first, Numbers last, Numbers offsets, Array<const std::int64_t, 2> shapes, ConstMatrix costs,
                  double skip, std::size_t begin, std::size_t end, Array<double, 1> total, Array<std::uint8_t, 1> step) {
    require(step.shape(0) == total.shape(0), "one total and one step a node");
    const std::size_t rows = first.shape(0);
    require(last.shape(0) == rows && offsets.shape(0) == rows + 1, "a band has one first and last a row");
    require(begin <= end && end <= rows, "no such rows");
    require(shapes.shape(1) == 2 && shapes.shape(0) == costs.shape(0) && shapes.shape(0) <= MOST_SHAPES,
            "one row of costs a shape");
    std::size_t reach = 1;
    for (std::size_t at = 0; at < shapes.shape(0); ++at) {
        require(shapes(at, 0) > 0 && shapes(at, 1) > 0, "a block holds sentences of both documents");
        reach = std::max(reach, static_cast<std::size_t>(shapes(at, 0)));
    }
    check_rows(first, last, offsets, begin > reach ? begin - reach : 0, end, total.shape(0));
    require(static_cast<std::int64_t>(costs.shape(1)) == offsets(end) - offsets(begin), "one cost a node and shape");
    const Band band{first.data(), last.data(), offsets.data()};
    const Blocks blocks{shapes.data(), static_cast<std::int64_t>(shapes.shape(0)), costs.data(),
                        static_cast<std::int64_t>(costs.shape(1))};
    const Unlocked unlocked;
    advance(band, blocks, skip, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end), total.data(),
            step.data());
}

}  // namespace

void bind_alignment(nb::module_& module) {
    module.attr("SKIP_SOURCE") = SKIP_SOURCE;
    module.attr("SKIP_TARGET") = SKIP_TARGET;
    module.def("advance", &advance_rows, "first"_a, "last"_a, "offsets"_a, "shapes"_a, "costs"_a, "skip"_a, "begin"_a,
               "end"_a, "total"_a.noconvert(), "step"_a.noconvert(),
               "The cheapest way to each node of some rows of a band, from the rows before, in place.");
}

}  // namespace calque
