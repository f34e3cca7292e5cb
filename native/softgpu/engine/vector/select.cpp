// Picks the build of the vector semantics that this host can run.
#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu {

namespace {

bool host_has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
bool host_has_v4() {
  return host_has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

std::vector<vector::Select> vector::runnable_builds() {
  std::vector<Select> builds{baseline::select};
  if (host_has_v3()) builds.push_back(v3::select);
  if (host_has_v4()) builds.push_back(v4::select);
  return builds;
}

namespace {

vector::Select& build_in_use() {
  static vector::Select build = vector::runnable_builds().back();
  return build;
}

}  // namespace

vector::BuildInUse::BuildInUse(Select build) : before_(build_in_use()) {
  build_in_use() = build;
}
vector::BuildInUse::~BuildInUse() {
  build_in_use() = before_;
}

ExecuteFn select_vector(const Instruction& instruction) {
  return build_in_use()(instruction);
}

}  // namespace kernloop::softgpu
