#include "archive/chunks/chunk_pipeline.h"

#include <algorithm>
#include <array>
#include <exception>

#include "base/sha256_pair.h"

namespace kernloop::archive {
namespace {

constexpr uint32_t kMaxComputing = 16;  // more than any disk needs
constexpr uint32_t kWaiting = 8;        // for the disk, while the others compute

uint32_t threads_of(const PipelineOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMaxComputing) + kWaiting;
}

// Names of two chunks, or of one and nothing: none if all bytes are zero.
std::array<ChunkName, 2> names_of(Bytes first, Bytes second) {
  const bool is_zero[2] = {is_all_zero(first), is_all_zero(second)};
  if (!is_zero[0] && !is_zero[1]) {
    const auto digests = sha256_pair(first, second);
    return {digests[0], digests[1]};
  }
  return {is_zero[0] ? ChunkName() : sha256(first), is_zero[1] ? ChunkName() : sha256(second)};
}

}  // namespace

ChunkPipeline::ChunkPipeline(PipelineOptions options, ChunkDestination& destination)
    : limit_(options.in_flight_bytes), thread_count_(threads_of(options)), destination_(destination) {
  for (size_t i = 0; i < thread_count_; ++i) threads_.emplace_back([this] { work(); });
}

ChunkPipeline::~ChunkPipeline() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

ChunkBuffer ChunkPipeline::buffer() {
  {
    std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      ChunkBuffer buffer = std::move(spare_.back());
      spare_.pop_back();
      return buffer;
    }
  }
  return ChunkBuffer(kChunkBytes);
}

Result<ChunkPipeline::Ticket> ChunkPipeline::put(ChunkBuffer chunk) {
  if (chunk.empty()) return Error{"NATIVE_FAILED", "an empty chunk was put into a capture", "report this"};
  // Memory held equals memory counted: a small chunk gets a buffer of its own size.
  if (chunk.bytes().size() <= chunk.capacity() / 2) {
    ChunkBuffer small(chunk.bytes().size());
    small.append(chunk.bytes());
    std::swap(chunk, small);
    std::lock_guard lock(mutex_);
    recycle(std::move(small));
  }
  std::unique_lock lock(mutex_);
  const uint64_t bytes = chunk.capacity();
  changed_.wait(lock, [&] { return failure_ || in_flight_ == 0 || in_flight_ + bytes <= limit_; });
  if (failure_) return *failure_;
  in_flight_ += bytes;
  peak_ = std::max(peak_, in_flight_);
  bytes_raw_ += chunk.bytes().size();
  const Ticket ticket = entries_.size();
  entries_.push_back({});
  jobs_.push_back({ticket, std::move(chunk)});
  work_.notify_one();
  return ticket;
}

Status ChunkPipeline::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || idle(); });
  if (failure_) return *failure_;
  return Unit{};
}

ChunkName ChunkPipeline::name(Ticket ticket) const {
  std::lock_guard lock(mutex_);
  const Entry& entry = entries_.at(ticket);
  return entry.stage == Stage::kNamed ? ChunkName(entry.chunk->stored.digest) : ChunkName();
}

uint64_t ChunkPipeline::bytes_raw() const {
  std::lock_guard lock(mutex_);
  return bytes_raw_;
}

uint64_t ChunkPipeline::peak_in_flight_bytes() const {
  std::lock_guard lock(mutex_);
  return peak_;
}

void ChunkPipeline::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stop_ || !writes_.empty() || !jobs_.empty(); });
    if (stop_) return;
    ++busy_;
    try {
      // Writes first: they free memory.
      if (!writes_.empty()) {
        Chunk& chunk = *writes_.front();
        writes_.pop_front();
        write(lock, chunk);
      } else {
        prepare(lock);
      }
    } catch (const std::exception& error) {
      if (!lock.owns_lock()) lock.lock();
      fail({"NATIVE_FAILED", std::string("a chunk could not be written: ") + error.what(), "free some memory"});
    }
    --busy_;
    changed_.notify_all();
  }
}

