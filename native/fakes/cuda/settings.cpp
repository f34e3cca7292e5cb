#include "fakes/cuda/settings.h"

#include <cstdlib>

#include "fakes/cuda/visible_devices.h"

namespace kernloop::cuda::fake {
namespace {

uint64_t number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 0) : otherwise;
}

Settings read() {
  Settings settings;
  const int installed = static_cast<int>(number("KERNLOOP_FAKE_CUDA_DEVICES", 1));
  settings.installed = visible_devices(std::getenv("CUDA_VISIBLE_DEVICES"), installed);
  settings.devices = static_cast<int>(settings.installed.size());
  settings.memory_bytes = number("KERNLOOP_FAKE_CUDA_MEMORY", settings.memory_bytes);
  settings.seed = number("KERNLOOP_FAKE_CUDA_SEED", settings.seed);
  settings.refused_address = number("KERNLOOP_FAKE_CUDA_REFUSE_ADDRESS", settings.refused_address);
  if (const char* cubin = std::getenv("KERNLOOP_FAKE_CUDA_JIT")) settings.compiled_ptx = cubin;
  if (const char* file = std::getenv("KERNLOOP_FAKE_CUDA_DEMOTED")) settings.demoted_lines = file;
  settings.begin_capture_us = number("KERNLOOP_FAKE_CUDA_BEGIN_CAPTURE_US", 0);
  settings.ends_with_context = number("KERNLOOP_FAKE_CUDA_ENDS_WITH_CONTEXT", 0) != 0;
  settings.cupti_is_taken = number("KERNLOOP_FAKE_CUDA_CUPTI_TAKEN", 0) != 0;
  return settings;
}

}  // namespace

const Settings& settings() {
  static const Settings kSettings = read();
  return kSettings;
}

}  // namespace kernloop::cuda::fake
