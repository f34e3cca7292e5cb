// The checks of a dispatch.
#pragma once

namespace kernloop::softgpu {

// Checks that the checker makes (checker.h).
struct Checks {
  bool bounds = false, uninitialized = false, races = false, waits = false;
  explicit operator bool() const { return bounds || uninitialized || races || waits; }
};

}  // namespace kernloop::softgpu
