// A program that compiles its kernel at run time (HIPRTC), and whose workload changes while it runs.
//   pgo_runtime [SHARE[f]:LAUNCHES]…   of 1,000 cells SHARE react, for so many launches, of floats with an f; 1:40
//   900:40
// Every result is compared with the CPU's, bit by bit. Tests put KERNEL_ADDITION behind the kernel's text, and
// KEEP_MODULE leaves the module to the end of the process.
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

const char* const kSource =
#include "relax.hip.h"
    ;
constexpr int kCells = 1000, kRounds = 200, kBlock = 128;
const char* const kKernels[] = {"relax<double>", "relax<float>"};

template <typename Status>
void check(Status status, Status good, const char* what) {
  if (status == good) return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(status));
  std::exit(3);
}
#define HIP(call) check(call, hipSuccess, #call)
#define RTC(call) check(call, HIPRTC_SUCCESS, #call)

// Which cells react does not depend on where one begins to count: the same share of every stretch of them.
std::vector<unsigned char> kinds_of(int share) {
  std::vector<unsigned char> kinds(kCells);
  for (int i = 0; i < kCells; ++i) kinds[i] = i * 389 % 1000 < share;
  return kinds;
}

template <typename Number>
Number expected(const std::vector<unsigned char>& kinds, int cell) {
  std::array<Number, 8> a, b;
  for (int i = 0; i < 8; ++i) a[i] = cell + i, b[i] = cell * (i + 2);
  for (int round = 0; round < kRounds; ++round) {
    auto& one = kinds[(cell + round) % kCells] == 0 ? a : b;
    for (int i = 0; i < 8; ++i) one[i] = std::fma(one[i], Number((101 + i) / 10000.0), one[(i + 1) % 8]);
  }
  const auto sum = [](const std::array<Number, 8>& v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
  };
  return sum(a) + sum(b);
}

struct Kernels {
  hipModule_t module = nullptr;
  hipFunction_t of_doubles = nullptr, of_floats = nullptr;
};

Kernels compile() {
  const char* more = std::getenv("KERNEL_ADDITION");
  const std::string source = std::string(kSource) + (more ? more : "");
  hiprtcProgram program = nullptr;
  RTC(hiprtcCreateProgram(&program, source.c_str(), "relax.hip", 0, nullptr, nullptr));
  for (const char* kernel : kKernels) RTC(hiprtcAddNameExpression(program, kernel));
  const char* options[] = {"-O3", "-ffp-contract=off"};
  RTC(hiprtcCompileProgram(program, 2, options));
  size_t size = 0;
  RTC(hiprtcGetCodeSize(program, &size));
  std::vector<char> code(size);
  RTC(hiprtcGetCode(program, code.data()));
  Kernels kernels;
  HIP(hipModuleLoadData(&kernels.module, code.data()));
  hipFunction_t* const functions[] = {&kernels.of_doubles, &kernels.of_floats};
  for (int i = 0; i < 2; ++i) {
    const char* name = nullptr;
    RTC(hiprtcGetLoweredName(program, kKernels[i], &name));
    HIP(hipModuleGetFunction(functions[i], kernels.module, name));
  }
  RTC(hiprtcDestroyProgram(&program));
  return kernels;
}

template <typename Number>
bool run(hipFunction_t function, const std::string& workload, int share, int launches) {
  const auto cells = kinds_of(share);
  std::vector<Number> wanted(kCells), results(kCells);
  for (int cell = 0; cell < kCells; ++cell) wanted[cell] = expected<Number>(cells, cell);
  const size_t bytes = kCells * sizeof(Number);
  void *kinds = nullptr, *out = nullptr;
  HIP(hipMalloc(&kinds, kCells));
  HIP(hipMalloc(&out, bytes));
  HIP(hipMemcpy(kinds, cells.data(), kCells, hipMemcpyHostToDevice));
  int n = kCells, rounds = kRounds;
  void* arguments[] = {&kinds, &out, &n, &rounds};
  bool right = true;
  for (int launch = 0; launch < launches && right; ++launch) {
    HIP(hipMemset(out, 0, bytes));
    HIP(hipModuleLaunchKernel(function, (kCells + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr, arguments,
                              nullptr));
    HIP(hipMemcpy(results.data(), out, bytes, hipMemcpyDeviceToHost));
    right = std::memcmp(results.data(), wanted.data(), bytes) == 0;
    if (!right) std::printf("%s, launch %d: wrong\n", workload.c_str(), launch);
  }
  if (right) std::printf("%s: %d launches, all right\n", workload.c_str(), launches);
  HIP(hipFree(kinds));
  HIP(hipFree(out));
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> workloads(argv + 1, argv + argc);
  if (workloads.empty()) workloads = {"1:40", "900:40"};
  const Kernels kernels = compile();
  for (const std::string& workload : workloads) {
    char* end = nullptr;
    const int share = static_cast<int>(std::strtol(workload.c_str(), &end, 10));
    const bool floats = *end == 'f';
    const int launches = std::atoi(end + floats + 1);
    const bool right = floats ? run<float>(kernels.of_floats, workload, share, launches)
                              : run<double>(kernels.of_doubles, workload, share, launches);
    if (!right) return 1;
  }
  if (!std::getenv("KEEP_MODULE")) HIP(hipModuleUnload(kernels.module));
  return 0;
}
