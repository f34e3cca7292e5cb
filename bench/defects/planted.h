// Parts that the kernels' files share: a device copy of a host array, random inputs, and the report of a check against
// the host.
#pragma once

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Without the name of the file: for a unit that asks for it, each edit is compiled three times.
#define HIP_CHECK(call)                                                                      \
  do {                                                                                       \
    hipError_t status = (call);                                                              \
    if (status != hipSuccess) {                                                              \
      std::fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(status)); \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)

namespace planted {

template <typename T>
class Device {
 public:
  /** `spare`: elements behind them that nobody writes. */
  explicit Device(const std::vector<T>& host, size_t spare = 0) : size_(host.size()) {
    HIP_CHECK(hipMalloc(&data_, (size_ + spare) * sizeof(T)));
    HIP_CHECK(hipMemcpy(data_, host.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
  }
  Device(size_t size, T value) : Device(std::vector<T>(size, value)) {}
  ~Device() { (void)hipFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  T* get() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> host(size_);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(host.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

inline unsigned random_bits() {
  static unsigned state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

inline std::vector<float> random_floats(size_t n) {
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random_bits() & 0xffff) / 65536.0f - 0.5f;
  return values;
}

/** From low to high, both included. */
inline std::vector<int> random_ints(size_t n, int low, int high) {
  std::vector<int> values(n);
  for (int& value : values) value = low + static_cast<int>(random_bits() % static_cast<unsigned>(high - low + 1));
  return values;
}

inline int blocks_for(int n, int threads) {
  return (n + threads - 1) / threads;
}

inline bool near(const std::vector<float>& actual, const std::vector<double>& expected, double tolerance) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!(std::fabs(actual[i] - expected[i]) <= tolerance * (1.0 + std::fabs(expected[i])))) return false;
  }
  return true;
}

void report(const char* kernel, bool ok);

void run_elementwise();
void run_stencil();
void run_reduce();
void run_scan();
void run_matrix();
void run_compact();
void run_stateful();

}  // namespace planted
