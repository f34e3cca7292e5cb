// Functions that are not inlined: arguments, stack, recursion, pointers to functions, virtual functions.
#include "device.h"

#define NOINLINE __device__ __attribute__((noinline))

NOINLINE unsigned mix(unsigned a, unsigned b) {
  return (a ^ b >> 3) * 2654435761u + b;
}
NOINLINE unsigned chain(unsigned a, unsigned b, unsigned depth) {
  unsigned x = mix(a, b);
  for (unsigned k = 0; k < depth; ++k) x = mix(x, a + k) ^ mix(b, x);
  return x;
}
KERNEL void chained(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[i] = chain(in[i], i, in[i] % 5);
}

NOINLINE unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
NOINLINE unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
KERNEL void recursion(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[2 * i] = fibonacci(in[i] % 13);
  out[2 * i + 1] = ackermann(in[i] % 3, in[i] % 4);
}

// Quicksort of a private array, recursive.
NOINLINE void sort(int* values, int from, int to) {
  if (from >= to) return;
  const int pivot = values[(from + to) / 2];
  int low = from, high = to;
  while (low <= high) {
    while (values[low] < pivot) ++low;
    while (values[high] > pivot) --high;
    if (low > high) break;
    const int other = values[low];
    values[low++] = values[high];
    values[high--] = other;
  }
  sort(values, from, high);
  sort(values, low, to);
}
KERNEL void sort_private(const int* in, int* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  int values[12];
  for (int k = 0; k < 12; ++k) values[k] = in[12 * i + k];
  sort(values, 0, 11);
  for (int k = 0; k < 12; ++k) out[12 * i + k] = values[k];
}

NOINLINE float add(float a, float b) {
  return a + b;
}
NOINLINE float subtract(float a, float b) {
  return a - b;
}
NOINLINE float multiply(float a, float b) {
  return a * b;
}
NOINLINE float larger(float a, float b) {
  return a > b ? a : b;
}
using Binary = float (*)(float, float);
__device__ Binary operations[4] = {add, subtract, multiply, larger};
KERNEL void pointers(const float* a, const unsigned* which, float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  float x = a[i];
  for (unsigned k = 0; k < 4; ++k) x = operations[which[i] >> (2 * k) & 3](x, a[(i + k) % n]);
  out[i] = x;
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float scaled(float by) const { return area() * by; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Triangle : Shape {
  float base, height;
  __device__ Triangle(float b, float h) : base(b), height(h) {}
  __device__ float area() const override { return base * height * 0.5f; }
  __device__ float scaled(float by) const override { return area() * by * by; }
};
KERNEL void virtuals(const float* a, float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  Square square(a[i]);
  Triangle triangle(a[i], 3);
  const Shape* shape = i % 3 == 0 ? static_cast<const Shape*>(&square) : &triangle;
  out[i] = shape->area() + shape->scaled(2);
}

struct Matrix {
  float at[3][3];
};
NOINLINE Matrix product(Matrix a, Matrix b) {
  Matrix c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.at[i][j] = fmaf(a.at[i][0], b.at[0][j], fmaf(a.at[i][1], b.at[1][j], a.at[i][2] * b.at[2][j]));
  return c;
}
KERNEL void structures(Matrix by, const Matrix* in, Matrix* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[i] = product(in[i], product(by, in[i]));
}

// More arguments than fit in registers, of every size.
NOINLINE double many(char a, short b, int c, long d, float e, double f, Matrix g, int h, Matrix k, long l, Matrix m,
                     double o) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + g.at[2][1] + h + k.at[0][2] + l + m.at[1][1] + o;
}
KERNEL void many_arguments(const int* in, double* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  Matrix m;
  for (int k = 0; k < 9; ++k) m.at[k / 3][k % 3] = float(in[i] % 16 + k);
  const int x = in[i] % 50;
  out[i] = many(char(x), short(x + 1), x + 2, x + 3, float(x + 4), x + 5, m, x + 6, m, x + 7, m, x + 8);
}
