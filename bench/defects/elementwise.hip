#include "planted.h"

namespace planted {

__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

struct Particles {
  float* px;
  float* py;
  float* vx;
  float* vy;
  int* hits;
};

// A struct of arrays, moved by one step in a box: a particle that leaves it is reflected and counted.
__global__ void move_particles(Particles p, float step, float size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = fmaf(p.vx[i], step, p.px[i]);
  float y = fmaf(p.vy[i], step, p.py[i]);
  int hits = 0;
  if (x < 0.0f || x > size) {
    x = x < 0.0f ? -x : 2.0f * size - x;
    p.vx[i] = -p.vx[i];
    ++hits;
  }
  if (y < 0.0f || y > size) {
    y = y < 0.0f ? -y : 2.0f * size - y;
    p.vy[i] = -p.vy[i];
    ++hits;
  }
  p.px[i] = x;
  p.py[i] = y;
  p.hits[i] += hits;
}

__global__ void complex_multiply(const float2* a, const float2* b, float2* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float2 u = a[i];
    const float2 v = b[i];
    c[i].x = fmaf(u.x, v.x, -(u.y * v.y));
    c[i].y = fmaf(u.x, v.y, u.y * v.x);
  }
}

// One scale a block, from the largest magnitude; then rounded to eight bits, saturated.
__global__ void quantize(const float* x, signed char* q, float* scales, float headroom, int n) {
  __shared__ float largest[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  const float value = i < n ? x[i] : 0.0f;
  largest[t] = fabsf(value);
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) largest[t] = fmaxf(largest[t], largest[t + half]);
    __syncthreads();
  }
  const float scale = largest[0] * headroom / 127.0f;
  if (t == 0) scales[blockIdx.x] = scale;
  if (i < n) {
    const float scaled = rintf(value / scale);
    q[i] = static_cast<signed char>(fminf(fmaxf(scaled, -127.0f), 127.0f));
  }
}

struct Half {
  _Float16 value;
};

__global__ void to_half(const float* x, Half* h, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (first + 1 < n) {
    h[first].value = static_cast<_Float16>(x[first]);
    h[first + 1].value = static_cast<_Float16>(x[first + 1]);
  } else if (first < n) {
    h[first].value = static_cast<_Float16>(x[first]);
  }
}

__global__ void pack_rgba(const float4* colour, unsigned* packed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 c = colour[i];
  const unsigned r = static_cast<unsigned>(fminf(fmaxf(c.x, 0.0f), 1.0f) * 255.0f + 0.5f);
  const unsigned g = static_cast<unsigned>(fminf(fmaxf(c.y, 0.0f), 1.0f) * 255.0f + 0.5f);
  const unsigned b = static_cast<unsigned>(fminf(fmaxf(c.z, 0.0f), 1.0f) * 255.0f + 0.5f);
  const unsigned a = static_cast<unsigned>(fminf(fmaxf(c.w, 0.0f), 1.0f) * 255.0f + 0.5f);
  packed[i] = r | g << 8 | b << 16 | a << 24;
}

// out[to[i]] = in[from[i]]; a negative source leaves the place as it is.
__global__ void gather_scatter(const float* in, const int* from, const int* to, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int source = from[i];
    const int target = to[i];
    if (source >= 0) out[target] = in[source];
  }
}

