// Base of an agent on every device: its connection to the recorder, its log, the gate, and its view of memory, kernels
// and selections.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/core/allocation_map.h"
#include "capture/core/hold.h"
#include "capture/core/kernel_table.h"
#include "capture/core/log.h"
#include "capture/core/recorder_client.h"
#include "capture/core/selection.h"
#include "capture/core/told_addresses.h"

namespace kernloop::capture {

struct ResolvedKernel {
  std::string symbol;             // mangled, without ".kd"
  std::vector<uint32_t> objects;  // code objects of its executable or module, by number
  uint64_t kernel_object = 0;     // address of its descriptor, if code has one
};

class AgentBase {
 public:
  AgentBase(std::unique_ptr<RecorderClient> client, std::string log_pattern);
  AgentBase(const AgentBase&) = delete;
  AgentBase& operator=(const AgentBase&) = delete;

  // False: every intercepted function is a plain call of the original.
  bool active() const { return active_.load(std::memory_order_relaxed); }
  bool profiling() const { return welcome.mode == Mode::kProfile; }
  // From now on the app runs as without the agent.
  void retire(const char* why);
  // Sends a note to the recorder, and to the log.
  void note(const char* code, const std::string& text);
  // The runtime goes down in good order.
  void say_goodbye();
  // In a forked child, which is not the process that the agent served.
  void abandon_after_fork();
  // A forked child uses the GPU with inherited state. The first use connects to the recorder to report it.
  void on_use_after_fork() noexcept;

  // Our own bookkeeping around a call of the app: a failure of ours (no memory) never becomes one of the app's.
  template <typename Work>
  void guarded(Work&& work) noexcept {
    try {
      if (active()) std::forward<Work>(work)();
    } catch (const std::exception& error) {
      retire(error.what());
    } catch (...) {
      retire("unknown failure");
    }
  }

  // A kernel by its name in dispatches (a descriptor address, a function handle); not 0. `resolve` is called once, when
  // it is first seen; its error says what could not be found.
  template <typename Resolve>
  const KernelEntry* kernel(uint64_t key, Resolve&& resolve) {
    const KernelEntry* entry = kernels.find(key);
    return entry != nullptr ? entry : learn_kernel(key, std::forward<Resolve>(resolve));
  }
  // Selections that want kernels of this name, as themselves or as a gate.
  uint64_t selections_of(const std::string& symbol);
  // Whether any selection wants one of them: asks for all at once.
  bool any_wanted(const std::unordered_set<std::string>& symbols);
  void send_code_object(uint32_t object, std::span<const uint8_t> bytes);
  uint32_t next_capture() { return next_capture_.fetch_add(1, std::memory_order_relaxed); }

  const std::unique_ptr<RecorderClient> recorder;
  const Welcome welcome;
  Log log;
  HoldGate hold;
  AllocationMap allocations;
  ToldAddresses told_addresses;
  SelectionSet selections;
  KernelTable kernels;

 protected:
  ~AgentBase() = default;

 private:
  using Resolve = std::function<Result<ResolvedKernel>()>;
  const KernelEntry* learn_kernel(uint64_t key, const Resolve& resolve);
  void ask_about(KernelEntry& entry, const Resolve& resolve);
  void ask_for_masks(const std::vector<std::string>& symbols);

  std::atomic<bool> active_{true};
  const int pid_;
  std::atomic<bool> forked_{false};  // its use of the GPU is not yet reported
  std::atomic<uint32_t> next_capture_{0};
  std::mutex learn_mutex_;
  uint32_t next_kernel_ = 0;
  std::mutex masks_mutex_;
  std::unordered_map<std::string, uint64_t> masks_;
};

}  // namespace kernloop::capture
