// Text for Python: strings made from blocks of files, and what cleaning must know of them.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <future>

#include "bind.hpp"
#include "cells.hpp"
#include "measure.hpp"
#include "seen.hpp"
#include "threads.hpp"

namespace calque {
namespace {

PyObject* to_string(const Cell& cell) {
    PyObject* made = PyUnicode_New(cell.characters, cell.largest);
    if (!made) throw nb::python_error();
    std::memcpy(PyUnicode_DATA(made), cell.data, cell.bytes());
    return made;
}

// An instance of a named tuple, filled without calling into Python.
PyObject* to_row(PyTypeObject* type, const Cell* cells, std::size_t count) {
    PyObject* row = type->tp_alloc(type, static_cast<Py_ssize_t>(count));
    if (!row) throw nb::python_error();
    nb::object owner = nb::steal(row);
    for (std::size_t at = 0; at < count; ++at) PyTuple_SET_ITEM(row, at, to_string(cells[at]));
    PyObject_GC_UnTrack(row);  // strings cannot make a cycle
    return owner.release().ptr();
}

void require_tuple(PyTypeObject* type) {
    require(PyType_IsSubtype(type, &PyTuple_Type) && type->tp_basicsize == PyTuple_Type.tp_basicsize &&
                type->tp_itemsize == PyTuple_Type.tp_itemsize && type->tp_dictoffset == 0,
            "row must be tuple or a NamedTuple");
}

nb::object as_object(const Problem& problem) {
    return problem.fault == Fault::none ? nb::none() : nb::cast(problem);
}

nb::list made(std::size_t size) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(size));
    if (!list) throw nb::python_error();
    return nb::steal<nb::list>(list);
}

nb::tuple split_lines(nb::bytearray block, std::size_t end) {
    require(end <= block.size(), "end lies behind the block");
    Cells found;
    {
        const Unlocked unlocked;
        found.find(static_cast<const char*>(block.data()), end, {});
    }
    nb::list lines = made(found.lines);
    for (std::size_t at = 0; at < found.lines; ++at) PyList_SET_ITEM(lines.ptr(), at, to_string(found.cells[at]));
    return nb::make_tuple(lines, as_object(found.problem));
}

// Rows of a file, block by block: while the strings of one block are made, another thread finds the next block's cells.
class RowSplitter {
  public:
    RowSplitter(nb::type_object row, std::vector<std::size_t> columns, std::size_t exactly)
        : row_(row), columns_{std::move(columns), exactly} {
        require(!columns_.chosen.empty(), "no columns");
        require_tuple(type());
    }

    // Begins to look through a block; `take` gives the rows of the one before until there are no more.
    void push(nb::bytearray block, std::size_t end) {
        require(end <= block.size(), "end lies behind the block");
        {
            const Unlocked unlocked;
            if (looking_.valid()) looking_.get();
        }
        std::swap(now_, next_);
        taken_ = 0;
        next_.block = std::move(block);
        looking_ = std::async(std::launch::async, [this, end, data = static_cast<const char*>(next_.block.data())] {
            next_.cells.find(data, end, columns_);
        });
    }

    nb::list take(std::size_t most) {
        const std::size_t count = std::min(most, now_.cells.lines - taken_), width = columns_.chosen.size();
        const Cell* cells = now_.cells.cells.data() + taken_ * width;
        nb::list rows = made(count);
        for (std::size_t at = 0; at < count; ++at) PyList_SET_ITEM(rows.ptr(), at, to_row(type(), cells + at * width, width));
        taken_ += count;
        return rows;
    }

    std::size_t lines() const { return now_.cells.lines; }
    nb::object problem() const { return as_object(now_.cells.problem); }

  private:
    struct Found {
        nb::bytearray block{"", 0};  // kept alive while its cells are in use
        Cells cells;
    };

    PyTypeObject* type() const { return reinterpret_cast<PyTypeObject*>(row_.ptr()); }

    nb::type_object row_;
    Columns columns_;
    Found now_, next_;
    std::size_t taken_ = 0;
    std::future<void> looking_;  // destroyed first: it waits for its thread
};

