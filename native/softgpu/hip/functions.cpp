#include "softgpu/hip/functions.h"

#include <cstring>

#include "softgpu/hip/host_memory.h"
#include "softgpu/hip/runtime.h"
#include "softgpu/hip/stream_callback.h"

extern "C" {
// The linker's names for the ends of the table.
extern kernloop::softgpu::hip::HipFunction __start_kernloop_hip_functions[];
extern kernloop::softgpu::hip::HipFunction __stop_kernloop_hip_functions[];
}

namespace kernloop::softgpu::hip {
namespace {

std::atomic<bool> g_used{false};

struct Stand {
  const char* name;
  void* (*before)(void* real);
};
// Functions that it takes more than passing calls on.
constexpr Stand kStands[] = {
    {"hipStreamAddCallback", stream_add_callback_before},
    {"hipHostRegister", host_register_before},
    {"hipHostUnregister", host_unregister_before},
};

// For a program that tests for HIP by a weak symbol, and finds a gate.
int no_hip() {
  constexpr int kErrorNoDevice = 100;
  return kErrorNoDevice;
}

}  // namespace

HipFunction* find_function(const char* name) {
  for (HipFunction* row = __start_kernloop_hip_functions; row != __stop_kernloop_hip_functions; ++row) {
    if (std::strcmp(row->name, name) == 0) return row;
  }
  return nullptr;
}

bool gates_are_used() {
  return g_used.load(std::memory_order_acquire);
}

}  // namespace kernloop::softgpu::hip

// Function that the gate must call; never nullptr.
extern "C" void* kernloop_hip_resolve(kernloop::softgpu::hip::HipFunction* function) {
  using namespace kernloop::softgpu::hip;
  void* real = next_function(function->name);
  if (real == nullptr) return reinterpret_cast<void*>(&no_hip);
  for (const Stand& stand : kStands)
    if (std::strcmp(function->name, stand.name) == 0) real = stand.before(real);
  g_used.store(true, std::memory_order_release);
  function->real.store(real, std::memory_order_release);
  return real;
}
