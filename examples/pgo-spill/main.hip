// Kernels that spill registers, and whose branches are skewed: what a profile is worth depends on them (docs/pgo.md).
//   pgo_spill [THREADS] [ROUNDS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "kernels.h"

#define HIP_CHECK(call)                                                                              \
  do {                                                                                               \
    const hipError_t error = (call);                                                                 \
    if (error != hipSuccess) {                                                                       \
      std::fprintf(stderr, "%s: %s (%s:%d)\n", #call, hipGetErrorString(error), __FILE__, __LINE__); \
      std::exit(2);                                                                                  \
    }                                                                                                \
  } while (0)

namespace {

constexpr int kBlock = 64;

using Kernel = void (*)(double*, int, int);

std::vector<double> run(Kernel kernel, int threads, int rounds) {
  double* device = nullptr;
  const size_t bytes = threads * sizeof(double);
  HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&device), bytes));
  HIP_CHECK(hipMemset(device, 0, bytes));
  kernel<<<(threads + kBlock - 1) / kBlock, kBlock>>>(device, threads, rounds);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  std::vector<double> out(threads);
  HIP_CHECK(hipMemcpy(out.data(), device, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device));
  return out;
}

// What a thread of `spill` computes (kernels.hip).
double expected(int thread, int rounds, const std::function<bool(int, int)>& is_hot) {
  double h[8], c[8];
  for (int i = 0; i < 8; ++i) {
    h[i] = thread + i;
    c[i] = thread * (i + 2.0);
  }
  for (int round = 0; round < rounds; ++round) {
    double* x = is_hot(thread, round) ? h : c;
    for (int i = 0; i < 8; ++i) x[i] = x[i] * (0.0101 + 0.0001 * i) + x[(i + 1) % 8];
  }
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += h[i] + c[i];
  return sum;
}

int wrong(const char* name, Kernel kernel, int threads, int rounds, const std::function<bool(int, int)>& is_hot) {
  const std::vector<double> out = run(kernel, threads, rounds);
  int count = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const double want = expected(thread, rounds, is_hot);
    if (!(std::fabs(out[thread] - want) <= 1e-9 * std::fabs(want) + 1e-12)) ++count;
  }
  std::printf("%-16s %s\n", name, count == 0 ? "ok" : "WRONG");
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 256;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 1000;
  int bad = 0;
  bad += wrong("spill_uniform", spill_uniform, threads, rounds, [](int, int i) { return i % 10000 != 0; });
  bad += wrong("spill_divergent", spill_divergent, threads, rounds, [](int t, int i) { return (t + i) % 10000 != 0; });
  bad += wrong("spill_hot", spill_hot, threads, rounds, [](int t, int i) { return (t + i) % 100 != 0; });
  bad += wrong("spill_every", spill_every, threads, rounds, [](int t, int i) { return (t + i) % 32 != 0; });
  int odd = 0;
  for (const double value : run(kinetics, threads, rounds / 10)) odd += std::isfinite(value) ? 0 : 1;
  std::printf("%-16s %s\n", "kinetics", odd == 0 ? "ok" : "WRONG");
  return bad + odd == 0 ? 0 : 1;
}
