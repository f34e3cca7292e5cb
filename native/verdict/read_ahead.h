// Chunks of a capture, decoded ahead of use by several threads: verifying and decompressing is slower than a device's
// memory, and contents are read from front to back.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "archive/capture/reader.h"

namespace kernloop::replay {

class ReadAhead {
 public:
  // Uses as many threads as the machine has, up to a bound. They start when there is something to read ahead.
  explicit ReadAhead(const archive::Reader& reader, size_t max_threads = 8);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Returns chunk `index` of the view. The chunks that follow are fetched meanwhile, except for zero chunks and those
  // that `is_known` says nobody will ask for.
  Result<Buffer> take(const archive::ContentView& view, size_t index,
                      const std::function<bool(const Digest&)>& is_known);
  // Memory of a chunk that is no longer of use: fresh pages cost as much as the decoding.
  void recycle(Buffer buffer);

 private:
  struct Job {
    archive::ContentView view;
    size_t index = 0;
    bool started = false, done = false;
    std::optional<Result<Buffer>> result;
  };
  using Jobs = std::deque<std::shared_ptr<Job>>;

  Result<Buffer> read(const archive::ContentView& view, size_t index);
  std::shared_ptr<Job> find(const archive::ContentView& view, size_t index);
  void schedule(const archive::ContentView& view, size_t after, const std::function<bool(const Digest&)>& is_known);
  void work();

  const archive::Reader& reader_;
  const size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wanted_, finished_;
  Jobs jobs_;  // in the order in which they were scheduled
  std::vector<Buffer> free_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kernloop::replay
