#include "softgpu/hsa/queues/signals.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "softgpu/hsa/memory/apertures.h"

namespace kernloop::softgpu {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kLookWhileRunning = 1 * kMillisecond;
constexpr uint64_t kLookWhileIdle = 20 * kMillisecond;

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
  timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000), static_cast<long>(timeout_ns % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
}

void futex_wake_all(std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace

uint64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

bool satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compare;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compare;
  }
  return false;
}

Signals::Signals(AddressSpace& space)
    : space_(space), base_(kSignalAperture.base), chunks_(std::make_unique<Chunk[]>(kMaxChunks)) {}

Signals::~Signals() {
  for (size_t i = 0; i < chunk_count_; ++i) space_.unmap(chunks_[i].words.base(), chunks_[i].words.size());
}

bool Signals::grow() {
  const size_t count = chunk_count_.load();
  if (count == kMaxChunks) return false;
  constexpr uint64_t kChunkBytes = kChunk * sizeof(amd_signal_t);
  auto words = Mapping::memory_at(base_ + count * kChunkBytes, kChunkBytes);
  // The first chunk of a forked process, whose parent's signals are still mapped here, goes somewhere else.
  while (!words && count == 0 && base_ + 2 * kMaxChunks * kChunkBytes < kSignalAperture.base + kSignalAperture.size) {
    base_ += kMaxChunks * kChunkBytes;
    words = Mapping::memory_at(base_, kChunkBytes);
  }
  if (!words) return false;
  space_.map(words->base(), words->size(), AddressSpace::Access::kReadWrite, "signals");
  chunks_[count] = Chunk{std::move(*words), std::make_unique<State[]>(kChunk)};
  for (size_t i = kChunk; i > 0; --i) free_.push_back(count * kChunk + i - 1);  // the lowest is taken first
  chunk_count_.store(count + 1);
  return true;
}

size_t Signals::index_of(hsa_signal_t signal) const {
  return (signal.handle - base_) / sizeof(amd_signal_t);
}

Signals::State& Signals::state(hsa_signal_t signal) const {
  const size_t index = index_of(signal);
  return chunks_[index / kChunk].states[index % kChunk];
}

bool Signals::valid(hsa_signal_t signal) const {
  if (signal.handle < base_ || signal.handle % sizeof(amd_signal_t) != 0) return false;
  return index_of(signal) < chunk_count_.load(std::memory_order_acquire) * kChunk &&
         state(signal).live.load(std::memory_order_acquire);
}

hsa_signal_t Signals::create(int64_t value, Doorbell* doorbell) {
  std::lock_guard lock(mutex_);
  if (free_.empty() && !grow()) return {0};
  const size_t index = free_.back();
  free_.pop_back();
  hsa_signal_t signal{base_ + index * sizeof(amd_signal_t)};
  amd_signal_t& words = abi(signal);
  words = amd_signal_t{};
  words.kind = doorbell == nullptr ? AMD_SIGNAL_KIND_USER : AMD_SIGNAL_KIND_DOORBELL;
  words.value = value;
  State& beside = state(signal);
  beside.doorbell = doorbell;
  beside.live.store(true, std::memory_order_release);
  ++live_;
  return signal;
}

bool Signals::destroy(hsa_signal_t signal) {
  std::lock_guard lock(mutex_);
  if (!valid(signal)) return false;
  State& beside = state(signal);
  beside.live.store(false, std::memory_order_release);
  --live_;
  beside.doorbell = nullptr;
  beside.record.reset();
  abi(signal).kind = AMD_SIGNAL_KIND_INVALID;
  free_.push_back(index_of(signal));
  return true;
}

size_t Signals::live() const {
  std::lock_guard lock(mutex_);
  return live_;
}

void Signals::store(hsa_signal_t signal, int64_t value) {
  word(signal).store(value, std::memory_order_seq_cst);
  if (Doorbell* doorbell = state(signal).doorbell) doorbell->ring();
  wake(signal);
}

void Signals::complete(hsa_signal_t signal, uint64_t start_ns, uint64_t end_ns) {
  amd_signal_t& words = abi(signal);
  words.start_ts = start_ns;
  words.end_ts = end_ns;
  update(signal, [](auto value) { return value.fetch_sub(1); });
}

void Signals::wake(hsa_signal_t signal) {
  if (state(signal).waiters.load(std::memory_order_seq_cst) != 0) wake_all();
}

void Signals::wake_all() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(epoch_);
}

std::optional<Signals::Satisfied> Signals::wait_any(std::span<const WaitTarget> targets, uint64_t timeout_ns,
                                                    const std::atomic<bool>* stop) {
  auto look = [&]() -> std::optional<Satisfied> {
    for (size_t i = 0; i < targets.size(); ++i) {
      const int64_t value = load(targets[i].signal);
      if (satisfies(value, targets[i].condition, targets[i].value)) return Satisfied{i, value};
    }
    return std::nullopt;
  };
  if (auto found = look()) return found;
  if (timeout_ns == 0) return std::nullopt;
  const uint64_t start = now_ns();
  const uint64_t deadline = timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns;

  for (const WaitTarget& target : targets) state(target.signal).waiters.fetch_add(1, std::memory_order_seq_cst);
  std::optional<Satisfied> found;
  for (;;) {
    const uint32_t epoch = epoch_.load(std::memory_order_seq_cst);
    if ((found = look())) break;
    if (stop != nullptr && stop->load()) break;
    const uint64_t now = now_ns();
    if (now >= deadline) break;
    futex_wait(epoch_, epoch, std::min(deadline - now, running_dispatches_ != 0 ? kLookWhileRunning : kLookWhileIdle));
  }
  for (const WaitTarget& target : targets) state(target.signal).waiters.fetch_sub(1, std::memory_order_seq_cst);
  return found;
}

int64_t Signals::wait(hsa_signal_t signal, hsa_signal_condition_t condition, int64_t value, uint64_t timeout_ns) {
  const WaitTarget target{signal, condition, value};
  if (auto satisfied = wait_any({&target, 1}, timeout_ns)) return satisfied->value;
  return load(signal);
}

void Signals::set_record(hsa_signal_t signal, std::shared_ptr<const DispatchRecord> record) {
  std::lock_guard lock(mutex_);
  last_record_ = record;
  if (valid(signal)) state(signal).record = std::move(record);
}

std::shared_ptr<const DispatchRecord> Signals::record(hsa_signal_t signal) const {
  std::lock_guard lock(mutex_);
  if (signal.handle == 0) return last_record_;
  return valid(signal) ? state(signal).record : nullptr;
}

}  // namespace kernloop::softgpu
