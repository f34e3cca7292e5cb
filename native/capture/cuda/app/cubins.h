// The cubins that the driver has loaded for the app, and which of them a kernel comes from. A kernel's name alone does
// not tell: code generators give many kernels one name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/core/checksum.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// One content, however often it is loaded.
struct Cubin {
  uint32_t number = 0;
  Checksum content;
  std::vector<uint8_t> bytes;               // empty: no kernel of it is wanted
  std::unordered_set<std::string> kernels;  // mangled names
  std::vector<std::string> variables;
  bool readable = true;  // false: not an ELF file as we know it
  bool sent = false;
};

// The names of the kernels of a cubin; none if it cannot be read.
std::optional<std::unordered_set<std::string>> kernel_names(std::span<const uint8_t> cubin);

// The names of its variables.
std::vector<std::string> variable_names(std::span<const uint8_t> cubin);

// A variable of a loaded module.
struct LoadedVariable {
  cuda::CUmodule module = nullptr;
  std::string name;
  uint64_t base = 0, size = 0;
};

struct CubinChoice {
  std::shared_ptr<Cubin> cubin;                    // null: see `candidates`
  std::vector<std::shared_ptr<Cubin>> candidates;  // more than one: it is unknown which one it is
};

class Cubins {
 public:
  explicit Cubins(const cuda::Driver& driver) : driver_(driver) {}

  // The driver loaded it, under CUPTI's number `module_id`. `wanted(names)` is asked once for each content whether to
  // keep its bytes.
  uint32_t loaded(uint32_t module_id, std::span<const uint8_t> bytes,
                  const std::function<bool(const std::unordered_set<std::string>&)>& wanted);
  void unloading(uint32_t module_id);
  // Links a loaded cubin to its module handle.
  void is_module(cuda::CUmodule module, uint32_t cubin);
  void module_gone(cuda::CUmodule module);

  // Finds the cubin of a kernel that the app names by `function`; `loaded_now` was loaded by asking for it.
  CubinChoice find(cuda::CUfunction function, const std::string& symbol, const std::vector<uint32_t>& loaded_now);
  // Once for each cubin.
  template <typename Send>
  void send_once(Cubin& cubin, Send&& send) {
    std::lock_guard lock(send_mutex_);
    if (!cubin.sent) send();
    cubin.sent = true;
  }
  // The variable at the address, in all modules whose handle was seen.
  std::optional<LoadedVariable> variable_at(uint64_t address) const;
  // Every live cubin that has such a kernel.
  std::vector<std::shared_ptr<Cubin>> with_kernel(const std::string& symbol);

 private:
  std::vector<std::shared_ptr<Cubin>> live_with(const std::string& symbol) const;
  bool has_functions_of(cuda::CUmodule module, const Cubin& cubin) const;

  const cuda::Driver& driver_;
  mutable std::mutex mutex_;
  std::mutex send_mutex_;
  std::map<std::pair<Checksum, size_t>, uint32_t> numbers_;
  std::vector<std::shared_ptr<Cubin>> cubins_;           // by number
  std::unordered_map<uint32_t, uint32_t> by_module_id_;  // live ones
  std::unordered_map<cuda::CUmodule, uint32_t> by_module_;
};

}  // namespace kernloop::capture
