// The compiled kernels in test/data.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace kernloop::codeobject {

inline std::vector<uint8_t> read_test_file(const std::string& name) {
  std::ifstream file(std::string(KERNLOOP_CODEOBJECT_TEST_DATA) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace kernloop::codeobject
