// A block that runs without the interpreter's lock, so that other Python threads can run meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace calque {

// Python before 3.14 ends a thread that asks for the lock while the interpreter shuts down: with glibc, that unwinds the
// stack through this destructor and aborts the process, and anything else that ran on the way would use Python objects
// without the lock. Such a thread waits here instead, until the process has ended.
class Unlocked {
  public:
    Unlocked() noexcept : state_(PyEval_SaveThread()) {}
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

    ~Unlocked() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }

  private:
    PyThreadState* const state_;
};

}  // namespace calque
