#include "base/sha256_pair.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define KERNLOOP_HAS_SHA_PAIR
#endif

namespace kernloop {

#ifdef KERNLOOP_HAS_SHA_PAIR
namespace {

constexpr size_t kBlockBytes = 64;

// FIPS 180-4, 4.2.2 and 5.3.3.
alignas(16) constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr uint32_t kInitialState[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

bool has_sha_instructions() {
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
  }();
  return has;
}

#define KERNLOOP_SHA __attribute__((target("sha,ssse3,sse4.1")))

// The state in the instructions' order: a, b, e, f and c, d, g, h.
struct State {
  __m128i abef, cdgh;
};

KERNLOOP_SHA State initial_state() {
  const auto* words = kInitialState;
  const auto as_int = [](uint32_t word) { return static_cast<int>(word); };
  return {_mm_set_epi32(as_int(words[0]), as_int(words[1]), as_int(words[4]), as_int(words[5])),
          _mm_set_epi32(as_int(words[2]), as_int(words[3]), as_int(words[6]), as_int(words[7]))};
}

Digest digest_of(const State& state) {
  alignas(16) uint32_t abef[4], cdgh[4];  // lowest lane first
  _mm_store_si128(reinterpret_cast<__m128i*>(abef), state.abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(cdgh), state.cdgh);
  const uint32_t words[8] = {abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0]};
  Digest digest;
  for (size_t i = 0; i < 8; ++i) {
    const uint32_t big_endian = __builtin_bswap32(words[i]);
    std::memcpy(digest.bytes.data() + 4 * i, &big_endian, sizeof big_endian);
  }
  return digest;
}

// `Lanes` messages, a block of each: the same step of all of them before the next one.
template <size_t Lanes>
KERNLOOP_SHA inline void compress(State (&states)[Lanes], const uint8_t* const (&blocks)[Lanes]) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i words[Lanes][4];  // message schedule, the last 16
  State now[Lanes];
  for (size_t lane = 0; lane < Lanes; ++lane) now[lane] = states[lane];
#pragma GCC unroll 16
  for (size_t quad = 0; quad < 16; ++quad) {  // four rounds each
    const __m128i constants = _mm_load_si128(reinterpret_cast<const __m128i*>(kRoundConstants) + quad);
#pragma GCC unroll 2
    for (size_t lane = 0; lane < Lanes; ++lane) {
      __m128i(&w)[4] = words[lane];
      if (quad < 4) {
        const auto* bytes = reinterpret_cast<const __m128i*>(blocks[lane]) + quad;
        w[quad] = _mm_shuffle_epi8(_mm_loadu_si128(bytes), big_endian);
      } else {
        const __m128i& last = w[(quad + 3) % 4];
        const __m128i seven_back = _mm_alignr_epi8(last, w[(quad + 2) % 4], 4);
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[quad % 4], w[(quad + 1) % 4]), seven_back);
        w[quad % 4] = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i added = _mm_add_epi32(w[quad % 4], constants);
      State& state = now[lane];
      const __m128i cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, added);
      state.cdgh = state.abef;
      state.abef = cdgh;
      const __m128i next = _mm_sha256rnds2_epu32(state.cdgh, state.abef, _mm_shuffle_epi32(added, 0x0e));
      state.cdgh = state.abef;
      state.abef = next;
    }
  }
  for (size_t lane = 0; lane < Lanes; ++lane) {
    states[lane].abef = _mm_add_epi32(states[lane].abef, now[lane].abef);
    states[lane].cdgh = _mm_add_epi32(states[lane].cdgh, now[lane].cdgh);
  }
}

// From block `begin` on, and the padding.
KERNLOOP_SHA Digest finish(State state, Bytes message, size_t begin) {
  State states[1] = {state};
  const size_t whole = message.size() / kBlockBytes;
  for (size_t block = begin; block < whole; ++block) {
    const uint8_t* const at[1] = {message.data() + block * kBlockBytes};
    compress<1>(states, at);
  }
  const Bytes rest = message.subspan(whole * kBlockBytes);
  std::array<uint8_t, 2 * kBlockBytes> padded{};
  std::copy(rest.begin(), rest.end(), padded.begin());
  padded[rest.size()] = 0x80;
  const size_t blocks = rest.size() + 1 + sizeof(uint64_t) <= kBlockBytes ? 1 : 2;
  const uint64_t bits = __builtin_bswap64(uint64_t{message.size()} * 8);
  std::memcpy(padded.data() + blocks * kBlockBytes - sizeof bits, &bits, sizeof bits);
  for (size_t block = 0; block < blocks; ++block) {
    const uint8_t* const at[1] = {padded.data() + block * kBlockBytes};
    compress<1>(states, at);
  }
  return digest_of(states[0]);
}

KERNLOOP_SHA std::array<Digest, 2> hash_pair(Bytes first, Bytes second) {
  State states[2] = {initial_state(), initial_state()};
  const size_t shared = std::min(first.size(), second.size()) / kBlockBytes;
  for (size_t block = 0; block < shared; ++block) {
    const uint8_t* const at[2] = {first.data() + block * kBlockBytes, second.data() + block * kBlockBytes};
    compress<2>(states, at);
  }
  return {finish(states[0], first, shared), finish(states[1], second, shared)};
}

}  // namespace
#endif

std::array<Digest, 2> sha256_pair(Bytes first, Bytes second) {
#ifdef KERNLOOP_HAS_SHA_PAIR
  if (has_sha_instructions()) return hash_pair(first, second);
#endif
  return {sha256(first), sha256(second)};
}

}  // namespace kernloop
