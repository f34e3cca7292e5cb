// Runs dispatches. The HSA runtime (softgpu/hsa) calls this; it knows no HSA types.
#pragma once

#include <cstdint>
#include <memory>

#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/schedule/dispatch_request.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

class Engine {
 public:
  explicit Engine(AddressSpace& memory, Isa isa = Isa::kGfx90a);
  ~Engine();
  // Runs to completion or fault on this thread and the worker pool. Several threads may call it at once (queues).
  DispatchOutcome run(const DispatchRequest& request, const DispatchOptions& options);
  // Decoded programs of [base, base+size) are forgotten (a code object was unloaded).
  void forget_code(uint64_t base, uint64_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernloop::softgpu
