"""Two kernels that CuPy compiles with NVRTC while the program runs: one with a plain name, one instance of a template."""

import sys

import cupy

SOURCE = r"""
extern "C" __global__ void damp(const float* in, float* out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * expf(-factor * fabsf(in[i]));
}

template <typename T>
__global__ void add_scaled(const T* x, T* y, T scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += scale * x[i];
}
"""


def main() -> int:
    n = 100_000
    module = cupy.RawModule(code=SOURCE, options=("-std=c++17",), name_expressions=["add_scaled<float>"])
    damp, add_scaled = module.get_function("damp"), module.get_function("add_scaled<float>")
    grid, block = ((n + 255) // 256,), (256,)
    x = cupy.linspace(-3, 3, n, dtype=cupy.float32)
    damped, y = cupy.empty_like(x), cupy.ones_like(x)
    damp(grid, block, (x, damped, cupy.float32(0.5), cupy.int32(n)))
    add_scaled(grid, block, (damped, y, cupy.float32(2), cupy.int32(n)))

    expected = 1 + 2 * x.astype(cupy.float64) * cupy.exp(-0.5 * cupy.abs(x.astype(cupy.float64)))
    worst = float(cupy.abs(y - expected).max())
    print(f"cupy-kernels: worst error {worst:.2e}")
    return 0 if worst < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
