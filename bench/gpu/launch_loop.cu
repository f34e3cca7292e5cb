// A loop of launches, timed on the host.
//   launch_loop LAUNCHES KERNEL_NS [between]    between: three loops more, after one launch of `selected`, for a
//   capture that is over by then
// Prints one line a loop: "loop ns_per_launch", and after `selected` "later ns_per_launch".
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void selected(float* x) {
  x[threadIdx.x] += 1.0f;
}

__global__ void looped(float* x, long long nanoseconds) {
  if (nanoseconds > 0) {
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
  }
  x[threadIdx.x] += 1.0f;
}

bool time_loops(const char* name, float* x, int launches, long long nanoseconds) {
  for (int loop = 0; loop < 3; ++loop) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) looped<<<1, 256>>>(x, nanoseconds);
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    std::printf("%s %.1f\n", name, took.count() / launches);
  }
  return true;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 200000;
  const long long nanoseconds = argc > 2 ? std::atoll(argv[2]) : 0;
  float* x = nullptr;
  if (cudaMalloc(&x, 1024) != cudaSuccess || cudaMemset(x, 0, 1024) != cudaSuccess) return 1;
  for (int i = 0; i < 2000; ++i) looped<<<1, 256>>>(x, 0);
  if (cudaDeviceSynchronize() != cudaSuccess || !time_loops("loop", x, launches, nanoseconds)) return 1;
  if (argc <= 3 || std::strcmp(argv[3], "between") != 0) return 0;
  selected<<<1, 256>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess && time_loops("later", x, launches, nanoseconds) ? 0 : 1;
}
