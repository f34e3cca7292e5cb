#include "kernels.h"

// Every build is to round alike, whatever it inlines: only the fma that are written are executed.
#pragma clang fp contract(off)

namespace {

constexpr int kSpecies = 6;
constexpr double kStep = 0.01, kTolerance = 1e-3;
constexpr int kFront = 96;        // cells
constexpr double kSpeed = 0.375;  // cells a step

// A ring of reactions, each species made of the one before it, the last two also of each other; `heat` scales all.
__device__ inline void rates(const double* y, double heat, double* f) {
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) {
    const double made = (0.5 + 0.25 * i) * y[(i + kSpecies - 1) % kSpecies];
    const double lost = (0.75 + 0.125 * i) * y[i];
    f[i] = heat * __builtin_fma(y[i] * y[(i + 3) % kSpecies], 0.0625, made - lost);
  }
}

// Bogacki and Shampine's pair: third order, and the second for the error.
__device__ inline double explicit_step(const double* y, double heat, double* next) {
  double k1[kSpecies], k2[kSpecies], k3[kSpecies], k4[kSpecies], at[kSpecies];
  rates(y, heat, k1);
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) at[i] = __builtin_fma(kStep * 0.5, k1[i], y[i]);
  rates(at, heat, k2);
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) at[i] = __builtin_fma(kStep * 0.75, k2[i], y[i]);
  rates(at, heat, k3);
#pragma unroll
  for (int i = 0; i < kSpecies; ++i)
    next[i] = y[i] + kStep * (k1[i] * (2.0 / 9) + k2[i] * (1.0 / 3) + k3[i] * (4.0 / 9));
  rates(next, heat, k4);
  double error = 0;
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) {
    const double second = y[i] + kStep * (k1[i] * (7.0 / 24) + k2[i] * 0.25 + k3[i] * (1.0 / 3) + k4[i] * 0.125);
    error = __builtin_fmax(error, __builtin_fabs(second - next[i]));
  }
  return error;
}

// One step of Rosenbrock and Euler: (1 - h J) d = h f, by elimination without pivoting, as the diagonal dominates.
__device__ inline void implicit_step(const double* y, double heat, double* next) {
  double a[kSpecies][kSpecies], d[kSpecies];
  rates(y, heat, d);
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) {
#pragma unroll
    for (int j = 0; j < kSpecies; ++j) a[i][j] = i == j ? 1.0 : 0.0;
    const int before = (i + kSpecies - 1) % kSpecies, other = (i + 3) % kSpecies;
    a[i][before] -= kStep * heat * (0.5 + 0.25 * i);
    a[i][i] += kStep * heat * (0.75 + 0.125 * i - 0.0625 * y[other]);
    a[i][other] -= kStep * heat * (0.0625 * y[i]);
    d[i] *= kStep;
  }
#pragma unroll
  for (int k = 0; k < kSpecies; ++k) {
    const double pivot = 1.0 / a[k][k];
#pragma unroll
    for (int i = k + 1; i < kSpecies; ++i) {
      const double factor = a[i][k] * pivot;
#pragma unroll
      for (int j = k; j < kSpecies; ++j) a[i][j] = __builtin_fma(-factor, a[k][j], a[i][j]);
      d[i] = __builtin_fma(-factor, d[k], d[i]);
    }
  }
#pragma unroll
  for (int k = kSpecies - 1; k >= 0; --k) {
#pragma unroll
    for (int j = k + 1; j < kSpecies; ++j) d[k] = __builtin_fma(-a[k][j], d[j], d[k]);
    d[k] /= a[k][k];
    next[k] = y[k] + d[k];
  }
}

}  // namespace

// Fewer registers than are alive, so that more waves fit. (LLVM takes the number twice where accumulators are in the
// same file, as on gfx90a.)
extern "C" __global__ __attribute__((amdgpu_num_vgpr(32))) void kinetics(double* out, int n, int iterations) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n) return;
  double y[kSpecies], next[kSpecies];
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) y[i] = 0.25 + 0.015625 * ((cell * 7 + i * 13) % 32);
  double released = 0;
  int stiff = 0;
  for (int step = 0; step < iterations; ++step) {
    const double behind = __builtin_fabs(cell - (step * kSpeed - kFront));
    const double heat = behind < kFront / 2 ? 48.0 : 1.0;
    if (explicit_step(y, heat, next) > kTolerance) {
      implicit_step(y, heat, next);
      ++stiff;
    }
#pragma unroll
    for (int i = 0; i < kSpecies; ++i) {
      released += __builtin_fabs(next[i] - y[i]);
      y[i] = next[i];
    }
  }
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) released += y[i];
  out[cell] = released + stiff;
}
