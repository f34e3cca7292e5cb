// Runs every stage and checks each against the host.
//   cuda_pipeline [elements] [launches of each stage, for measurements]
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "pipeline.h"

namespace {

int elements = (1 << 24) + 80;  // no multiple of a block: the last block is partly masked off
int launches = 1;               // of each stage
constexpr int kMatrix = 1024;
constexpr int kRows = 4096, kColumns = 1000;

// Owns a device copy of a host vector.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
    CUDA_CHECK(cudaMalloc(&data_, size_ * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> host(size_);
    CUDA_CHECK(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

template <typename T>
std::vector<T> generate(int n, const std::function<T(unsigned)>& from_random) {
  std::vector<T> values(n);
  unsigned state = 12345;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    value = from_random(state >> 8);
  }
  return values;
}

int failures = 0;

void report(const char* stage, bool ok) {
  std::printf("%-14s %s\n", stage, ok ? "ok" : "WRONG");
  failures += !ok;
}

template <typename T>
bool equal(const std::vector<T>& actual, const std::function<T(int)>& expected, size_t step = 1) {
  for (size_t i = 0; i < actual.size(); i += step) {
    if (actual[i] != expected(static_cast<int>(i))) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) elements = std::atoi(argv[1]);
  if (argc > 2) launches = std::atoi(argv[2]);
  if (elements < 1 || launches < 1 || launches > 64) {
    std::fprintf(stderr, "usage: cuda_pipeline [elements] [launches of each stage, at most 64]\n");
    return 2;
  }
  const auto repeat = [](auto launch) {
    for (int i = 0; i < launches; ++i) launch();
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  const auto unit = [](unsigned r) { return static_cast<float>(r & 0xffff) / 65536.0f - 0.5f; };
  const auto x = generate<float>(elements, unit);
  const auto bytes =
      generate<unsigned char>(elements, [](unsigned r) { return static_cast<unsigned char>(r ^ (r >> 7)); });
  const auto integers = generate<int>(elements, [](unsigned r) { return static_cast<int>(r % 2001) - 1000; });

  {
    const DeviceArray<float> dx(x), dy(x);
    repeat([&] { pipeline::launch_saxpy(2.5f, dx.get(), dy.get(), elements); });
    report("saxpy", equal<float>(dy.read(), [&](int i) {
             float y = x[i];
             for (int k = 0; k < launches; ++k) y = std::fma(2.5f, x[i], y);
             return y;
           }));
  }
  {
    constexpr int kBlocks = 1056;
    const DeviceArray<int> dx(integers), sums(std::vector<int>(kBlocks, -1));
    repeat([&] { pipeline::launch_block_sums(dx.get(), sums.get(), elements, kBlocks); });
    report("block_sums", equal<int>(sums.read(), [&](int block) {
             int sum = 0;
             for (int base = block * 256; base < elements; base += kBlocks * 256) {
               for (int i = base; i < base + 256 && i < elements; ++i) sum += integers[i];
             }
             return sum;
           }));
  }
  {
    const DeviceArray<unsigned char> dx(bytes);
    const DeviceArray<unsigned> bins(std::vector<unsigned>(pipeline::kBins, 7));
    std::vector<unsigned> expected(pipeline::kBins, 7);
    for (unsigned char byte : bytes) expected[byte] += static_cast<unsigned>(launches);
    repeat([&] { pipeline::launch_histogram(dx.get(), bins.get(), elements); });
    report("histogram", bins.read() == expected);
  }
  {
    std::vector<float> table(pipeline::kTableSize);
    for (int i = 0; i < pipeline::kTableSize; ++i) table[i] = 1.0f / static_cast<float>(i + 1);
    const DeviceArray<unsigned char> dx(bytes);
    const DeviceArray<float> out(std::vector<float>(elements, 0.0f));
    pipeline::set_table(table.data());
    repeat([&] { pipeline::launch_table_lookup(dx.get(), out.get(), elements); });
    report("table_lookup", equal<float>(out.read(), [&](int i) { return table[bytes[i] % pipeline::kTableSize]; }));
  }
  {
    const auto small = [](unsigned r) { return static_cast<float>(static_cast<int>(r % 9) - 4); };  // exact in float
    const auto a = generate<float>(kMatrix * kMatrix, small);
    auto b = a;
    std::reverse(b.begin(), b.end());
    const DeviceArray<float> da(a), db(b), dc(std::vector<float>(kMatrix * kMatrix, -1.0f));
    repeat([&] { pipeline::launch_matmul(da.get(), db.get(), dc.get(), kMatrix); });
    report("matmul_tiled", equal<float>(
                               dc.read(),
                               [&](int i) {
                                 float sum = 0.0f;
                                 for (int k = 0; k < kMatrix; ++k)
                                   sum += a[i / kMatrix * kMatrix + k] * b[k * kMatrix + i % kMatrix];
                                 return sum;
                               },
                               97));
  }
  {
    std::vector<double> dx_host(x.begin(), x.end());
    const DeviceArray<double> dx(dx_host), dy(dx_host);
    repeat([&] { pipeline::launch_axpby(2.0f, dx.get(), 0.5f, dy.get(), elements); });
    report("axpby", equal<double>(dy.read(), [&](int i) {
             double y = dx_host[i];
             for (int k = 0; k < launches; ++k) y = 2.0 * dx_host[i] + 0.5 * y;
             return y;
           }));
  }
  {
    const DeviceArray<float> dx(x);
    repeat([&] { pipeline::launch_clamp(dx.get(), -0.25f, 0.125f, elements); });
    report("clamp",
           equal<float>(dx.read(), [&](int i) { return x[i] < -0.25f ? -0.25f : (x[i] > 0.125f ? 0.125f : x[i]); }));
  }
  {
    const auto logits = generate<float>(kRows * kColumns, [&](unsigned r) { return 8.0f * unit(r); });
    const DeviceArray<float> dx(logits), dy(std::vector<float>(kRows * kColumns, 0.0f));
    repeat([&] { pipeline::launch_softmax(dx.get(), dy.get(), kRows, kColumns); });
    const auto actual = dy.read();
    double worst = 0.0;
    for (int row = 0; row < kRows; ++row) {
      const float* in = &logits[row * kColumns];
      double highest = in[0], sum = 0.0;
      for (int i = 0; i < kColumns; ++i) highest = std::fmax(highest, in[i]);
      for (int i = 0; i < kColumns; ++i) sum += std::exp(in[i] - highest);
      for (int i = 0; i < kColumns; ++i) {
        const double expected = std::exp(in[i] - highest) / sum;
        worst = std::fmax(worst, std::fabs(actual[row * kColumns + i] / expected - 1.0));
      }
    }
    report("softmax_rows", worst < 4e-6);
  }
  std::printf("cuda-pipeline: %d of 8 stages wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
