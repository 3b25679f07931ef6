// Memory for large tables that are read at random: aligned, and in huge pages where the system has them, since a row
// read at random would otherwise cost a walk through the page table as well.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calque {

template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) { grow(size); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(); }

    // Keeps what is there; new elements hold nothing in particular, or zero.
    void grow(std::size_t size, bool zeroed = false) {
        if (size <= size_) return;
        constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21;
        std::size_t bytes = size * sizeof(T);
        const std::align_val_t alignment{bytes >= HUGE_PAGE ? HUGE_PAGE : 64};
        bytes = (bytes + std::size_t(alignment) - 1) / std::size_t(alignment) * std::size_t(alignment);
        void* fresh = ::operator new(bytes, alignment);  // Windows has no aligned_alloc
#ifdef __linux__
        if (bytes >= HUGE_PAGE) madvise(fresh, bytes, MADV_HUGEPAGE);
#endif
        if (zeroed) std::memset(fresh, 0, bytes);
        if (size_) std::memcpy(fresh, data_, size_ * sizeof(T));
        release();
        data_ = static_cast<T*>(fresh);
        size_ = size;
        alignment_ = alignment;
    }

    void swap(Buffer& other) {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(alignment_, other.alignment_);
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t at) { return data_[at]; }
    const T& operator[](std::size_t at) const { return data_[at]; }

  private:
    void release() { ::operator delete(data_, alignment_); }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::align_val_t alignment_{64};
};

}  // namespace calque
