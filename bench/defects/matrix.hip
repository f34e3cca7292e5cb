#include "planted.h"

namespace planted {

// Tiles of 16 x 16; while one pair is multiplied, the next is loaded.
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int depth) {
  __shared__ float tile_a[2][16][16];
  __shared__ float tile_b[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  const int tiles = (depth + 15) / 16;
  tile_a[0][ty][tx] = row < m && tx < depth ? a[row * depth + tx] : 0.0f;
  tile_b[0][ty][tx] = column < n && ty < depth ? b[ty * n + column] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int t = 0; t < tiles; ++t) {
    const int now = t % 2;
    if (t + 1 < tiles) {
      const int k = (t + 1) * 16;
      tile_a[1 - now][ty][tx] = row < m && k + tx < depth ? a[row * depth + k + tx] : 0.0f;
      tile_b[1 - now][ty][tx] = column < n && k + ty < depth ? b[(k + ty) * n + column] : 0.0f;
    }
    for (int k = 0; k < 16; ++k) sum = fmaf(tile_a[now][ty][k], tile_b[now][k][tx], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// One block a row: maximum, sum of exponentials, quotient.
__global__ void softmax_rows(const float* x, float* y, int columns) {
  __shared__ float shared[128];
  const float* in = x + blockIdx.x * columns;
  float* out = y + blockIdx.x * columns;
  const int t = threadIdx.x;
  float highest = -3.402823466e38f;
  for (int i = t; i < columns; i += 128) highest = fmaxf(highest, in[i]);
  shared[t] = highest;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);
    __syncthreads();
  }
  highest = shared[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < columns; i += 128) sum += expf(in[i] - highest);
  shared[t] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  sum = shared[0];
  for (int i = t; i < columns; i += 128) out[i] = expf(in[i] - highest) / sum;
}

// One block a row; both moments by shuffles, then over the waves.
__global__ void layer_norm(const float* x, const float* gain, const float* bias, float* y, int columns) {
  __shared__ float first[2];
  __shared__ float second[2];
  const int t = threadIdx.x;
  const float* in = x + blockIdx.x * columns;
  float sum = 0.0f, squares = 0.0f;
  for (int i = t; i < columns; i += 128) {
    const float value = in[i];
    sum += value;
    squares = fmaf(value, value, squares);
  }
  for (int step = 32; step > 0; step /= 2) {
    sum += __shfl_xor(sum, step);
    squares += __shfl_xor(squares, step);
  }
  if (t % 64 == 0) {
    first[t / 64] = sum;
    second[t / 64] = squares;
  }
  __syncthreads();
  const float mean = (first[0] + first[1]) / columns;
  const float variance = fmaf(-mean, mean, (second[0] + second[1]) / columns);
  const float scale = 1.0f / sqrtf(variance + 1e-5f);
  for (int i = t; i < columns; i += 128) {
    y[blockIdx.x * columns + i] = fmaf((in[i] - mean) * scale, gain[i], bias[i]);
  }
}

// Sixteen lanes a row.
__global__ void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
  const int lane = threadIdx.x % 16;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  float sum = 0.0f;
  if (row < rows) {
    const int end = starts[row + 1];
    for (int k = starts[row] + lane; k < end; k += 16) sum = fmaf(values[k], x[columns[k]], sum);
  }
  for (int step = 8; step > 0; step /= 2) sum += __shfl_down(sum, step, 16);
  if (lane == 0 && row < rows) y[row] = sum;
}

// 512 elements a block, in LDS; behind the end stands the largest integer.
__global__ void bitonic_sort(const int* x, int* y, int n) {
  __shared__ int keys[512];
  const int t = threadIdx.x;
  const int base = blockIdx.x * 512;
  keys[t] = base + t < n ? x[base + t] : 2147483647;
  keys[t + 256] = base + t + 256 < n ? x[base + t + 256] : 2147483647;
  for (int size = 2; size <= 512; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const int low = 2 * t - (t & (step - 1));
      const int high = low + step;
      const bool up = (low & size) == 0;
      const int a = keys[low], b = keys[high];
      if ((a > b) == up) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  }
  __syncthreads();
  if (base + t < n) y[base + t] = keys[t];
  if (base + t + 256 < n) y[base + t + 256] = keys[t + 256];
}

// y = A x for a matrix stored by rows whose index does not fit sixteen bits; a block takes four rows, a wave each.
__global__ void matvec(const float* a, const float* x, float* y, int rows, int columns) {
  const int lane = threadIdx.x % 64;
  const int row = blockIdx.x * 4 + threadIdx.x / 64;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = lane; k < columns; k += 64) sum = fmaf(a[row * columns + k], x[k], sum);
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (lane == 0) y[row] = sum;
}

