// What the binding's files share: arrays, checks, and strings held while other threads may run.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <vector>

#include "text.hpp"
#include "unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calque {

template <class T, std::size_t N>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
using Matrix = Array<float, 2>;
using ConstMatrix = Array<const float, 2>;
using Offsets = Array<const std::uint64_t, 1>;
using Ids = nb::ndarray<nb::numpy, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Array<T, 1> to_numpy(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* at) noexcept { delete static_cast<std::vector<T>*>(at); });
    return Array<T, 1>(owned->data(), {owned->size()}, owner);
}

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

inline void require_threads(std::size_t threads) { require(threads > 0, "threads must be 1 or more"); }

// Holds on to the strings while other threads may run: the list could be changed, a string cannot.
class Texts {
  public:
    explicit Texts(nb::list list) {
        reserve(nb::len(list));
        for (nb::handle text : list) add(text.ptr());
    }

    // One side of rows, which are tuples.
    Texts(nb::list rows, std::size_t side) {
        reserve(nb::len(rows));
        for (nb::handle row : rows) {
            require(PyTuple_Check(row.ptr()) && static_cast<std::size_t>(PyTuple_GET_SIZE(row.ptr())) > side,
                    "rows must be tuples with that side");
            add(PyTuple_GET_ITEM(row.ptr(), static_cast<Py_ssize_t>(side)));
        }
    }

    std::vector<Text> views;

  private:
    void reserve(std::size_t size) {
        owned_.reserve(size);
        views.reserve(size);
    }

    void add(PyObject* text) {
        require(PyUnicode_Check(text), "texts must be str");
        views.push_back({PyUnicode_DATA(text), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)),
                         static_cast<unsigned char>(PyUnicode_KIND(text)), PyUnicode_IS_ASCII(text) != 0});
        owned_.push_back(nb::borrow(text));
    }

    std::vector<nb::object> owned_;
};

void bind_scan(nb::module_& module);
void bind_text(nb::module_& module);
void bind_alignment(nb::module_& module);

}  // namespace calque
