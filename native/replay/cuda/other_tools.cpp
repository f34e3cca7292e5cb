#include "replay/cuda/other_tools.h"

#include <string_view>

namespace kernloop::replay {

std::string reason_against_cupti(char** environment) {
  for (char** entry = environment; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == text.npos) continue;
    const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
    if (value.empty()) continue;
    if (name == "KERNLOOP_CUPTI" && value == "off") return "KERNLOOP_CUPTI=off";
    if (name == "CUDA_INJECTION64_PATH") return "CUDA_INJECTION64_PATH is set";
    // compute-sanitizer starts programs with its injection library preloaded and variables of these names.
    if (name.starts_with("NV_SANITIZER") || name.starts_with("NV_COMPUTE_SANITIZER")) return "compute-sanitizer";
    if (name == "LD_PRELOAD" && (value.find("anitizer") != value.npos || value.find("InjectionTarget") != value.npos ||
                                 value.find("TargetInjection") != value.npos)) {
      return "a tool of NVIDIA's is preloaded";
    }
    if (name.starts_with("NV_TPS_LAUNCH") || name.starts_with("NSYS_") || name.starts_with("NV_NSIGHT_INJECTION"))
      return "Nsight";
  }
  return "";
}

bool names_capture_agent(const std::string& injection_path) {
  return injection_path.find("libkernloop-capture") != injection_path.npos;
}

}  // namespace kernloop::replay
