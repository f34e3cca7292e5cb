// Keeps the captured addresses free while the runtime starts, which may otherwise take them for itself.
#pragma once

#include <vector>

#include "replay/core/device/layout.h"

namespace kernloop::replay {

class AddressHold {
 public:
  // Reserves what it can; something else already occupies the ranges in `taken`.
  explicit AddressHold(const std::vector<AddressRange>& ranges);
  ~AddressHold() { release(); }
  AddressHold(const AddressHold&) = delete;
  AddressHold& operator=(const AddressHold&) = delete;

  void release();
  const std::vector<AddressRange>& taken() const { return taken_; }

 private:
  std::vector<AddressRange> held_, taken_;
};

// ADDRESS_TAKEN for a captured range that is not to be had in this process.
Error address_taken(const AddressRange& range);

// Starts this program again without address-space randomisation, once; otherwise the stack or a library may be mapped
// at a captured address. Returns only if that is not possible or was done already.
void restart_without_randomisation(char** argv);
bool was_restarted();

}  // namespace kernloop::replay
