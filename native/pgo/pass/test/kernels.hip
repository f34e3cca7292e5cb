// Kernels whose every block is counted on the host, too (oracles.cpp). All take the same arguments. What decides a
// branch is read from `in`, which nobody writes.
#include "device.h"

#define ARGUMENTS const unsigned *in, unsigned *out, unsigned n, unsigned count

KERNEL void tail(ARGUMENTS) {
  const unsigned i = globalIndex();
  if (i >= n) return;
  out[i] = i * 3;
}

KERNEL void early_exits(ARGUMENTS) {
  const unsigned i = globalIndex();
  if (i >= n) return;
  const unsigned x = in[i];
  if (i % 3 == 0) return;
  out[i] = x + 1;
  if (i % 8 < 5) return;
  out[i] = x * 7 + i;
}

// As many rounds as each lane wants.
KERNEL void own_trips(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = in[i];
  unsigned k = 0;
  while (k < i % 7 + count) {
    x = x * 5 + in[k];
    ++k;
  }
  out[i] = x;
}

// A uniform loop with the divergent branch of the RFC's microbenchmarks.
KERNEL void hot_and_cold(ARGUMENTS) {
  const unsigned i = globalIndex();
  if (i >= n) return;
  unsigned x = i;
  unsigned k = 0;
  do {
    if ((i + k) % 16 != 0) {
      x = x * 9 + in[k];
    } else {
      out[i + k] = x;
    }
    ++k;
  } while (k < count);
  out[i] = x;
}

KERNEL void nested(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = i;
  if (i % 2 == 0) {
    out[i] = 1;
    if (i % 3 == 0) {
      out[i] = in[i + 1];
      x = in[i + 2];
    } else {
      out[i + 1] = 4;
      x *= 3;
    }
    x += in[i];
  } else {
    x -= in[i / 2];
  }
  out[i] = x;
}

// Conditions that stay selects: a uniform one and two divergent ones.
KERNEL void selects(ARGUMENTS) {
  const unsigned i = globalIndex();
  const unsigned x = in[i];
  const unsigned a = i % 5 < 2 ? x : i;
  const unsigned b = blockX() % 3 == 0 ? a * 5 : x;
  unsigned c = i;
  if (i % 16 < 9) {
    const unsigned y = in[i + 1];
    c = y % 4 == 1 ? y + b : y - a;
    out[i] = c;
  }
  out[i + n] = a + b + c;
}

KERNEL void many_ways(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = in[i];
  switch (i % 6) {
    case 0:
      out[i + 1] = x;
      break;
    case 1:
      x = in[x % n] * 3;
      break;
    case 3:
      out[i] = x + 2;
      x = x * x;
      break;
    case 4:
      x = in[x % n + 1];
      out[i] = 4;
      break;
    default:
      x = in[i + 2] - x;
  }
  out[i + n] = x;
}

// A reduction in local memory: barriers in a uniform loop, and ever fewer active lanes.
KERNEL void reduction(ARGUMENTS) {
  static SHARED unsigned values[256];
  const unsigned t = threadX();
  values[t] = in[globalIndex()];
  barrier();
  unsigned half = 64;
  do {
    if (t < half && t + half < blockSize()) {
      values[t] += values[t + half];
    }
    barrier();
    half /= 2;
  } while (half != 0);
  if (t == 0) {
    out[blockX()] = values[0];
  }
}

KERNEL void appending(ARGUMENTS) {
  const unsigned i = globalIndex();
  if (i % 3 != 1) return;
  const unsigned at = fetchAdd(out, 1);
  if (i % 9 == 1) {
    out[at + n] = i;
  }
  fetchAdd(out + 1, at != n);
}

// Inlined before the instrumentation, twice.
DEVICE inline unsigned folded(unsigned x, unsigned* out) {
  if (x % 4 == 3) {
    out[x] = x;
    x += 7;
  }
  return x * 3;
}

KERNEL void inlined(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = folded(i, out);
  if (i % 2 == 0) {
    x += folded(i + 1, out + n);
  }
  out[i] = x;
}

// Functions with counters of their own, called by a wave that is whole and by one that is not.
DEVICE NOINLINE unsigned called(unsigned x, const unsigned* in, unsigned* out) {
  unsigned sum = 0;
  if (x % 5 == 0) {
    sum = in[x];
    out[x] = 3;
  }
  unsigned k = 0;
  while (k < x % 3) {
    sum += in[k];
    ++k;
  }
  return sum;
}

KERNEL void calling(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = called(i, in, out);
  if (i % 4 == 1) {
    x += called(i + 2, in, out);
  }
  out[i] = x;
}

// continue, break and a loop in a loop.
KERNEL void loops(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = i;
  unsigned k = 0;
  while (k < count) {
    ++k;
    if ((x + k) % 5 == 2) {
      out[x % n] = k;
      continue;
    }
    unsigned j = 0;
    while (j < (i + k) % 3) {
      x += in[j];
      ++j;
    }
    if ((i ^ k) % 11 == 7) {
      out[i + n] = x;
      break;
    }
    out[i] = j;
    x = i + k * 3;
  }
  out[i + 2 * n] = x;
}

// Which of several exits a lane leaves the loop by decides what it does then.
KERNEL void search(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned k = 0;
  do {
    if (i % 13 == k) {
      out[i] = k;
      return;
    }
    if ((i * 7 + k) % 17 == 3) {
      out[i + 1] = k;
      return;
    }
    ++k;
  } while (k < count);
  out[i + 2] = 5;
}

