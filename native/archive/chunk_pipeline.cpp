#include "archive/chunk_pipeline.h"

#include <algorithm>
#include <exception>

namespace kernloop::archive {
namespace {

constexpr uint32_t kMaxComputing = 16;  // far beyond what any disk takes
constexpr uint32_t kWaiting = 8;        // for the disk, while the others compute

uint32_t threads_of(const PipelineOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMaxComputing) + kWaiting;
}

}  // namespace

ChunkPipeline::ChunkPipeline(PipelineOptions options, ChunkDestination& destination)
    : limit_(options.in_flight_bytes), destination_(destination) {
  for (uint32_t i = 0; i < threads_of(options); ++i) threads_.emplace_back([this] { work(); });
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
  // What is counted is what is held: a small chunk gets memory of its own size.
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
      // Writes first: they are what gives memory back.
      if (!writes_.empty()) {
        Chunk& chunk = *writes_.front();
        writes_.pop_front();
        write(lock, chunk);
      } else {
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        prepare(lock, std::move(job));
      }
    } catch (const std::exception& error) {
      if (!lock.owns_lock()) lock.lock();
      fail({"NATIVE_FAILED", std::string("a chunk could not be written: ") + error.what(), "free some memory"});
    }
    --busy_;
    changed_.notify_all();
  }
}

// Enters and leaves with the lock, and works without it.
void ChunkPipeline::prepare(std::unique_lock<std::mutex>& lock, Job job) {
  lock.unlock();
  const uint64_t held = job.raw.capacity();
  const bool zero = is_all_zero(job.raw.bytes());
  const Digest digest = zero ? Digest{} : sha256(job.raw.bytes());
  lock.lock();
  Entry& entry = entries_[job.ticket];
  entry.stage = zero ? Stage::kZero : Stage::kNamed;
  bool repeated = false;
  if (!zero) {
    auto [found, inserted] = chunks_.try_emplace(digest);
    if (inserted) found->second = std::make_unique<Chunk>();
    entry.chunk = found->second.get();
    repeated = !inserted;
  }
  if (zero || repeated) {
    in_flight_ -= held;
    recycle(std::move(job.raw));
    place_in_order();
    return;
  }
  Chunk& chunk = *entry.chunk;
  chunk.stored.digest = digest;
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
