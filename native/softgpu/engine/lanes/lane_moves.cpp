// Picks the forms that this host can run.
#include "softgpu/engine/lanes/lane_moves.h"

#include <algorithm>
#include <numeric>

#include "softgpu/engine/lanes/host_avx512.h"
#include "softgpu/engine/lanes/lane_moves_portable.h"

namespace kernloop::softgpu {

void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords) {
  if (avx512::host_has()) return avx512::load_dwords(rows, base, offsets, lanes, dwords);
  portable::load_dwords(rows, base, offsets, lanes, dwords);
}

void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::load_dword(row, addresses, lanes);
  portable::load_dword(row, addresses, lanes);
}

void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes) {
  if (avx512::host_has()) return avx512::store_dword(row, base, offsets, lanes);
  portable::store_dword(row, base, offsets, lanes);
}

void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::store_dword(row, addresses, lanes);
  portable::store_dword(row, addresses, lanes);
}

void load_pairs(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::load_pairs(rows, addresses, lanes);
  portable::load_pairs(rows, addresses, lanes);
}

void load_words(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::load_words(rows, addresses, lanes);
  portable::load_words(rows, addresses, lanes);
}

void load_triples(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::load_triples(rows, addresses, lanes);
  portable::load_triples(rows, addresses, lanes);
}

void store_words(const VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::store_words(rows, addresses, lanes);
  portable::store_words(rows, addresses, lanes);
}

void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes) {
  if (avx512::host_has()) return avx512::load_narrow(row, from, bytes, lanes);
  portable::load_narrow(row, from, bytes, lanes);
}

void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes) {
  if (avx512::host_has()) return avx512::load_array(rows, from, dwords, lanes);
  portable::load_array(rows, from, dwords, lanes);
}

void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes) {
  if (avx512::host_has()) return avx512::store_array(rows, to, dwords, lanes);
  portable::store_array(rows, to, dwords, lanes);
}

void load_rows(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned dwords, unsigned lanes) {
  if (avx512::host_has()) return avx512::load_rows(rows, base, from, dwords, lanes);
  portable::load_rows(rows, base, from, dwords, lanes);
}

void store_rows(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned dwords, unsigned lanes) {
  if (avx512::host_has()) return avx512::store_rows(rows, base, to, dwords, lanes);
  portable::store_rows(rows, base, to, dwords, lanes);
}

void pull_lanes(VectorRegister& out, const VectorRegister& data, const uint32_t* from, uint64_t lanes) {
  if (avx512::host_has()) return avx512::pull_lanes(out, data, from, lanes);
  portable::pull_lanes(out, data, from, lanes);
}

void fill_dwords(uint32_t* to, size_t count, uint32_t value) {
  if (avx512::host_has()) return avx512::fill_dwords(to, count, value);
  std::fill_n(to, count, value);
}

void count_up(uint32_t* to, size_t count, uint32_t first) {
  if (avx512::host_has()) return avx512::count_up(to, count, first);
  std::iota(to, to + count, first);
}

}  // namespace kernloop::softgpu
