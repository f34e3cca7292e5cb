#include "verdict/read_ahead.h"

#include <algorithm>

namespace kernloop::replay {

namespace {

// Chunks ahead for each thread: enough to keep all of them busy.
constexpr size_t kAheadPerThread = 2;

}  // namespace

ReadAhead::ReadAhead(const archive::Reader& reader, size_t max_threads)
    : reader_(reader), max_threads_(std::clamp<size_t>(std::thread::hardware_concurrency(), 1, max_threads)) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReadAhead::recycle(Buffer buffer) {
  if (buffer.empty()) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(buffer));
}

Result<Buffer> ReadAhead::read(const archive::ContentView& view, size_t index) {
  Buffer raw;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      raw = std::move(free_.back());
      free_.pop_back();
    }
  }
  raw.resize(reader_.chunk_size(view, index));
  if (auto done = reader_.read_chunk(view, index, raw); !done) return done.error();
  return raw;
}

std::shared_ptr<ReadAhead::Job> ReadAhead::find(const archive::ContentView& view, size_t index) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const std::shared_ptr<Job>& job) {
    return job->view.content == view.content && job->index == index;
  });
  return found != jobs_.end() ? *found : nullptr;
}

Result<Buffer> ReadAhead::take(const archive::ContentView& view, size_t index,
                               const std::function<bool(const Digest&)>& is_known) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Job> job = find(view, index);
  schedule(view, index, is_known);
  if (job) std::erase(jobs_, job);
  if (!job || !job->started) {
    lock.unlock();
    return read(view, index);
  }
  finished_.wait(lock, [&] { return job->done; });
  return std::move(*job->result);
}

void ReadAhead::schedule(const archive::ContentView& view, size_t after,
                         const std::function<bool(const Digest&)>& is_known) {
  const size_t limit = max_threads_ * kAheadPerThread;
  const auto& chunks = view.content->chunks;
  size_t added = 0;
  for (size_t i = after + 1; i < chunks.size() && i <= after + limit; ++i) {
    if (!chunks[i] || find(view, i) || is_known(*chunks[i])) continue;
    auto job = std::make_shared<Job>();
    job->view = view;
    job->index = i;
    jobs_.push_back(std::move(job));
    ++added;
  }
  // Two contents may be read in turn. Older jobs that were never asked for are given up.
  while (jobs_.size() > 2 * limit + 1) jobs_.pop_front();
  if (added == 0) return;
  while (threads_.size() < std::min(max_threads_, jobs_.size())) threads_.emplace_back([this] { work(); });
  wanted_.notify_all();
}

void ReadAhead::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::shared_ptr<Job> job;
    wanted_.wait(lock, [&] {
      const auto next = std::find_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return !job->started; });
      job = next != jobs_.end() ? *next : nullptr;
      return stopping_ || job;
    });
    if (stopping_) return;
    job->started = true;
    lock.unlock();
    auto result = read(job->view, job->index);
    lock.lock();
    job->result = std::move(result);
    job->done = true;
    finished_.notify_all();
  }
}

}  // namespace kernloop::replay
