// A program that compiles its kernel at run time (HIPRTC), and whose workload changes while it runs.
//   pgo_runtime [SHARE:LAUNCHES]…      of 1,000 cells SHARE react, for so many launches; 1:40 900:40 if nothing is said
// Every result is compared with the CPU's, bit by bit. KERNEL_ADDITION is put behind the kernel's text, by tests.
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
constexpr const char* kKernel = "relax<double>";

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

double expected(const std::vector<unsigned char>& kinds, int cell) {
  std::array<double, 8> a, b;
  for (int i = 0; i < 8; ++i) a[i] = cell + i, b[i] = cell * (i + 2);
  for (int round = 0; round < kRounds; ++round) {
    auto& one = kinds[(cell + round) % kCells] == 0 ? a : b;
    for (int i = 0; i < 8; ++i) one[i] = std::fma(one[i], (101 + i) / 10000.0, one[(i + 1) % 8]);
  }
  const auto sum = [](const std::array<double, 8>& v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
  };
  return sum(a) + sum(b);
}

struct Kernel {
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
};

Kernel compile() {
  const char* more = std::getenv("KERNEL_ADDITION");
  const std::string source = std::string(kSource) + (more ? more : "");
  hiprtcProgram program = nullptr;
  RTC(hiprtcCreateProgram(&program, source.c_str(), "relax.hip", 0, nullptr, nullptr));
  RTC(hiprtcAddNameExpression(program, kKernel));
  const char* options[] = {"-O3", "-ffp-contract=off"};
  RTC(hiprtcCompileProgram(program, 2, options));
  const char* name = nullptr;
  RTC(hiprtcGetLoweredName(program, kKernel, &name));
  size_t size = 0;
  RTC(hiprtcGetCodeSize(program, &size));
  std::vector<char> code(size);
  RTC(hiprtcGetCode(program, code.data()));
  Kernel kernel;
  HIP(hipModuleLoadData(&kernel.module, code.data()));
  HIP(hipModuleGetFunction(&kernel.function, kernel.module, name));
  RTC(hiprtcDestroyProgram(&program));
  return kernel;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> workloads(argv + 1, argv + argc);
  if (workloads.empty()) workloads = {"1:40", "900:40"};
  const Kernel kernel = compile();
  void *kinds = nullptr, *out = nullptr;
  HIP(hipMalloc(&kinds, kCells));
  HIP(hipMalloc(&out, kCells * sizeof(double)));
  int n = kCells, rounds = kRounds;
  void* arguments[] = {&kinds, &out, &n, &rounds};
  for (const std::string& workload : workloads) {
    const size_t colon = workload.find(':');
    const auto cells = kinds_of(std::atoi(workload.c_str()));
    const int launches = colon == std::string::npos ? 1 : std::atoi(workload.c_str() + colon + 1);
    HIP(hipMemcpy(kinds, cells.data(), cells.size(), hipMemcpyHostToDevice));
    std::vector<double> wanted(kCells), results(kCells);
    for (int cell = 0; cell < kCells; ++cell) wanted[cell] = expected(cells, cell);
    for (int launch = 0; launch < launches; ++launch) {
      HIP(hipMemset(out, 0, results.size() * sizeof(double)));
      HIP(hipModuleLaunchKernel(kernel.function, (kCells + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr,
                                arguments, nullptr));
      HIP(hipMemcpy(results.data(), out, results.size() * sizeof(double), hipMemcpyDeviceToHost));
      if (std::memcmp(results.data(), wanted.data(), results.size() * sizeof(double)) != 0) {
        std::printf("%s, launch %d: wrong\n", workload.c_str(), launch);
        return 1;
      }
    }
    std::printf("%s: %d launches, all right\n", workload.c_str(), launches);
  }
  HIP(hipModuleUnload(kernel.module));
  HIP(hipFree(kinds));
  HIP(hipFree(out));
  return 0;
}
