// Checksums of everything that a capture leaves out, before and after: proof that the dispatch wrote nothing there.
#pragma once

#include <optional>
#include <vector>

#include "capture/core/scope.h"

namespace kernloop::capture {

class Outside {
 public:
  Outside(const AllocationList& allocations, const Scope& scope, DeviceCapture& device)
      : allocations_(allocations), scope_(scope), device_(device) {}

  std::optional<Error> read_before();
  // The allocations whose contents have changed.
  std::optional<Error> compare_after(std::vector<Allocation>* changed);

 private:
  std::optional<Error> checksums(const Allocation& of, std::vector<Checksum>* result);
  const AllocationList& allocations_;
  const Scope& scope_;
  DeviceCapture& device_;
  std::vector<std::vector<Checksum>> before_;  // parallel to allocations_
};

}  // namespace kernloop::capture
