// test/data/tiny.hsaco, assembled from tiny.s.
#pragma once

#include <fstream>
#include <iterator>
#include <vector>

#include "codeobject/code_object.h"

namespace kernloop::recorder {

inline const std::vector<uint8_t>& tiny_code_object() {
  static const std::vector<uint8_t> bytes = [] {
    std::ifstream file(KERNLOOP_RECORDER_TEST_DATA "/tiny.hsaco", std::ios::binary);
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}
inline uint64_t tiny_descriptor_address() {
  auto info = codeobject::parse_code_object(tiny_code_object(), "tiny.hsaco");
  return info->find_kernel("tiny_kernel")->descriptor_address;
}
inline uint32_t tiny_kernarg_bytes() {
  return 24;
}
inline uint64_t tiny_hostcall_offset() {
  return 16;
}

}  // namespace kernloop::recorder
