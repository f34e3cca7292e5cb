// Addresses of module variables that the app requested. Without the address it cannot set the variable.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "capture/core/allocation_map.h"

namespace kernloop::capture {

class ToldAddresses {
 public:
  // `owner`: handle of the module or library that holds the variable.
  void told(uint64_t address, const void* owner = nullptr) {
    std::lock_guard lock(mutex_);
    owners_[address] = owner;
  }
  // Called when the owner is unloaded, because other variables may get its addresses.
  void forget(const void* owner) {
    std::lock_guard lock(mutex_);
    std::erase_if(owners_, [&](const auto& entry) { return entry.second == owner; });
  }
  bool any_in(const ByteRange& variable) const {
    std::lock_guard lock(mutex_);
    const auto at = owners_.lower_bound(variable.base);
    return at != owners_.end() && at->first - variable.base < variable.size;
  }

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, const void*> owners_;
};

}  // namespace kernloop::capture