void run_elementwise() {
  {
    const int n = 5003;
    const auto x = random_floats(n), y = random_floats(n);
    const Device<float> dx(x), dy(y);
    saxpy<<<blocks_for(n, 256), 256>>>(2.5f, dx.get(), dy.get(), n);
    const auto actual = dy.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && actual[i] == std::fma(2.5f, x[i], y[i]);
    report("saxpy", ok);
  }
  {
    const int n = 3001;
    auto px = random_floats(n), py = random_floats(n), vx = random_floats(n), vy = random_floats(n);
    for (int i = 0; i < n; ++i) {
      px[i] = (px[i] + 0.5f) * 4.0f;
      py[i] = (py[i] + 0.5f) * 4.0f;
    }
    const Device<float> dpx(px), dpy(py), dvx(vx), dvy(vy);
    const Device<int> hits(n, 3);
    move_particles<<<blocks_for(n, 128), 128>>>({dpx.get(), dpy.get(), dvx.get(), dvy.get(), hits.get()}, 2.0f, 4.0f,
                                                n);
    const auto actual = dpx.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && actual[i] >= 0.0f && actual[i] <= 4.0f;
    report("move_particles", ok);
  }
  {
    const int n = 2500;
    const auto f = random_floats(4 * n);
    std::vector<float2> a(n), b(n);
    for (int i = 0; i < n; ++i) {
      a[i] = {f[4 * i], f[4 * i + 1]};
      b[i] = {f[4 * i + 2], f[4 * i + 3]};
    }
    const Device<float2> da(a), db(b), dc(n, float2{-9.0f, -9.0f});
    complex_multiply<<<blocks_for(n, 256), 256>>>(da.get(), db.get(), dc.get(), n);
    const auto c = dc.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) {
      ok = ok && std::fabs(c[i].x - (a[i].x * b[i].x - a[i].y * b[i].y)) < 1e-6 &&
           std::fabs(c[i].y - (a[i].x * b[i].y + a[i].y * b[i].x)) < 1e-6;
    }
    report("complex_multiply", ok);
  }
  {
    const int n = 3000, blocks = blocks_for(n, 256);
    const auto x = random_floats(n);
    const Device<float> dx(x), scales(blocks, -1.0f);
    const Device<signed char> q(n, 99);
    quantize<<<blocks, 256>>>(dx.get(), q.get(), scales.get(), 0.75f, n);
    const auto actual = q.read();
    const auto scale = scales.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) {
      const float exact = std::fmin(std::fmax(x[i] / scale[i / 256], -127.0f), 127.0f);
      ok = ok && std::fabs(exact - actual[i]) < 0.51f;
    }
    report("quantize", ok);
  }
  {
    const int n = 3333;
    const auto x = random_floats(n);
    const Device<float> dx(x);
    const Device<Half> h(n, Half{static_cast<_Float16>(7.0f)});
    to_half<<<blocks_for(n, 512), 256>>>(dx.get(), h.get(), n);
    const auto actual = h.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && std::fabs(static_cast<float>(actual[i].value) - x[i]) < 3e-4f;
    report("to_half", ok);
  }
  {
    const int n = 2001;
    const auto f = random_floats(4 * n);
    std::vector<float4> colour(n);
    for (int i = 0; i < n; ++i) {
      colour[i] = {f[4 * i] * 1.5f + 0.5f, f[4 * i + 1] + 0.5f, f[4 * i + 2] + 0.5f, f[4 * i + 3] + 0.5f};
    }
    const Device<float4> dc(colour);
    const Device<unsigned> packed(n, 0xdeadbeefu);
    pack_rgba<<<blocks_for(n, 256), 256>>>(dc.get(), packed.get(), n);
    const auto actual = packed.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && std::fabs((actual[i] >> 8 & 255) - colour[i].y * 255.0f) < 0.6f;
    report("pack_rgba", ok);
  }
  {
    const int n = 4001;
    const auto in = random_floats(n);
    const auto from = random_ints(n, -400, n - 1);
    std::vector<int> to(n);
    for (int i = 0; i < n; ++i) to[i] = static_cast<int>(static_cast<long long>(i) * 1237 % n);  // n is prime
    const Device<float> din(in), out(n, -5.0f);
    const Device<int> dfrom(from), dto(to);
    gather_scatter<<<blocks_for(n, 256), 256>>>(din.get(), dfrom.get(), dto.get(), out.get(), n);
    const auto actual = out.read();
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && actual[to[i]] == (from[i] < 0 ? -5.0f : in[from[i]]);
    report("gather_scatter", ok);
  }
}

}  // namespace planted
