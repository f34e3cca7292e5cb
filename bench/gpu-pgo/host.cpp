// The kernels of examples/pgo-branches on the host, thread by thread: what LLVM counts here is what a GPU has to have
// counted.
#include <cmath>

struct Index {
  unsigned x, y, z;
};
Index blockIdx{}, threadIdx{};
const Index blockDim{256, 1, 1};

#define __global__ __attribute__((noinline))
#define __device__ inline __attribute__((always_inline))
#define __host__
#include "data.h"
#include "kernels.cu"

template <typename Kernel>
void for_each_thread(int count, Kernel kernel) {
  for (int i = 0; i < count; ++i) {
    blockIdx.x = static_cast<unsigned>(i) / blockDim.x;
    threadIdx.x = static_cast<unsigned>(i) % blockDim.x;
    kernel();
  }
}

int main() {
  constexpr int count = 1 << 18;  // as main.cu has it
  Data data(count);
  for_each_thread(
      count, [&] { evaluate(data.program.data(), Data::kSteps, data.variables.data(), data.results.data(), count); });
  for_each_thread(count, [&] { locate(data.nodes.data(), data.xs.data(), data.ys.data(), data.leaves.data(), count); });
  for_each_thread(count, [&] {
    multiply(data.starts.data(), data.columns.data(), data.values.data(), data.x.data(), data.y.data(), count);
  });
  for_each_thread(count, [&] {
    lookup(data.keys.data(), data.stored.data(), data.mask, data.wanted.data(), data.found.data(), count);
  });
}
