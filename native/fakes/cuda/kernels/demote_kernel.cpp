// There is no cache: what Kernloop's demoting kernel was told is written down.
#include <fstream>

#include "fakes/cuda/settings.h"
#include "fakes/cuda/work/gpu.h"

namespace kernloop::cuda::fake {
namespace {

void demote(Gpu& gpu) {
  if (settings().demoted_lines.empty()) return;
  std::ofstream(settings().demoted_lines, std::ios::app)
      << gpu.parameter<uint64_t>(0) << " " << gpu.parameter<uint64_t>(8) << "\n";
}
const KernelCode kDemote("kernloop_demote", demote);

}  // namespace
}  // namespace kernloop::cuda::fake
