// Threads that stay: waking one costs microseconds, starting one costs tens. Made on first use, again after a fork.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace calque {

// Calls work(0) … work(count − 1), each on a thread of its own, and returns when all have. One job at a time: a second
// caller waits. What a thread throws, the caller gets; work that uses a barrier must not throw.
void on_threads(std::size_t count, const std::function<void(std::size_t)>& work);

// Cuts [0, size) into pieces of `grain` that idle threads fetch one by one.
template <class Work>  // work(thread, begin, end)
void in_pieces(std::size_t threads, std::size_t size, std::size_t grain, const Work& work) {
    std::atomic<std::size_t> next{0};
    on_threads(threads, [&](std::size_t thread) {
        for (;;) {
            const std::size_t begin = next.fetch_add(grain);
            if (begin >= size) return;
            work(thread, begin, begin + grain < size ? begin + grain : size);
        }
    });
}

// Where all threads of one job meet.
class Barrier {
  public:
    explicit Barrier(std::size_t count) : count_(count) {}
    void wait();

  private:
    const std::size_t count_;
    std::atomic<std::size_t> arrived_{0};
    std::atomic<std::size_t> round_{0};
};

}  // namespace calque
