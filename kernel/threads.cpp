#include "threads.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace calque {
namespace {

// On a busy machine a spinning thread keeps the one it waits for from running, so it soon yields.
constexpr int SPINS = 2000;

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

class Pool {
  public:
    void run(std::size_t count, const std::function<void(std::size_t)>& work) {
        const std::lock_guard<std::mutex> one_job(job_);
        while (helpers_.size() + 1 < count) start_helper();
        {
            const std::lock_guard<std::mutex> lock(state_);
            work_ = &work;
            wanted_ = count;
            running_ = count - 1;
            ++round_;
        }
        wake_.notify_all();
        attempt(work, 0);
        std::unique_lock<std::mutex> lock(state_);
        done_.wait(lock, [this] { return running_ == 0; });
        work_ = nullptr;
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

  private:
    void attempt(const std::function<void(std::size_t)>& work, std::size_t index) {
        try {
            work(index);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(state_);
            thrown_ = std::current_exception();
        }
    }

    void start_helper() {
        const std::size_t index = helpers_.size() + 1;
        std::size_t seen;
        {
            const std::lock_guard<std::mutex> lock(state_);
            seen = round_;
        }
        helpers_.emplace_back([this, index, seen] { serve(index, seen); });
        helpers_.back().detach();  // lives as long as the process
    }

    void serve(std::size_t index, std::size_t seen) {
        for (;;) {
            const std::function<void(std::size_t)>* work = nullptr;
            {
                std::unique_lock<std::mutex> lock(state_);
                wake_.wait(lock, [&] { return round_ != seen; });
                seen = round_;
                if (index >= wanted_) continue;
                work = work_;
            }
            attempt(*work, index);
            const std::lock_guard<std::mutex> lock(state_);
            if (--running_ == 0) done_.notify_one();
        }
    }

    std::mutex job_, state_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> helpers_;
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::size_t wanted_ = 0, running_ = 0, round_ = 0;
    std::exception_ptr thrown_;
};

std::atomic<Pool*> current{nullptr};

Pool& pool() {
    static const bool watched = [] {
#ifndef _WIN32
        // A forked child has none of its parent's threads, and its copy of their locks may be held for ever: leave it
        // behind.
        pthread_atfork(nullptr, nullptr, [] { current.store(nullptr); });
#endif
        return true;
    }();
    (void)watched;
    Pool* made = current.load();
    if (!made) {
        Pool* fresh = new Pool;
        if (current.compare_exchange_strong(made, fresh))
            made = fresh;
        else
            delete fresh;
    }
    return *made;
}

}  // namespace

void on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    if (count <= 1)
        work(0);
    else
        pool().run(count, work);
}

void Barrier::wait() {
    const std::size_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
        arrived_.store(0, std::memory_order_relaxed);
        round_.store(round + 1, std::memory_order_release);
        return;
    }
    for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
        if (spins < SPINS)
            pause();
        else
            std::this_thread::yield();
    }
}

}  // namespace calque
