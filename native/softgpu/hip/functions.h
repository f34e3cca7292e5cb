// The functions of HIP that have a gate, and the functions behind it.
#pragma once

#include <atomic>

namespace kernloop::softgpu::hip {

struct HipFunction {        // laid out by gates.S
  std::atomic<void*> real;  // nullptr until the first call
  const char* name;
  void* gate;
};

// nullptr for a name without a gate.
HipFunction* find_function(const char* name);

// Whether the program's calls of HIP come through the gates.
bool gates_are_used();

}  // namespace kernloop::softgpu::hip
