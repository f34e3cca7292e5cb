// The library that the shims stand in front of: an older and a newer form of one function, a function of many
// arguments, and a look-up of its own.
#include <cstdint>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

// The second form has one parameter more, as a call by the wrong one shows.
EXPORT int toy_add_old(int a, int b) {
  return 7000 + a + b;
}
EXPORT int toy_add_new(int a, int b, int c) {
  return a + b + c;
}
__asm__(".symver toy_add_old, toy_add@TOY_1");
__asm__(".symver toy_add_new, toy_add@@TOY_2");

// Sums as a program with per-thread default streams would ask for, and as others do.
EXPORT int toy_sum(int n) {
  return n * (n + 1) / 2;
}
EXPORT int toy_sum_ptsz(int n) {
  return 50000 + n * (n + 1) / 2;
}

// Arguments in all registers that there are for them, and ten on the stack.
EXPORT int toy_weigh(int a, int b, int c, int d, int e, int f, double g, double h, double i, double j, double k,
                     double l, double m, double n, double o, double p, int q, int r, int s, int t, int u, int v, int w,
                     int x) {
  return static_cast<int>(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l +
                          13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t + 21 * u + 22 * v +
                          23 * w + 24 * x);
}

EXPORT int hipGetProcAddress(const char* symbol, void** function, int version, uint64_t flags, int* status) {
  *function = nullptr;
  if (std::strcmp(symbol, "toy_add") == 0)
    *function = version < 2 ? reinterpret_cast<void*>(&toy_add_old) : reinterpret_cast<void*>(&toy_add_new);
  if (std::strcmp(symbol, "toy_sum") == 0)
    *function = flags != 0 ? reinterpret_cast<void*>(&toy_sum_ptsz) : reinterpret_cast<void*>(&toy_sum);
  *status = *function == nullptr;
  return *status;
}
