// A running dispatch: the state shared by its workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "softgpu/engine/code/kernel_descriptor.h"
#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/observe/access_recorder.h"
#include "softgpu/engine/observe/float_atomic_watch.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/schedule/dispatch_request.h"
#include "softgpu/engine/wave/permutation.h"
#include "softgpu/engine/wave/unwritten_fill.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class Interpreter;

class Dispatch {
 public:
  // Checks the request and reads the kernel descriptor. A dispatch that cannot start has its fault set. `access_code`:
  // the cache whose runs end with every access to memory.
  Dispatch(const AddressSpace& space, Isa isa, CodeCache& code, CodeCache& access_code, GlobalWaveSync& wave_sync,
           std::shared_ptr<const UnwrittenFill> fill, const DispatchRequest& request, const DispatchOptions& options);

  const DispatchRequest& request() const { return request_; }
  const KernelDescriptor& kernel() const { return kernel_; }
  const AddressSpace& space() const { return space_; }
  CodeCache& code() const { return code_; }
  CodeCache& access_code() const { return access_code_; }
  GlobalWaveSync& wave_sync() const { return wave_sync_; }
  bool records_accesses() const { return options_.accesses != nullptr; }
  bool is_profiled() const { return options_.profile != nullptr; }
  ProbeStore* probes() { return options_.probes ? &probes_ : nullptr; }
  FloatAtomicWatch* float_atomics() { return float_atomics_ ? &*float_atomics_ : nullptr; }
  bool faults_past_lds() const { return options_.faults_past_lds; }
  Target target() const { return kernel_.target; }
  const UnwrittenFill& fill() const { return *fill_; }
  const Checks& checks() const { return options_.checks; }
  const Adverse& adverse() const { return options_.adverse; }
  uint64_t seed() const { return options_.seed; }
  uint64_t workgroups() const { return workgroups_; }
  uint32_t lds_bytes() const { return lds_bytes_; }
  uint32_t private_bytes() const { return private_bytes_; }
  uint32_t max_waves_per_workgroup() const { return max_waves_; }

  // Workgroups that a worker has taken and not begun yet.
  struct Share {
    uint64_t next = 0, end = 0;
    bool is_empty() const { return next == end; }
  };
  // The next workgroup to run, in seed order; none when all are taken.
  std::optional<uint64_t> take_workgroup(Share& share);
  bool has_untaken_workgroups() const { return next_.load(std::memory_order_relaxed) < workgroups_; }
  // Called before a workgroup is taken: false if the device holds no more beside those that have a place.
  bool take_place();
  void leave_place();
  // Reason why workgroups wait in vain, if the device may have no place for the others; else none.
  std::string words_of_no_place() const;
  // Fills in the workgroup's id and geometry and the initial state of its waves. `slots`: enough of them.
  void begin_workgroup(uint64_t ordinal, Workgroup& workgroup, std::vector<std::unique_ptr<WaveSlot>>& slots) const;
  uint32_t waves_of(uint64_t ordinal) const;

  // Number of instructions that a slice of `wanted` may execute for the limit to be noticed. `unreported`: instructions
  // that the caller executed but has not counted yet.
  uint32_t allowance(uint32_t wanted, uint64_t unreported) const;
  void count_instructions(uint64_t executed) { executed_.fetch_add(executed, std::memory_order_relaxed); }
  bool is_over_limit(uint64_t unreported) const {
    return executed_.load(std::memory_order_relaxed) + unreported > horizon_.load(std::memory_order_relaxed);
  }
  uint64_t limit() const { return limit_; }
  std::string words_of_limit() const;

  // The longest workgroup that completed, in instructions.
  uint64_t longest_workgroup() const { return longest_.load(std::memory_order_relaxed); }
  void completed_workgroup(uint64_t instructions, uint64_t unreported);

  // The first fault wins and stops all workers.
  void fail(Fault fault);
  void add_adverse_instructions(uint64_t executed) { adverse_executed_ = executed; }
  // Each kind once an instruction (races once for both instructions), and not endlessly many.
  void add_finding(Fault finding);
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }

  void add_results(const Counters& counters, std::unique_ptr<AccessRecorder> recorder, Prober* prober,
                   Interpreter& interpreter);
  DispatchOutcome finish();

 private:
  // However often a workgroup ends.
  static constexpr uint64_t kMostLimits = 16;
  uint64_t most_instructions() const { return limit_ > UINT64_MAX / kMostLimits ? UINT64_MAX : limit_ * kMostLimits; }

  uint64_t ordinal_of(uint64_t taken) const;
  std::string prepare(Isa isa);     // returns an error message, or an empty string
  std::string preload_arguments();  // the same
  void find_registers_read();
  void set_work_item_ids(WaveSlot& wave, const uint32_t size[3], uint32_t wave_index) const;
  void wave_geometry(uint64_t ordinal, uint32_t id[3], uint32_t size[3]) const;
  void set_initial_registers(WaveSlot& wave, const Workgroup& workgroup, const uint32_t size[3], uint32_t wave_index,
                             uint32_t wave_count) const;

  const AddressSpace& space_;
  CodeCache &code_, &access_code_;
  GlobalWaveSync& wave_sync_;
  const std::shared_ptr<const UnwrittenFill> fill_;
  const DispatchRequest& request_;
  const DispatchOptions& options_;
  KernelDescriptor kernel_;
  uint32_t preloaded_[16] = {};                                   // kernel arguments that waves find in SGPRs
  VectorRegisterSet registers_read_ = VectorRegisterSet().set();  // before a wave writes them, or all
  uint32_t groups_[3] = {0, 0, 0};
  uint64_t workgroups_ = 0;
  uint64_t places_ = 0;  // for workgroups; 0: for all
  uint32_t lds_bytes_ = 0, private_bytes_ = 0, max_waves_ = 0;
  uint64_t limit_ = 0;  // from the end of one workgroup to the end of another
  uint32_t wave_size_ = kLanes;
  Permutation order_;
  uint64_t adverse_executed_ = 0;
  ProbeStore probes_;
  std::optional<FloatAtomicWatch> float_atomics_;

  // Members that workers write often have cache lines of their own: all of them read the rest all the time.
  static constexpr size_t kLine = 128;  // two lines of 64 bytes, which hosts fetch together
  alignas(kLine) std::atomic<uint64_t> next_{0};
  alignas(kLine) std::atomic<uint64_t> taken_places_{0};
  alignas(kLine) std::atomic<uint64_t> executed_{0};
  alignas(kLine) std::atomic<uint64_t> longest_{0};
  std::atomic<uint64_t> horizon_{0};  // how many wave-instructions may be executed by now
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::optional<Fault> fault_;
  std::vector<Fault> findings_;
  Counters counters_;
  std::vector<std::unique_ptr<AccessRecorder>> recorders_;
};

}  // namespace kernloop::softgpu
