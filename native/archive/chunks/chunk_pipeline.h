// Takes chunks in order and works on many at a time: zero chunks are dropped, the others hashed, found to be repeated
// or compressed where it pays, and written, on as many threads as the machine offers. The order of stored chunks does
// not depend on the threads: distinct chunks are placed in the order in which they were first put.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "archive/chunks/chunk_buffer.h"

namespace kernloop::archive {

// A distinct chunk as it is stored.
struct StoredChunk {
  Digest digest;
  uint32_t raw_bytes = 0;
  Encoding encoding = Encoding::kRaw;
  Bytes stored;
  uint64_t place = 0;  // the destination's own
};

class ChunkDestination {
 public:
  virtual ~ChunkDestination() = default;
  // Sets `chunk.place`. Called once for each distinct chunk, in order, never two at a time, but while others are
  // written.
  virtual void place(StoredChunk& chunk) = 0;
  // From any thread.
  virtual Status write(const StoredChunk& chunk) = 0;
};

struct PipelineOptions {
  uint32_t threads = 0;                     // 0: one a core, up to 16, and some for the disk
  uint64_t in_flight_bytes = 256ull << 20;  // chunks that were put and are not written yet
};

class ChunkPipeline {
 public:
  using Ticket = size_t;

  ChunkPipeline(PipelineOptions options, ChunkDestination& destination);
  // Chunks that are not written yet are dropped.
  ~ChunkPipeline();
  ChunkPipeline(const ChunkPipeline&) = delete;
  ChunkPipeline& operator=(const ChunkPipeline&) = delete;

  // Memory for the next chunk: reused from a written one, if there is any.
  ChunkBuffer buffer();
  // Waits while too much is in flight. An error is that of any earlier chunk.
  Result<Ticket> put(ChunkBuffer chunk);
  // Waits until everything is written.
  Status settle();
  // The chunk's name, once settled.
  ChunkName name(Ticket ticket) const;

  uint64_t bytes_raw() const;
  uint64_t peak_in_flight_bytes() const;

 private:
  struct Chunk {
    StoredChunk stored;
    ChunkBuffer raw;    // while it is in flight as it is
    Buffer compressed;  // while it is in flight compressed
    bool encoded = false, placed = false;
    uint64_t in_flight = 0;
  };
  struct Job {
    Ticket ticket = 0;
    ChunkBuffer raw;
  };
  enum class Stage { kQueued, kZero, kNamed };
  struct Entry {
    Stage stage = Stage::kQueued;
    Chunk* chunk = nullptr;
  };

  void work();
  void prepare(std::unique_lock<std::mutex>& lock);
  Chunk* enter(Job& job, const ChunkName& name);
  void encode(std::unique_lock<std::mutex>& lock, Job& job, Chunk& chunk);
  void write(std::unique_lock<std::mutex>& lock, Chunk& chunk);
  void place_in_order();
  void recycle(ChunkBuffer buffer);
  void fail(const Error& error);
  bool idle() const { return jobs_.empty() && writes_.empty() && busy_ == 0; }

  const uint64_t limit_;
  const size_t thread_count_;
  ChunkDestination& destination_;
  mutable std::mutex mutex_;
  std::condition_variable work_, changed_;
  std::deque<Job> jobs_;
  std::deque<Chunk*> writes_;
  std::vector<Entry> entries_;  // by ticket
  Ticket next_placed_ = 0;      // all before it have been placed
  std::unordered_map<Digest, std::unique_ptr<Chunk>, DigestHash> chunks_;
  std::vector<ChunkBuffer> spare_;
  uint64_t bytes_raw_ = 0, in_flight_ = 0, peak_ = 0;
  size_t busy_ = 0;
  bool stop_ = false;
  std::optional<Error> failure_;
  std::vector<std::thread> threads_;
};

}  // namespace kernloop::archive