KERNEL void either(ARGUMENTS) {
  const unsigned i = globalIndex();
  if (i % 4 == 0 || (in[i] % 2 == 0 && i % 6 == 3)) {
    out[i] = 8;
  }
  if (i % 2 == 1 && i % 3 == 2) {
    out[i] = 7;
  }
}

// Branches on what is the same for all lanes of a workgroup: statically uniform.
KERNEL void by_workgroup(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = i;
  if (blockX() % 3 == 1) {
    x = in[i];
    if (blockY() == 1) {
      out[i] = 5;
      x = x * x;
    }
  } else {
    out[i] = 6;
  }
  unsigned k = 0;
  while (k < count + blockZ()) {
    x += in[k];
    ++k;
  }
  out[i + n] = x;
}

// More counters in a loop than there are registers for.
KERNEL void wide(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned k = 0;
  while (k < count) {
    switch ((i + 3 * k) % 19) {
#define CASE(number)                  \
  case number:                        \
    out[i + number * k] = number ^ k; \
    break;
      CASE(0)
      CASE(1)
      CASE(2)
      CASE(3)
      CASE(4)
      CASE(5)
      CASE(6)
      CASE(7)
      CASE(8)
      CASE(9)
      CASE(10)
      CASE(11)
      CASE(12)
      CASE(13)
      CASE(14)
      CASE(15)
      default:
        out[i] += k;
    }
    ++k;
  }
}

// Called through a pointer: the wave goes to one function after the other.
DEVICE NOINLINE unsigned even(unsigned x, unsigned* out) {
  if (x % 8 == 2) out[x] = 1;
  return x / 2;
}
DEVICE NOINLINE unsigned odd(unsigned x, unsigned* out) {
  unsigned k = 0;
  while (k < x % 4) {
    out[x + k] = k;
    ++k;
  }
  return x * 3;
}

KERNEL void through_pointer(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned (*function)(unsigned, unsigned*) = in[i] % 2 == 0 ? even : odd;
  if (i % 5 != 0) out[i] = function(i, out + n);
}

// A loop with two ways in, which has no header. How a wave goes through it is the compiler's choice: only lanes are
// told.
KERNEL void tangled(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned k = i % 5;
  if (i % 2 == 1) goto middle;
top:
  out[i] = k;
  k += 2;
middle:
  out[i + n] = k;
  if (k < count + i % 3) {
    ++k;
    goto top;
  }
  out[i + 2 * n] = k;
}

// selects in a loop, and one that all lanes decide alike.
KERNEL void selects_in_loop(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = 0;
  unsigned k = 0;
  do {
    const unsigned y = in[i + k];
    x += y % 3 == 0 ? y : k;
    x ^= (blockX() + k) % 4 == 1 ? y : i;
    ++k;
  } while (k < count);
  out[i] = x;
}

// Each round is one block, and each lane has its own number of rounds.
KERNEL void own_rounds(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned x = 0;
  unsigned k = 0;
  do {
    x += in[i + k];
    ++k;
  } while (k < i % 6);
  out[i] = x;
}

// The way out is behind the second half of a round, which not every round comes to: both halves are on all ways through
// the loop.
KERNEL void retrying(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned k = 0;
  while (true) {
    out[i] = k;
    k += 1 + in[i + k] % 2;
    if ((i + k) % 3 == 0) continue;
    out[i + n] = k;
    if (k > count + i % 4) break;
  }
}

// The same with a loop in it, which lanes leave one by one and always come back to.
KERNEL void rounds_of_rounds(ARGUMENTS) {
  const unsigned i = globalIndex();
  unsigned k = 0;
  unsigned x = 0;
  do {
    do {
      x += in[i + k];
      ++k;
    } while ((i + k) % 4 != 0);
    out[i] = x;
  } while (k < count);
}

// The RFC's microbenchmark: twice eight doubles for 16 registers, so that tallies are spilled with them.
KERNEL FEW_REGISTERS void spilling(ARGUMENTS) {
  const unsigned i = globalIndex();
  if (i >= n) return;
  double a = i, b = i + 1, c = i + 2, d = i + 3, e = i + 4, f = i + 5, g = i + 6, h = i + 7;
  double p = i * 2, q = i * 3, r = i * 4, s = i * 5, t = i * 6, u = i * 7, v = i * 8, w = i * 9;
  unsigned k = 0;
  do {
    if ((i + k) % 16 != 0) {
      a = a * 0.0101 + b;
      b = b * 0.0102 + c;
      c = c * 0.0103 + d;
      d = d * 0.0104 + e;
      e = e * 0.0105 + f;
      f = f * 0.0106 + g;
      g = g * 0.0107 + h;
      h = h * 0.0108 + a;
    } else {
      p = p * 0.0101 + q;
      q = q * 0.0102 + r;
      r = r * 0.0103 + s;
      s = s * 0.0104 + t;
      t = t * 0.0105 + u;
      u = u * 0.0106 + v;
      v = v * 0.0107 + w;
      w = w * 0.0108 + p;
    }
    ++k;
  } while (k < count);
  out[i] = (unsigned)(a + b + c + d + e + f + g + h + p + q + r + s + t + u + v + w);
}
