// Picks the build of the vector semantics that this host can run.
#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu {

namespace {

[[maybe_unused]] bool host_has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
[[maybe_unused]] bool host_has_v4() {
  return host_has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

std::vector<vector::Build> vector::builds() {
  std::vector<Build> builds;
#ifdef KERNLOOP_VECTOR_baseline
  builds.push_back({"baseline", baseline::select, true});
#endif
#ifdef KERNLOOP_VECTOR_v3
  builds.push_back({"x86-64-v3 (AVX2)", v3::select, host_has_v3()});
#endif
#ifdef KERNLOOP_VECTOR_v4
  builds.push_back({"x86-64-v4 (AVX-512)", v4::select, host_has_v4()});
#endif
  return builds;
}

const vector::FormRule* vector::rule_of(Op op) {
#if defined(KERNLOOP_VECTOR_baseline)
  return baseline::rule_of(op);
#elif defined(KERNLOOP_VECTOR_v3)
  return v3::rule_of(op);
#else
  return v4::rule_of(op);
#endif
}

std::string vector::refusal(std::span<const Build> builds) {
  std::string names;
  for (const Build& build : builds) {
    if (build.runs_here) return "";
    names += (names.empty() ? "" : " and ") + std::string(build.name);
  }
  return "this libhsa-runtime64.so.1 was built for processors of " + names +
         " alone, and this machine's is none; `npm run build:native` builds it for every x86-64 processor";
}

std::vector<vector::Select> vector::runnable_builds() {
  std::vector<Select> runnable;
  for (const Build& build : builds()) {
    if (build.runs_here) runnable.push_back(build.select);
  }
  return runnable;
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
