// The host's own arithmetic under a rounding direction: the oracle for add, multiply and fused multiply-add.
// Functions are not inlined and take their operands through volatiles, so that nothing is computed under another
// direction.
#pragma once

#include <cfenv>
#include <cmath>

namespace kernloop::softgpu::vector {

class HostRounding {
 public:
  explicit HostRounding(unsigned mode) : saved_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(kModes[mode]);
  }
  ~HostRounding() { std::fesetround(saved_); }

 private:
  int saved_;
};

template <class T>
[[gnu::noinline]] T host_add(T x, T y) {
  volatile T a = x, b = y, r = a + b;
  return r;
}
template <class T>
[[gnu::noinline]] T host_multiply(T x, T y) {
  volatile T a = x, b = y, r = a * b;
  return r;
}
template <class T>
[[gnu::noinline]] T host_fma(T x, T y, T z) {
  volatile T a = x, b = y, c = z, r = std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
  return r;
}

}  // namespace kernloop::softgpu::vector
