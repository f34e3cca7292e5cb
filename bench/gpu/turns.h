// Processes that take turns, so that whatever slows the machine for a while slows them all alike.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

class Turns {
 public:
  // `path`: a file of at least kBytes zero bytes, the same for all; `index` of `count` is this process.
  Turns(const char* path, uint32_t index, uint32_t count) : index_(index), count_(count) {
    const int file = open(path, O_RDWR);
    void* page = file >= 0 ? mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (page == MAP_FAILED) fail("the file of the turns cannot be mapped");
    shared_ = static_cast<Shared*>(page);
  }
  static constexpr size_t kBytes = 4096;

  // Once each is ready to go. Before that, it takes no turn.
  void ready() {
    shared_->ready.fetch_add(1);
    wait_until([this] { return shared_->ready.load() == count_; });
  }
  void take() {
    wait_until([this] { return shared_->turn.load() % count_ == index_; });
  }
  void pass() { shared_->turn.fetch_add(1); }

 private:
  struct Shared {
    std::atomic<uint32_t> ready, turn;
  };
  static_assert(std::atomic<uint32_t>::is_always_lock_free, "shared between processes");

  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
  }
  template <typename Condition>
  static void wait_until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > limit) fail("another process did not pass its turn on");
      usleep(100);
    }
  }

  const uint32_t index_, count_;
  Shared* shared_ = nullptr;
};
