#include "planted.h"

namespace planted {

// Five points from a tile in LDS with a halo of one; outside of the grid lies zero.
__global__ void stencil2d(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][18];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  for (int k = ty * 16 + tx; k < 18 * 18; k += 256) {
    const int cx = static_cast<int>(blockIdx.x) * 16 + k % 18 - 1;
    const int cy = static_cast<int>(blockIdx.y) * 16 + k / 18 - 1;
    const bool inside = cx >= 0 && cx < width && cy >= 0 && cy < height;
    tile[k / 18][k % 18] = inside ? in[cy * width + cx] : 0.0f;
  }
  __syncthreads();
  if (x < width && y < height) {
    const float around = (tile[ty][tx + 1] + tile[ty + 2][tx + 1]) + (tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
    out[y * width + x] = fmaf(0.125f, around, 0.5f * tile[ty + 1][tx + 1]);
  }
}

// Sums of nine neighbours: each thread slides a window over sixteen places.
__global__ void box_filter(const int* in, int* out, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
  if (first >= n) return;
  int sum = 0;
  for (int i = first - 4; i < first + 4; ++i) sum += i >= 0 && i < n ? in[i] : 0;
  for (int i = first; i < first + 16 && i < n; ++i) {
    if (i + 4 < n) sum += in[i + 4];
    out[i] = sum;
    if (i - 4 >= 0) sum -= in[i - 4];
  }
}

// Seven taps; four results a thread, from a tile of ten in private memory.
__global__ void convolve(const float* in, const float* taps, float* out, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  float window[10];
  for (int k = 0; k < 10; ++k) {
    const int i = first + k - 3;
    window[k] = i >= 0 && i < n ? in[i] : 0.0f;
  }
  for (int r = 0; r < 4; ++r) {
    float sum = 0.0f;
    for (int k = 0; k < 7; ++k) sum = fmaf(taps[k], window[r + k], sum);
    if (first + r < n) out[first + r] = sum;
  }
}

// To the next element from each. The last thread of a block reads one place past the end of LDS, and takes another
// value: volatile, so that no compiler leaves the read out.
__global__ void differences(const int* in, int* out, int n) {
  __shared__ volatile int tile[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  int next = tile[t + 1];
  if (t == 255) next = i + 1 < n ? in[i + 1] : 0;
  if (i < n) out[i] = next - tile[t];
}

__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int y = blockIdx.y * 32 + k;
    if (x < width && y < height) tile[k][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  const int column = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.x * 32 + k;
    if (row < width && column < height) out[row * height + column] = tile[threadIdx.x][k];
  }
}

// The median of the last places that a thread has seen, kept in a private ring that is indexed at run time.
__global__ void ring_median(const int* in, const int* order, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int ring[5];
  for (int k = 0; k < 5; ++k) {
    const int place = i + order[k] - 2;
    ring[order[k]] = place >= 0 && place < n ? in[place] : 0;
  }
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4 - a; ++b) {
      const int low = min(ring[order[b] % 5], ring[order[b + 1] % 5]);
      const int high = max(ring[order[b] % 5], ring[order[b + 1] % 5]);
      ring[order[b] % 5] = low;
      ring[order[b + 1] % 5] = high;
    }
  }
  out[i] = ring[order[2]];
}

void run_stencil() {
  {
    const int width = 93, height = 61;
    const auto in = random_floats(width * height);
    const Device<float> din(in), out(width * height, -3.0f);
    stencil2d<<<dim3(blocks_for(width, 16), blocks_for(height, 16)), dim3(16, 16)>>>(din.get(), out.get(), width,
                                                                                     height);
    const auto at = [&](int x, int y) { return x < 0 || y < 0 || x >= width || y >= height ? 0.0 : in[y * width + x]; };
    std::vector<double> expected;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        expected.push_back(0.125 * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) + 0.5 * at(x, y));
      }
    }
    report("stencil2d", near(out.read(), expected, 1e-6));
  }
  {
    const int n = 10007;
    const auto in = random_ints(n, 1, 1000);
    const Device<int> din(in), out(n, -3);
    box_filter<<<blocks_for(n, 16 * 64), 64>>>(din.get(), out.get(), n);
    const auto actual = out.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) {
      int sum = 0;
      for (int k = i - 4; k <= i + 4; ++k) sum += k >= 0 && k < n ? in[k] : 0;
      ok = ok && actual[i] == sum;
    }
    report("box_filter", ok);
  }
  {
    const int n = 1500;
    const auto in = random_ints(n, 1, 1000);
    const Device<int> din(in), out(n, -3);
    differences<<<blocks_for(n, 256), 256>>>(din.get(), out.get(), n);
    const auto actual = out.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && actual[i] == (i + 1 < n ? in[i + 1] : 0) - in[i];
    report("differences", ok);
  }
  {
    const int n = 4099;
    const auto in = random_floats(n), taps = random_floats(7);
    const Device<float> din(in), dtaps(taps), out(n, -3.0f);
    convolve<<<blocks_for(n, 4 * 128), 128>>>(din.get(), dtaps.get(), out.get(), n);
    std::vector<double> expected(n);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 7; ++k) {
        const int at = i + k - 3;
        expected[i] += at >= 0 && at < n ? static_cast<double>(taps[k]) * in[at] : 0.0;
      }
    }
    report("convolve", near(out.read(), expected, 1e-5));
  }
  {
    const int width = 77, height = 101;
    const auto in = random_floats(width * height);
    const Device<float> din(in), out(width * height, -3.0f);
    transpose<<<dim3(blocks_for(width, 32), blocks_for(height, 32)), dim3(32, 8)>>>(din.get(), out.get(), width,
                                                                                    height);
    const auto actual = out.read();
    bool ok = true;
    for (int i = 0; i < width * height; ++i) ok = ok && actual[i % width * height + i / width] == in[i];
    report("transpose", ok);
  }
  {
    const int n = 2003;
    const auto in = random_ints(n, 1, 100000);
    const Device<int> din(in), order(std::vector<int>{0, 1, 2, 3, 4}), out(n, -3);
    ring_median<<<blocks_for(n, 128), 128>>>(din.get(), order.get(), out.get(), n);
    const auto actual = out.read();
    bool ok = true;
    for (int i = 2; i + 2 < n; ++i) {
      int smaller = 0;
      for (int k = i - 2; k <= i + 2; ++k) smaller += in[k] < actual[i];
      ok = ok && smaller <= 2;
    }
    report("ring_median", ok);
  }
}

}  // namespace planted
