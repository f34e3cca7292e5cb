#include "codeobject/cubin_comparison.h"

#include <set>
#include <string_view>

namespace kernloop::codeobject {

Result<std::vector<CubinFunction>> cubin_functions(Bytes bytes, const std::string& what) {
  constexpr std::string_view kPrefix = ".text.";
  const auto image = elf::Image::parse(bytes, what);
  if (!image) return image.error();
  const auto bad = [&](const std::string& why) {
    return Error{"CODE_OBJECT_INVALID", what + ": " + why,
                 "give a complete cubin, as nvcc -cubin, nvlink or cuobjdump -xelf wrote it"};
  };
  std::vector<CubinFunction> functions;
  std::set<std::string_view> names;
  uint64_t bytes_left = 4 * uint64_t{bytes.size()};
  for (const elf::Section& section : image->sections()) {
    if (!section.name.starts_with(kPrefix)) continue;
    if (!names.insert(section.name).second) return bad("it has two sections named " + std::string(section.name));
    const uint64_t taken = section.bytes.size() + section.name.size();
    if (taken > bytes_left) return bad("its sections overlap");
    bytes_left -= taken;
    functions.push_back({std::string(section.name.substr(kPrefix.size())), sha256(section.bytes)});
  }
  return functions;
}

Result<std::optional<std::string>> cubin_ptx(Bytes bytes, const std::string& what) {
  const auto image = elf::Image::parse(bytes, what);
  if (!image) return image.error();
  std::optional<std::string> ptx;
  const elf::Section* section = image->section(".nv_debug_ptx_txt");
  if (!section) return ptx;
  ptx.emplace();
  for (const uint8_t byte : section->bytes) {
    // Lines end with a zero byte; other bytes are Latin-1.
    if (byte < 0x80) {
      *ptx += byte == 0 ? '\n' : static_cast<char>(byte);
    } else {
      *ptx += {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
    }
  }
  if (ptx->find(".version") == ptx->npos) ptx.reset();
  return ptx;
}

}  // namespace kernloop::codeobject
