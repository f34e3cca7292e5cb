#include "softgpu/kfd/kernel.h"

#include <cstdlib>
#include <string_view>

namespace kernloop::softgpu::kfd {
namespace {

const Kernel* find(std::string_view release) {
  for (const Kernel& each : kKernels) {
    if (release == each.release) return &each;
  }
  return nullptr;
}

const char* asked_for() {
  const char* const release = std::getenv("KERNLOOP_SOFTGPU_LINUX");
  return release == nullptr || *release == '\0' ? kKernels[0].release : release;
}

}  // namespace

const Kernel& kernel() {
  // Read once: threads of queues ask, and programs set variables while they run.
  static const Kernel* const found = find(asked_for());
  return found == nullptr ? kKernels[0] : *found;
}

const char* unknown_kernel() {
  return find(asked_for()) == nullptr ? asked_for() : nullptr;
}

}  // namespace kernloop::softgpu::kfd
