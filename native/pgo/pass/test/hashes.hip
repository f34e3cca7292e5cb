// Code whose shape depends on what runs before the instrumentation: inlining, propagation between functions, globals,
// calls that are folded.
#include "device.h"

namespace {

DEVICE int mode = 3;  // nobody writes it

DEVICE int byMode(int x) {
  if (mode == 3) return x + 1;
  for (int i = 0; i < x; ++i) x ^= i;
  return x;
}

// Called with one constant: propagation between functions removes a branch.
DEVICE NOINLINE int chosen(int x, bool fast) {
  if (fast) return x * 3;
  int sum = 0;
  while (x > 0) sum += x--;
  return sum;
}

DEVICE int recursive(int depth) {
  return depth < 2 ? 1 : recursive(depth - 1) + recursive(depth - 2);
}

template <int N>
DEVICE int unrolled(const int* values) {
  int best = values[0];
  for (int i = 1; i < N; ++i)
    if (values[i] > best) best = values[i];
  return best;
}

}  // namespace

DEVICE __attribute__((weak)) int replaceable(int x) {
  return x > 7 ? x - 7 : 0;
}

KERNEL void straight(int* out) {
  out[threadX()] = 5;
}

KERNEL void guarded_call(int* out, int n) {
  const int i = globalIndex();
  if (i < n) out[i] = byMode(i);
}

KERNEL void calls(int* out, const int* in, int n) {
  const int i = globalIndex();
  if (i >= n) return;
  int value = chosen(in[i], true) + replaceable(in[i]);
  if (value > 10) value += recursive(value & 7);
  out[i] = value;
}

KERNEL void best_of(int* out, const int* in) {
  const int i = globalIndex();
  out[i] = unrolled<4>(in + i) + unrolled<33>(in + 2 * i);
}

KERNEL void switching(int* out, const int* in) {
  const int i = globalIndex();
  switch (in[i]) {
    case 1:
    case 2:
    case 3:
    case 4:
      out[i] = 1;
      break;
    case 9:
      __builtin_trap();
    case 20:
      out[i] = in[i + 1] ? 4 : 5;
      [[fallthrough]];
    default:
      out[i + 1] = 3;
  }
}
