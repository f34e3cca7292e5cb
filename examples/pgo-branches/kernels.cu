#include "kernels.h"

#include <cmath>

__global__ void evaluate(const Step* program, int length, const float* variables, float* results, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float value = 1.0f;
  for (int at = 0; at < length; ++at) {
    const Step step = program[at];
    const float v = variables[step.variable * points + i];
    value = performed(step.operation, value, v);
  }
  results[i] = value;
}

// Sums that lose no bit (Knuth's two-sum): the sign of a x + b y + c.
__device__ int exact_side(const Node& node, double x, double y) {
  constexpr int kTerms = 6;
  const double a = node.a, b = node.b;
  // Products of two floats are exact in a double.
  const double terms[kTerms] = {a * x, b * y, node.c, 0.0, 0.0, 0.0};
  double sums[kTerms] = {};
  for (int i = 0; i < kTerms; ++i) {
    double carry = terms[i];
    for (int k = 0; k < kTerms; ++k) {
      const double sum = sums[k] + carry, virtual_part = sum - sums[k];
      carry = (sums[k] - (sum - virtual_part)) + (carry - virtual_part);
      sums[k] = sum;
    }
  }
  for (int k = 0; k < kTerms; ++k) {
    if (sums[k] != 0.0) return sums[k] > 0.0 ? 1 : -1;
  }
  return 0;
}

__global__ void locate(const Node* nodes, const float* xs, const float* ys, int* leaves, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  const float x = xs[i], y = ys[i];
  int at = 0;
  while (at >= 0) {
    const Node node = nodes[at];
    const float side = fmaf(node.a, x, fmaf(node.b, y, node.c));
    const float doubt = 4e-7f * fmaf(fabsf(node.a), fabsf(x), fmaf(fabsf(node.b), fabsf(y), fabsf(node.c)));
    bool above = side > 0.0f;
    if (fabsf(side) <= doubt) above = exact_side(node, x, y) > 0;
    at = above ? node.above : node.below;
  }
  leaves[i] = ~at;
}

__global__ void multiply(const int* starts, const int* columns, const float* values, const float* x, float* y,
                         int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = starts[row]; k < starts[row + 1]; ++k) sum = fmaf(values[k], x[columns[k]], sum);
  y[row] = sum;
}

__global__ void lookup(const unsigned* keys, const unsigned* values, unsigned mask, const unsigned* wanted,
                       unsigned* found, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned key = wanted[i];
  unsigned slot = (key * 2654435761u) & mask, value = 0;
  while (keys[slot] != 0) {
    if (keys[slot] == key) {
      value = values[slot];
      break;
    }
    slot = (slot + 1) & mask;
  }
  found[i] = value;
}
