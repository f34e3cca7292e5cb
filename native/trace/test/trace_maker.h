// Trace files as the four drivers write them, from values that a test knows. Written from the drivers' format; none of
// their code is here.
#pragma once

#include <functional>

#include "trace/trace_file.h"

namespace kernloop::trace::testing {

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{32, 1, 1};
  uint32_t shared_bytes = 0;

  uint64_t blocks() const { return uint64_t{1} * grid[0] * grid[1] * grid[2]; }
  uint64_t threads() const { return uint64_t{1} * block[0] * block[1] * block[2]; }
};

// map, block, unit, record, field -> value; a record of zeros is an empty slot.
using Values = std::function<uint64_t(size_t, uint64_t, uint64_t, uint64_t, size_t)>;

// A value that differs from its neighbours in every direction, above 2^63 now and then.
uint64_t value_of(size_t map, uint64_t block, uint64_t unit, uint64_t record, size_t field);

Map map_of(const std::string& name, Level level, std::vector<std::pair<std::string, uint32_t>> fields,
           uint64_t records);

struct MadeFile {
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> data_offsets;  // real begin of each map
};

// `warp` is the driver's: 32 for CUDA, 64 for HIP. Blocks that are no multiple of it are written as the probes do: each
// block begins floor(threads / warp) units behind the one before.
MadeFile make_trace(Dialect dialect, const Launch& launch, const std::vector<Map>& maps, const Values& values,
                    uint32_t warp = 32);

class Folder {
 public:
  Folder();
  ~Folder();
  std::filesystem::path write(const std::string& name, std::span<const uint8_t> bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& path);

}  // namespace kernloop::trace::testing
