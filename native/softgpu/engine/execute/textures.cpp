#include "softgpu/engine/execute/textures.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu {

namespace {

constexpr uint64_t kMaxCodeBytes = 1 << 20;

// MIMG and MTBUF, by their first six bits: no decoder here knows them.
bool is_image_encoding(uint32_t word) {
  return word >> 26 == 0b111100 || word >> 26 == 0b111010;
}

// Images of one dimension are read through buffers with a format.
bool converts_formats(const Instruction& instruction) {
  return std::string_view(op_name(instruction.op)).find("_format_") != std::string_view::npos;
}

}  // namespace

std::optional<uint64_t> first_image_instruction(Target target, MemoryPort& memory, uint64_t entry, uint64_t beyond) {
  uint64_t run_base = 0, run_bytes = 0;
  const uint8_t* code = entry % 4 == 0 ? memory.code_at(entry, &run_base, &run_bytes) : nullptr;
  if (code == nullptr) return std::nullopt;
  std::vector<uint32_t> words(std::min(run_base + run_bytes - entry, kMaxCodeBytes) / 4);
  std::memcpy(words.data(), code, words.size() * 4);
  const std::span<const uint32_t> all(words);
  for (size_t at = 0; at < all.size();) {
    const DecodeResult result = decode(target, all.subspan(at));
    if (result.status != DecodeStatus::kOk) {
      if (result.status == DecodeStatus::kUnknown && is_image_encoding(all[at])) return at * 4;
      return std::nullopt;
    }
    if (converts_formats(result.instruction)) return at * 4;
    if (result.instruction.op == Op::s_endpgm && entry + at * 4 >= beyond) return std::nullopt;
    at += result.instruction.size_bytes / 4;
  }
  return std::nullopt;
}

}  // namespace kernloop::softgpu