bool is_blank(PyObject* text) {
    require(PyUnicode_Check(text), "texts must be str");
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    const auto kind = PyUnicode_KIND(text);
    const void* data = PyUnicode_DATA(text);
    for (Py_ssize_t at = 0; at < length; ++at)
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at))) return false;
    return true;
}

// The rows without those of which a side is blank: the list itself, if there are none.
nb::list without_blank(nb::list rows) {
    const auto blank = [](nb::handle row) {
        require(PyTuple_Check(row.ptr()), "rows must be tuples");
        for (Py_ssize_t side = 0; side < PyTuple_GET_SIZE(row.ptr()); ++side)
            if (is_blank(PyTuple_GET_ITEM(row.ptr(), side))) return true;
        return false;
    };
    if (std::none_of(rows.begin(), rows.end(), blank)) return rows;
    nb::list kept;
    for (nb::handle row : rows)
        if (!blank(row)) kept.append(row);
    return kept;
}

Array<std::uint8_t, 2> measure_side(nb::list rows, std::size_t side, Array<const std::uint16_t, 1> kinds,
                                    Array<const std::uint32_t, 1> small, std::uint32_t scripts,
                                    std::uint32_t wide_scripts, std::size_t threads) {
    require_threads(threads);
    require(kinds.shape(0) == small.shape(0), "one small counterpart a character");
    const Texts texts(rows, side);
    const Characters table{kinds.data(), small.data(), kinds.shape(0)};
    auto* found = new std::vector<Measures>(texts.views.size());
    nb::capsule owner(found, [](void* at) noexcept { delete static_cast<std::vector<Measures>*>(at); });
    {
        const Unlocked unlocked;
        in_pieces(threads, found->size(), 256, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; ++at)
                (*found)[at] = measure(texts.views[at], table, scripts, wide_scripts);
        });
    }
    return {reinterpret_cast<std::uint8_t*>(found->data()), {found->size(), sizeof(Measures)}, owner};
}

Array<bool, 1> add_seen(Seen& seen, Array<const std::uint64_t, 1> hashes) {
    auto* known = new bool[hashes.shape(0)];
    nb::capsule owner(known, [](void* at) noexcept { delete[] static_cast<bool*>(at); });
    {
        const Unlocked unlocked;
        seen.add(hashes.data(), hashes.shape(0), known);
    }
    return {known, {hashes.shape(0)}, owner};
}

}  // namespace

void bind_text(nb::module_& module) {
    nb::class_<Problem>(module, "Problem")
        .def_prop_ro("utf8", [](const Problem& problem) { return problem.fault == Fault::utf8; })
        .def_ro("line", &Problem::line)
        .def_ro("detail", &Problem::detail)
        .def_ro("byte", &Problem::byte);
    module.def("split_lines", &split_lines, "block"_a, "end"_a,
               "The lines of block[:end] as strings, and what is wrong with the first that is not UTF-8.");
    module.def("without_blank", &without_blank, "rows"_a, "The rows that have something other than white space on every side.");
    module.def("measure", &measure_side, "rows"_a, "side"_a, "kinds"_a, "small"_a, "scripts"_a, "wide_scripts"_a,
               "threads"_a, "The bytes of one Measures a row: see measure.hpp.");
    nb::class_<Seen>(module, "Seen")
        .def("__init__", [](Seen* seen, std::size_t most_slots) {
            require(most_slots && (most_slots & (most_slots - 1)) == 0, "most_slots must be a power of two");
            new (seen) Seen(most_slots);
        }, "most_slots"_a)
        .def("add", &add_seen, "hashes"_a)
        .def_prop_ro("forgotten", &Seen::forgotten);
    nb::class_<RowSplitter>(module, "RowSplitter")
        .def(nb::init<nb::type_object, std::vector<std::size_t>, std::size_t>(), "row"_a, "columns"_a, "exactly"_a)
        .def("push", &RowSplitter::push, "block"_a, "end"_a)
        .def("take", &RowSplitter::take, "most"_a)
        .def_prop_ro("lines", &RowSplitter::lines)
        .def_prop_ro("problem", &RowSplitter::problem);
}

}  // namespace calque
