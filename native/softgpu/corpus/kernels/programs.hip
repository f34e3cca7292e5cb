// What programs are made of: whole algorithms, each with its own mixture of instructions.
#include "device.h"

KERNEL void matmul(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float left[16][16], right[16][16];
  const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (unsigned tile = 0; tile < n; tile += 16) {
    left[y][x] = row < n && tile + x < n ? a[row * n + tile + x] : 0;
    right[y][x] = column < n && tile + y < n ? b[(tile + y) * n + column] : 0;
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum = fmaf(left[y][k], right[k][x], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// SHA-256 of one 55-byte message a thread.
__constant__ const unsigned kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ unsigned rotate(unsigned x, unsigned by) {
  return x >> by | x << (32 - by);
}
KERNEL void sha256(const unsigned char* messages, unsigned length, unsigned* digests, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned w[64];
  for (unsigned k = 0; k < 16; ++k) {
    w[k] = 0;
    for (unsigned byte = 4 * k; byte < 4 * k + 4; ++byte)
      w[k] = w[k] << 8 | (byte < length ? messages[i * length + byte] : byte == length ? 0x80 : 0);
  }
  w[15] = length * 8;
  for (unsigned k = 16; k < 64; ++k) {
    const unsigned s0 = rotate(w[k - 15], 7) ^ rotate(w[k - 15], 18) ^ w[k - 15] >> 3;
    const unsigned s1 = rotate(w[k - 2], 17) ^ rotate(w[k - 2], 19) ^ w[k - 2] >> 10;
    w[k] = w[k - 16] + s0 + w[k - 7] + s1;
  }
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
           s[8];
  for (unsigned k = 0; k < 8; ++k) s[k] = h[k];
  for (unsigned k = 0; k < 64; ++k) {
    const unsigned t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[k] + w[k];
    const unsigned t2 =
        (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (unsigned j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (unsigned k = 0; k < 8; ++k) digests[8 * i + k] = h[k] + s[k];
}

// A complex FFT of 256 points in LDS.
KERNEL void fft(float2* data) {
  __shared__ float2 points[256];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 256; i += 128) points[__brev(i) >> 24] = data[blockIdx.x * 256 + i];
  __syncthreads();
  for (unsigned half = 1; half < 256; half *= 2) {
    const unsigned k = t % half, low = t / half * 2 * half + k;
    float s, c;
    sincosf(-3.14159265f * static_cast<float>(k) / static_cast<float>(half), &s, &c);
    const float2 a = points[low], b = points[low + half];
    const float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    points[low] = make_float2(a.x + turned.x, a.y + turned.y);
    points[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
    __syncthreads();
  }
  for (unsigned i = t; i < 256; i += 128) data[blockIdx.x * 256 + i] = points[i];
}

KERNEL void mandelbrot(unsigned char* out, unsigned width, unsigned height) {
#pragma clang fp contract(off)
  const unsigned px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const double cx = -2 + 2.5 * px / width, cy = -1.25 + 2.5 * py / height;
  double x = 0, y = 0;
  unsigned steps = 0;
  for (; steps < 200 && x * x + y * y <= 4; ++steps) {
    const double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  out[py * width + px] = static_cast<unsigned char>(steps);
}

// Sparse matrix times vector: a wave a row.
KERNEL void spmv(const unsigned* starts, const unsigned* columns, const double* values, const double* x, double* y,
                 unsigned rows) {
  const unsigned row = global_index() / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0;
  for (unsigned k = starts[row] + lane; k < starts[row + 1]; k += warpSize) sum += values[k] * x[columns[k]];
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (lane == 0) y[row] = sum;
}

// Edit distance of two words a thread, two rows at a time.
KERNEL void edit_distance(const char* words, const int* lengths, const char* other, int other_length, int* distances,
                          unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned char row[33];
  for (int k = 0; k <= other_length; ++k) row[k] = static_cast<unsigned char>(k);
  for (int a = 0; a < lengths[i]; ++a) {
    unsigned char diagonal = row[0];
    row[0] = static_cast<unsigned char>(a + 1);
    for (int b = 0; b < other_length; ++b) {
      const unsigned char substituted = diagonal + (words[32 * i + a] != other[b]);
      diagonal = row[b + 1];
      row[b + 1] =
          min(min(static_cast<unsigned char>(row[b] + 1), static_cast<unsigned char>(row[b + 1] + 1)), substituted);
    }
  }
  distances[i] = row[other_length];
}

// Rows of a matrix, each to probabilities: a block a row.
KERNEL void softmax(const float* in, float* out, unsigned columns) {
  __shared__ float partial[128];
  const unsigned t = threadIdx.x, base = blockIdx.x * columns;
  float largest = -INFINITY;
  for (unsigned k = t; k < columns; k += 128) largest = fmaxf(largest, in[base + k]);
  partial[t] = largest;
  for (unsigned step = 64; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) partial[t] = fmaxf(partial[t], partial[t + step]);
  }
  __syncthreads();
  largest = partial[0];
  __syncthreads();
  float sum = 0;
  for (unsigned k = t; k < columns; k += 128) sum += expf(in[base + k] - largest);
  partial[t] = sum;
  for (unsigned step = 64; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) partial[t] += partial[t + step];
  }
  __syncthreads();
  for (unsigned k = t; k < columns; k += 128) out[base + k] = expf(in[base + k] - largest) / partial[0];
}

// Conway's rule on a torus, 32 cells a word.
KERNEL void life(const unsigned* in, unsigned* out, unsigned words, unsigned rows) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= rows) return;
  unsigned ones = 0, twos = 0, fours = 0;
  for (unsigned dy = rows - 1; dy <= rows + 1; ++dy) {
    const unsigned* row = in + (y + dy) % rows * words;
    const unsigned here = row[x], left = here << 1 | row[(x + words - 1) % words] >> 31,
                   right = here >> 1 | row[(x + 1) % words] << 31;
    for (unsigned k = 0; k < 3; ++k) {
      if (k == 1 && dy == rows) continue;
      const unsigned cell = k == 0 ? left : k == 1 ? here : right, carry = ones & cell;
      ones ^= cell;
      fours |= twos & carry;
      twos ^= carry;
    }
  }
  out[y * words + x] = twos & ~fours & (ones | in[y * words + x]);
}
