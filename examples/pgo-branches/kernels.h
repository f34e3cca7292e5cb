// Kernels that branch unevenly. Every operation is rounded by itself, so that the host computes the same.
#pragma once

#include <cmath>

// Half plane `a x + b y + c > 0`; children below zero are leaves, ~leaf.
struct Node {
  float a, b, c;
  int below, above;
};

struct Step {
  int operation, variable;
};

__host__ __device__ inline float performed(int operation, float value, float v) {
  switch (operation) {
    case 0:
      return value + v;
    case 1:
      return value - v;
    case 2:
      return value * v;
    case 3:
      return fmaf(value, 0.5f, v);
    case 4:
      return fminf(value, v);
    case 5:
      return fmaxf(value, v);
    case 6:
      return -value;
    case 7:
      return fabsf(value);
    case 8:
      return v - value;
    case 9:
      return fmaf(value, value, -1.0f);
    case 10:
      return value > v ? value - v : v * 0.25f;
    case 11:
      return floorf(value);
    case 12:
      return sqrtf(fabsf(value));
    case 13:
      return v / fmaf(value, value, 1.0f);
    case 14:
      return value - floorf(value);
    case 15:
      return value < 0.0f ? 0.0f : value;
    default:
      return value;
  }
}

// Runs a program of a little machine for every point: one operation makes most of it.
__global__ void evaluate(const Step* program, int length, const float* variables, float* results, int points);

// Finds the leaf of a binary space partition for every point; in doubt, which is rare, a side is computed exactly.
__global__ void locate(const Node* nodes, const float* xs, const float* ys, int* leaves, int points);

// Multiplies a sparse matrix whose rows mostly have one or two entries.
__global__ void multiply(const int* starts, const int* columns, const float* values, const float* x, float* y,
                         int rows);

// Looks keys up in an open hash table, where most are in their own place.
__global__ void lookup(const unsigned* keys, const unsigned* values, unsigned mask, const unsigned* wanted,
                       unsigned* found, int count);
