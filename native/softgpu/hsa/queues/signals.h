// HSA signals: amd_signal_t words that kernels can reach, and waiting on them.
//
// A change through the API wakes the waiters of that signal. A kernel may also change the word in memory, which wakes
// no waiter: every wait therefore polls from time to time, more often while a dispatch runs.
#pragma once

#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "softgpu/engine/engine.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/hsa/host/mapping.h"

namespace kernloop::softgpu {

// Target of a queue's doorbell signal.
class Doorbell {
 public:
  virtual ~Doorbell() = default;
  virtual void ring() = 0;
};

// Result of a dispatch; kept with its completion signal for the vendor extension.
struct DispatchRecord {
  std::optional<Fault> fault;
  Counters counters;
  std::optional<AccessSets> accesses;    // when recording was on
  std::optional<KernelProfile> profile;  // when profiling was on
  std::optional<ProbeResults> probed;    // when there were probes
  std::vector<Fault> findings;           // findings of the checks
  uint64_t adverse_wave_instructions = 0;
};

struct WaitTarget {
  hsa_signal_t signal;
  hsa_signal_condition_t condition;
  int64_t value;
};

bool satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare);

inline constexpr uint64_t kWaitForever = UINT64_MAX;

class Signals {
 public:
  explicit Signals(AddressSpace& space);
  ~Signals();

  // An empty handle when the signals are used up.
  hsa_signal_t create(int64_t value, Doorbell* doorbell = nullptr);
  bool destroy(hsa_signal_t signal);
  size_t live() const;
  bool valid(hsa_signal_t signal) const;

  static amd_signal_t& abi(hsa_signal_t signal) { return *reinterpret_cast<amd_signal_t*>(signal.handle); }
  static std::atomic_ref<int64_t> word(hsa_signal_t signal) {
    return std::atomic_ref<int64_t>(const_cast<int64_t&>(abi(signal).value));
  }

  int64_t load(hsa_signal_t signal) const { return word(signal).load(std::memory_order_seq_cst); }
  void store(hsa_signal_t signal, int64_t value);  // rings a doorbell
  // Runs `change(std::atomic_ref<int64_t>)` on the word and wakes the waiters.
  template <typename Change>
  auto update(hsa_signal_t signal, Change change) {
    auto result = change(word(signal));
    wake(signal);
    return result;
  }
  // Completion of a packet or copy: one less, with its times.
  void complete(hsa_signal_t signal, uint64_t start_ns, uint64_t end_ns);

  // The index of a target whose condition holds, with the value seen; none at the timeout or once `stop` is true.
  struct Satisfied {
    size_t index;
    int64_t value;
  };
  std::optional<Satisfied> wait_any(std::span<const WaitTarget> targets, uint64_t timeout_ns,
                                    const std::atomic<bool>* stop = nullptr);
  int64_t wait(hsa_signal_t signal, hsa_signal_condition_t condition, int64_t value, uint64_t timeout_ns);
  // Has every wait look again (after a `stop` flag changed).
  void wake_all();

  // While one of these lives, waits look often.
  class RunningDispatch {
   public:
    explicit RunningDispatch(Signals& signals) : signals_(signals) { signals_.running_dispatches_++; }
    ~RunningDispatch() {
      signals_.running_dispatches_--;
      signals_.wake_all();
    }
    RunningDispatch(const RunningDispatch&) = delete;

   private:
    Signals& signals_;
  };

  // With signal 0 (none), the record is only that of the last dispatch.
  void set_record(hsa_signal_t signal, std::shared_ptr<const DispatchRecord> record);
  std::shared_ptr<const DispatchRecord> record(hsa_signal_t signal) const;

 private:
  struct State {  // beside the words, out of the reach of kernels
    std::atomic<uint32_t> waiters{0};
    std::atomic<bool> live{false};
    Doorbell* doorbell = nullptr;
    std::shared_ptr<const DispatchRecord> record;  // record of the dispatch that completed with it last
  };
  static constexpr size_t kChunk = 1024;
  static constexpr size_t kMaxChunks = 4096;
  struct Chunk {
    Mapping words;
    std::unique_ptr<State[]> states;
  };

  size_t index_of(hsa_signal_t signal) const;
  State& state(hsa_signal_t signal) const;
  void wake(hsa_signal_t signal);
  bool grow();

  AddressSpace& space_;
  uint64_t base_ = 0;  // the first word; chunks follow each other
  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint32_t> running_dispatches_{0};
  std::atomic<size_t> chunk_count_{0};
  std::unique_ptr<Chunk[]> chunks_;
  size_t live_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const DispatchRecord> last_record_;
  std::vector<size_t> free_;
};

uint64_t now_ns();

}  // namespace kernloop::softgpu
