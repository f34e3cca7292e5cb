// GWS, the barriers between waves of a whole grid (ISA 11.x "Global Wave Sync"). The resources belong to the device:
// one dispatch sets a resource to the number of waves that will wait, the next waits on it.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

namespace kernloop::softgpu {

class GlobalWaveSync {
 public:
  static constexpr unsigned kResources = 64;

  // A wave's place at a barrier: it is held until the barrier opens.
  struct Ticket {
    unsigned resource = 0;
    uint64_t opened_before = 0;
  };

  void set(unsigned resource, uint32_t waves);
  // The wave arrives; the last of the set number opens the barrier and sets it to `waves_next` again. False if nothing
  // has set the resource.
  bool arrive(unsigned resource, uint32_t waves_next, Ticket& ticket);
  bool is_open(const Ticket& ticket) const;

 private:
  struct Resource {
    uint64_t missing = 0, opened = 0;
  };
  mutable std::mutex mutex_;
  std::array<Resource, kResources> resources_;
};

}  // namespace kernloop::softgpu