// Enters and leaves with the lock, and works without it, as encode() and write() do. Takes two chunks if there are more
// than threads: two are hashed in little more than the time of one.
void ChunkPipeline::prepare(std::unique_lock<std::mutex>& lock) {
  std::array<Job, 2> jobs;
  const size_t idle = thread_count_ - busy_;
  const size_t count = jobs_.size() > idle + 1 ? 2 : 1;
  for (size_t i = 0; i < count; ++i) {
    jobs[i] = std::move(jobs_.front());
    jobs_.pop_front();
  }
  lock.unlock();
  const auto names = names_of(jobs[0].raw.bytes(), jobs[1].raw.bytes());
  lock.lock();
  std::array<Chunk*, 2> distinct{};
  for (size_t i = 0; i < count; ++i) distinct[i] = enter(jobs[i], names[i]);
  place_in_order();
  for (size_t i = 0; i < count; ++i) {
    if (distinct[i] != nullptr) encode(lock, jobs[i], *distinct[i]);
  }
}

// Null for a chunk that is zero or was put before: it needs no more work.
ChunkPipeline::Chunk* ChunkPipeline::enter(Job& job, const ChunkName& name) {
  Entry& entry = entries_[job.ticket];
  entry.stage = name ? Stage::kNamed : Stage::kZero;
  bool distinct = false;
  if (name) {
    auto [found, inserted] = chunks_.try_emplace(*name);
    if (inserted) found->second = std::make_unique<Chunk>();
    entry.chunk = found->second.get();
    entry.chunk->stored.digest = *name;
    distinct = inserted;
  }
  if (distinct) return entry.chunk;
  in_flight_ -= job.raw.capacity();
  recycle(std::move(job.raw));
  return nullptr;
}

void ChunkPipeline::encode(std::unique_lock<std::mutex>& lock, Job& job, Chunk& chunk) {
  const uint64_t held = job.raw.capacity();
  lock.unlock();
  EncodedChunk encoded = encode_chunk(job.raw.bytes());
  encoded.compressed.shrink_to_fit();
  lock.lock();
  chunk.stored.raw_bytes = encoded.raw_bytes;
  chunk.stored.encoding = encoded.encoding;
  if (encoded.encoding == Encoding::kRaw) {
    chunk.raw = std::move(job.raw);
    chunk.stored.stored = chunk.raw.bytes();
    chunk.in_flight = held;
  } else {
    chunk.compressed = std::move(encoded.compressed);
    chunk.stored.stored = chunk.compressed;
    chunk.in_flight = chunk.compressed.size();
    in_flight_ = in_flight_ - held + chunk.in_flight;
    recycle(std::move(job.raw));
  }
  chunk.encoded = true;
  place_in_order();
}

void ChunkPipeline::place_in_order() {
  for (; next_placed_ < entries_.size(); ++next_placed_) {
    const Entry& entry = entries_[next_placed_];
    if (entry.stage == Stage::kQueued) return;
    if (entry.chunk == nullptr || entry.chunk->placed) continue;
    if (!entry.chunk->encoded) return;
    destination_.place(entry.chunk->stored);
    entry.chunk->placed = true;
    writes_.push_back(entry.chunk);
    work_.notify_one();
  }
}

void ChunkPipeline::write(std::unique_lock<std::mutex>& lock, Chunk& chunk) {
  if (failure_) return;
  lock.unlock();
  const Status written = destination_.write(chunk.stored);
  lock.lock();
  if (!written) return fail(written.error());
  in_flight_ -= chunk.in_flight;
  recycle(std::move(chunk.raw));
  chunk.compressed = Buffer();
  chunk.stored.stored = {};
}

// Kept for the next chunk, as long as all that is held is not more than may be in flight.
void ChunkPipeline::recycle(ChunkBuffer buffer) {
  if (buffer.capacity() != kChunkBytes || in_flight_ + (spare_.size() + 1) * kChunkBytes > limit_) return;
  buffer.clear();
  spare_.push_back(std::move(buffer));
}

void ChunkPipeline::fail(const Error& error) {
  if (!failure_) failure_ = error;
  jobs_.clear();
  writes_.clear();
  changed_.notify_all();
}

}  // namespace kernloop::archive
