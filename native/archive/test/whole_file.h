// Whole files, as tests read and write them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/bytes.h"

namespace kernloop::archive {

inline Buffer load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void save(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace kernloop::archive
