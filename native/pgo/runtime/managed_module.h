// A module of the app whose kernels are counted, and run in other code. Each launch of a kernel uses one of three: the
// app's own code, the code with counters, or the code made from a profile; all three are loaded side by side.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "pgo/collect/units.h"
#include "pgo/runtime/builder.h"
#include "pgo/runtime/events.h"

namespace kernloop::pgo::runtime {

class ManagedModule {
 public:
  ManagedModule(const Config& config, Events& events, CacheEntry entry, std::string name, uint64_t place);

  // The kernel to launch in place of the app's; null for its own. `after` it was launched without an error, the counts
  // are checked if that is due. Both in one go: the caller holds the lock.
  enum class Code { kOwn, kCounting, kProduction };
  struct Choice {
    Code code = Code::kOwn;
    void* function = nullptr;
  };
  Choice choose(const std::string& kernel, bool may_count);
  void after(const std::string& kernel, const Choice& choice);
  // The launch was refused: this kernel runs in the app's own code from now on.
  void failed(const std::string& kernel, const Choice& choice, int error);
  // Before the app's module goes, or the process ends: keeps the counts so far, and unloads everything.
  void finish(bool unload);

 private:
  struct Kernel {
    uint64_t measured = 0, in_production = 0;
    uint64_t own = 0, counting = 0, production = 0;  // launches, for the report
    bool refused = false;
  };
  struct Loaded {
    void* module = nullptr;
    std::map<std::string, void*> functions;
    void* function(const std::string& kernel);
  };
  bool load(const std::string& path, Loaded& loaded);
  bool load_counting();
  std::optional<UnitProfile> counted();
  std::optional<UnitProfile> counted_since(std::optional<UnitProfile>& begin);
  std::optional<UnitProfile> read_profile() const;
  bool is_measuring() const;
  bool covers(const std::string& kernel) const;
  void measured_enough(bool at_end);
  void judge(bool at_end);
  void take(const CacheEntry& entry);
  void give_up(const Error& error);
  bool on_device() const;

  const Config& config_;
  Events& events_;
  Builder builder_;
  CacheEntry entry_;
  std::string name_;
  uint64_t place_;  // device or context
  std::map<std::string, Kernel> kernels_;
  Loaded counting_, production_;
  std::vector<Unit> units_;
  std::optional<UnitProfile> measurement_, window_;  // counters at the begin of each
  std::optional<UnitProfile> profile_;               // in use
  uint64_t sampled_ = 0;                             // launches of this window
  bool without_counting_ = false;
};

}  // namespace kernloop::pgo::runtime
