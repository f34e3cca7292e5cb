// Runs every kernel and checks it against the host.   pgo_branches [points]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "data.h"

#define CUDA_CHECK(call)                                                                              \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

namespace {

template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& host) : size_(host.size()) {
    CUDA_CHECK(cudaMalloc(&data_, size_ * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~OnDevice() { (void)cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* get() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> host(size_);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

int wrong = 0;

void report(const char* kernel, bool ok) {
  std::printf("%-9s %s\n", kernel, ok ? "ok" : "WRONG");
  wrong += !ok;
}

bool is_at_leaf(const Data& data, int i, int leaf) {
  int at = 0;
  while (at >= 0) {
    const Node& node = data.nodes[at];
    // Products of two floats are exact in a double, and these sums are in 80 bits.
    const long double side = static_cast<long double>(node.a) * data.xs[i] +
                             static_cast<long double>(node.b) * data.ys[i] + static_cast<long double>(node.c);
    at = side > 0 ? node.above : node.below;
  }
  return leaf == ~at;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1 << 18;
  if (count < 1 || count > 1 << 24) {
    std::fprintf(stderr, "usage: pgo_branches [points, at most 2^24]\n");
    return 2;
  }
  const Data data(count);
  const int threads = 256, blocks = (count + threads - 1) / threads;
  {
    const OnDevice<Step> program(data.program);
    const OnDevice<float> variables(data.variables), results(data.results);
    evaluate<<<blocks, threads>>>(program.get(), Data::kSteps, variables.get(), results.get(), count);
    const auto actual = results.read();
    bool ok = true;
    for (int i = 0; i < count; ++i) {
      float value = 1.0f;
      for (const Step& step : data.program)
        value = performed(step.operation, value, data.variables[step.variable * count + i]);
      ok = ok && value == actual[i];
    }
    report("evaluate", ok);
  }
  {
    const OnDevice<Node> nodes(data.nodes);
    const OnDevice<float> xs(data.xs), ys(data.ys);
    const OnDevice<int> leaves(data.leaves);
    locate<<<blocks, threads>>>(nodes.get(), xs.get(), ys.get(), leaves.get(), count);
    const auto actual = leaves.read();
    bool ok = true;
    for (int i = 0; i < count; ++i) ok = ok && is_at_leaf(data, i, actual[i]);
    report("locate", ok);
  }
  {
    const OnDevice<int> starts(data.starts), columns(data.columns);
    const OnDevice<float> values(data.values), x(data.x), y(data.y);
    multiply<<<blocks, threads>>>(starts.get(), columns.get(), values.get(), x.get(), y.get(), count);
    const auto actual = y.read();
    bool ok = true;
    for (int row = 0; row < count; ++row) {
      float sum = 0.0f;
      for (int k = data.starts[row]; k < data.starts[row + 1]; ++k)
        sum = std::fmaf(data.values[k], data.x[data.columns[k]], sum);
      ok = ok && sum == actual[row];
    }
    report("multiply", ok);
  }
  {
    const OnDevice<unsigned> keys(data.keys), stored(data.stored), wanted(data.wanted), found(data.found);
    lookup<<<blocks, threads>>>(keys.get(), stored.get(), data.mask, wanted.get(), found.get(), count);
    const auto actual = found.read();
    bool ok = true;
    const auto place = [&](unsigned key) {
      unsigned slot = (key * 2654435761u) & data.mask;
      while (data.keys[slot] != 0 && data.keys[slot] != key) slot = (slot + 1) & data.mask;
      return slot;
    };
    for (int i = 0; i < count; ++i) ok = ok && actual[i] == data.stored[place(data.wanted[i])];
    report("lookup", ok);
  }
  std::printf("pgo-branches: %d of 4 kernels wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
