// Text that main.cpp compiles at run time: cells that relax, or react where `kinds` says so. Each path keeps eight
// numbers alive, and there are registers for fewer than sixteen: which path is frequent decides what is worth keeping.
R"(
template <typename Number>
__global__ __attribute__((amdgpu_num_vgpr(16)))
void relax(const unsigned char* kinds, Number* out, int n, int rounds) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n) return;
  Number a0 = cell, a1 = cell + 1, a2 = cell + 2, a3 = cell + 3, a4 = cell + 4, a5 = cell + 5, a6 = cell + 6, a7 = cell + 7;
  Number b0 = cell * 2, b1 = cell * 3, b2 = cell * 4, b3 = cell * 5, b4 = cell * 6, b5 = cell * 7, b6 = cell * 8, b7 = cell * 9;
  for (int round = 0; round < rounds; ++round) {
    if (kinds[(cell + round) % n] == 0) {
      a0 = fma(a0, Number(0.0101), a1); a1 = fma(a1, Number(0.0102), a2); a2 = fma(a2, Number(0.0103), a3); a3 = fma(a3, Number(0.0104), a4);
      a4 = fma(a4, Number(0.0105), a5); a5 = fma(a5, Number(0.0106), a6); a6 = fma(a6, Number(0.0107), a7); a7 = fma(a7, Number(0.0108), a0);
    } else {
      b0 = fma(b0, Number(0.0101), b1); b1 = fma(b1, Number(0.0102), b2); b2 = fma(b2, Number(0.0103), b3); b3 = fma(b3, Number(0.0104), b4);
      b4 = fma(b4, Number(0.0105), b5); b5 = fma(b5, Number(0.0106), b6); b6 = fma(b6, Number(0.0107), b7); b7 = fma(b7, Number(0.0108), b0);
    }
  }
  out[cell] = ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)) + (((b0 + b1) + (b2 + b3)) + ((b4 + b5) + (b6 + b7)));
}
)"
