// Memory that is not one flat array: private arrays, structures by value, constants, pitched rows, tables of pointers.
#include "device.h"

// An index that is not known: the array lives in scratch.
KERNEL void private_array(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned counts[16];
  for (unsigned k = 0; k < 16; ++k) counts[k] = k;
  for (unsigned k = 0; k < 32; ++k) counts[in[i] >> k & 15] += k + counts[(in[i] >> (k / 2)) & 15];
  unsigned sum = 0;
  for (unsigned k = 0; k < 16; ++k) sum = sum * 31 + counts[k];
  out[i] = sum;
}

// Bytes, shorts and doubles in private memory.
KERNEL void private_bytes(const unsigned* in, double* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  volatile signed char bytes[24];
  volatile unsigned short shorts[12];
  volatile double doubles[5];
  for (unsigned k = 0; k < 24; ++k) bytes[k] = static_cast<signed char>(in[i] >> (k % 25));
  for (unsigned k = 0; k < 12; ++k) shorts[k] = static_cast<unsigned short>(bytes[(in[i] + k) % 24] * 259);
  for (unsigned k = 0; k < 5; ++k) doubles[k] = shorts[(in[i] >> k) % 12] * 0.5;
  out[i] = doubles[in[i] % 5] + bytes[in[i] % 24];
}

// Gauss-Jordan with pivoting on a private matrix.
KERNEL void invert(const double* in, double* out, unsigned n) {
#pragma clang fp contract(off)
  const unsigned i = global_index();
  if (i >= n) return;
  double a[4][8];
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) a[r][c] = in[16 * i + 4 * r + c], a[r][c + 4] = r == c;
  for (int c = 0; c < 4; ++c) {
    int pivot = c;
    for (int r = c + 1; r < 4; ++r)
      if (fabs(a[r][c]) > fabs(a[pivot][c])) pivot = r;
    for (int k = 0; k < 8; ++k) {
      const double other = a[c][k];
      a[c][k] = a[pivot][k];
      a[pivot][k] = other;
    }
    const double scale = a[c][c];
    for (int k = 0; k < 8; ++k) a[c][k] /= scale;
    for (int r = 0; r < 4; ++r) {
      if (r == c) continue;
      const double factor = a[r][c];
      for (int k = 0; k < 8; ++k) a[r][k] -= factor * a[c][k];
    }
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out[16 * i + 4 * r + c] = a[r][c + 4];
}

struct Settings {
  char mode;
  double scale;
  short offsets[5];
  struct {
    unsigned char low;
    int high;
  } range;
  const float* table;
};
KERNEL void by_value(Settings settings, const float* in, double* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const int offset = settings.offsets[i % 5];
  double value = in[i] * settings.scale + settings.table[(i + static_cast<unsigned>(offset + 100)) % n];
  if (settings.mode == 'c') value = fmin(fmax(value, settings.range.low), settings.range.high);
  out[i] = value;
}

struct Large {
  int values[600];
};
KERNEL void large_argument(Large by, const int* in, int* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[i] = by.values[static_cast<unsigned>(in[i]) % 600] - by.values[i % 600];
}

__constant__ float weights[9];
__device__ int total = 3;
__device__ short lookup[4] = {-3, 5, 700, -32768};

// 3 x 3 convolution of rows that lie `pitch` bytes apart.
KERNEL void pitched(const char* in, char* out, unsigned in_pitch, unsigned out_pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const float* row =
        reinterpret_cast<const float*>(in + static_cast<unsigned long>(min(max(y + dy, 0), height - 1)) * in_pitch);
    for (int dx = -1; dx <= 1; ++dx)
      sum = fmaf(weights[(dy + 1) * 3 + dx + 1], row[min(max(x + dx, 0), width - 1)], sum);
  }
  reinterpret_cast<float*>(out + static_cast<unsigned long>(y) * out_pitch)[x] = sum;
}

KERNEL void variables(int* out, unsigned n) {
  const unsigned i = global_index();
  if (i < n) {
    out[i] = lookup[i % 4];
    atomicAdd(&total, lookup[i % 4]);
  }
}

// Rows of their own length, reached through a table of pointers.
KERNEL void jagged(int* const* rows, const unsigned* lengths, int* sums, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  int sum = 0;
  for (unsigned k = 0; k < lengths[i]; ++k) sum += rows[i][k] *= 2;
  sums[i] = sum;
}

// A list walked to its end, a different length in each lane.
struct Node {
  Node* next;
  int value;
};
KERNEL void walk(Node* const* heads, int* sums, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  int sum = 0;
  for (const Node* node = heads[i]; node != nullptr; node = node->next) sum = sum * 3 + node->value;
  sums[i] = sum;
}

// 24, 48, 96 bits and unaligned words.
KERNEL void odd_sizes(const uchar3* bytes, const ushort3* shorts, const float3* floats, const char* unaligned,
                      float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned word;
  __builtin_memcpy(&word, unaligned + 5 * i + 1, 4);
  out[i] = bytes[i].x + bytes[i].z * 2 + shorts[i].y + floats[i].x * floats[i].z + static_cast<float>(word >> 12);
}