void run_matrix() {
  {
    const int m = 50, n = 45, depth = 70;
    const auto a = random_floats(m * depth), b = random_floats(depth * n);
    const Device<float> da(a), db(b), dc(m * n, -1.0f);
    matmul<<<dim3(blocks_for(n, 16), blocks_for(m, 16)), dim3(16, 16)>>>(da.get(), db.get(), dc.get(), m, n, depth);
    std::vector<double> expected(m * n);
    for (int i = 0; i < m * n; ++i) {
      for (int k = 0; k < depth; ++k) expected[i] += static_cast<double>(a[i / n * depth + k]) * b[k * n + i % n];
    }
    report("matmul", near(dc.read(), expected, 1e-5));
  }
  {
    const int rows = 9, columns = 301;
    auto x = random_floats(rows * columns);
    for (float& value : x) value *= 8.0f;
    const Device<float> dx(x), y(rows * columns, -1.0f);
    softmax_rows<<<rows, 128>>>(dx.get(), y.get(), columns);
    std::vector<double> expected(rows * columns), sums(rows);
    for (int i = 0; i < rows * columns; ++i) sums[i / columns] += std::exp(static_cast<double>(x[i]));
    for (int i = 0; i < rows * columns; ++i) expected[i] = std::exp(static_cast<double>(x[i])) / sums[i / columns];
    report("softmax_rows", near(y.read(), expected, 1e-6));
  }
  {
    const int rows = 11, columns = 203;
    const auto x = random_floats(rows * columns), gain = random_floats(columns), bias = random_floats(columns);
    const Device<float> dx(x), dgain(gain), dbias(bias), y(rows * columns, -1.0f);
    layer_norm<<<rows, 128>>>(dx.get(), dgain.get(), dbias.get(), y.get(), columns);
    std::vector<double> expected(rows * columns);
    for (int row = 0; row < rows; ++row) {
      double sum = 0.0, squares = 0.0;
      for (int i = 0; i < columns; ++i) {
        sum += x[row * columns + i];
        squares += static_cast<double>(x[row * columns + i]) * x[row * columns + i];
      }
      const double mean = sum / columns, scale = 1.0 / std::sqrt(squares / columns - mean * mean + 1e-5);
      for (int i = 0; i < columns; ++i)
        expected[row * columns + i] = (x[row * columns + i] - mean) * scale * gain[i] + bias[i];
    }
    report("layer_norm", near(y.read(), expected, 1e-5));
  }
  {
    const int rows = 150, width = 400;
    std::vector<int> starts(1, 0), columns;
    for (int row = 0; row < rows; ++row) {
      for (int k = random_bits() % 40; k > 0; --k) columns.push_back(static_cast<int>(random_bits() % width));
      starts.push_back(static_cast<int>(columns.size()));
    }
    const auto values = random_floats(columns.size()), x = random_floats(width);
    const Device<int> dstarts(starts), dcolumns(columns);
    const Device<float> dvalues(values), dx(x), y(rows, -1.0f);
    spmv<<<blocks_for(rows * 16, 128), 128>>>(dstarts.get(), dcolumns.get(), dvalues.get(), dx.get(), y.get(), rows);
    std::vector<double> expected(rows);
    for (int row = 0; row < rows; ++row) {
      for (int k = starts[row]; k < starts[row + 1]; ++k)
        expected[row] += static_cast<double>(values[k]) * x[columns[k]];
    }
    report("spmv", near(y.read(), expected, 1e-5));
  }
  {
    const int n = 1900;
    const auto x = random_ints(n, -100000, 100000);
    const Device<int> dx(x), y(n, -1);
    bitonic_sort<<<blocks_for(n, 512), 256>>>(dx.get(), y.get(), n);
    const auto actual = y.read();
    bool ok = true;
    for (int i = 1; i < n; ++i) ok = ok && (i % 512 == 0 || actual[i - 1] <= actual[i]);
    report("bitonic_sort", ok);
  }
  {
    const int rows = 131, columns = 517;
    const auto a = random_floats(rows * columns), x = random_floats(columns);
    const Device<float> da(a), dx(x), y(rows, -1.0f);
    matvec<<<blocks_for(rows, 4), 256>>>(da.get(), dx.get(), y.get(), rows, columns);
    std::vector<double> expected(rows);
    for (int i = 0; i < rows * columns; ++i) expected[i / columns] += static_cast<double>(a[i]) * x[i % columns];
    report("matvec", near(y.read(), expected, 1e-5));
  }
}

}  // namespace planted
