// Loops of launches, timed on the host; several processes take turns.
//   launch_loop LAUNCHES KERNEL_NS TURNS FILE INDEX COUNT [between]
// LAUNCHES a turn. FILE, INDEX, COUNT: see turns.h. between: half of the way one launch of `selected`, for a capture
// that is over by then. Prints one line a turn: "turn ns_per_launch", or "later ns_per_launch" after `selected`.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "turns.h"

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

bool launch(float* x, int launches, long long nanoseconds) {
  for (int i = 0; i < launches; ++i) looped<<<1, 256>>>(x, nanoseconds);
  return cudaDeviceSynchronize() == cudaSuccess;
}

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const int launches = std::atoi(argv[1]), turns = std::atoi(argv[3]);
  const long long nanoseconds = std::atoll(argv[2]);
  const bool between = argc > 7 && std::strcmp(argv[7], "between") == 0;
  // Where another process had the GPU, the first launches of a turn take longer.
  const int untimed = launches / 10;
  float* x = nullptr;
  if (cudaMalloc(&x, 1024) != cudaSuccess || cudaMemset(x, 0, 1024) != cudaSuccess) return 1;
  if (!launch(x, untimed, 0)) return 1;
  Turns order(argv[4], static_cast<uint32_t>(std::atoi(argv[5])), static_cast<uint32_t>(std::atoi(argv[6])));
  order.ready();
  std::vector<double> taken;
  for (int turn = 0; turn < turns; ++turn) {
    order.take();
    if (between && turn == turns / 2) {
      selected<<<1, 256>>>(x);
      if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
    if (!launch(x, untimed, nanoseconds)) return 1;
    const auto begin = std::chrono::steady_clock::now();
    if (!launch(x, launches, nanoseconds)) return 1;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    taken.push_back(took.count() / launches);
    order.pass();
  }
  for (int turn = 0; turn < turns; ++turn) {
    std::printf("%s %.1f\n", between && turn >= turns / 2 ? "later" : "turn", taken[turn]);
  }
  return 0;
}
