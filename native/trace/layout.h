// Layout of the records in a trace file of Neutrino. The file has no magic, no version and no counts of records: a
// header of eight u32 (grid, block, shared bytes, number of maps), one section of 16 bytes a map, and the maps one
// after the other. Four programs wrote the sections in four ways (Dialect); dialect.h finds out which.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernloop::trace {

constexpr uint64_t kHeaderBytes = 32, kSectionBytes = 16;

struct Header {
  std::array<uint32_t, 3> grid{};   // blocks
  std::array<uint32_t, 3> block{};  // threads
  uint32_t shared_bytes = 0;
  uint32_t maps = 0;  // numProbes
};

// Copied from the file: a u64 and a u64, or u32, u32 and u64.
struct RawSection {
  uint64_t first = 0;
  uint64_t offset = 0;

  uint32_t low() const { return static_cast<uint32_t>(first); }
  uint32_t high() const { return static_cast<uint32_t>(first >> 32); }
};

enum class Dialect {
  kTotal,     // u64 bytes of the section, u64 offset: the first driver, and HIP's of the artifact
  kUnit,      // u64 bytes of a thread or warp, u64 offset: CUDA's driver of the artifact
  kWarpDiv,   // u32 bytes of a thread or warp, u32 threads of such a unit, u64 offset: CUDA's driver since the DSL
  kHipTotal,  // u32 bytes of the section (the low half), u32 of no meaning, u64 offset: HIP's driver since the DSL
};
constexpr std::array<Dialect, 4> kDialects = {Dialect::kWarpDiv, Dialect::kTotal, Dialect::kUnit, Dialect::kHipTotal};

const char* name_of(Dialect dialect);
std::optional<Dialect> dialect_named(const std::string& name);

enum class Level { kThread, kWarp };

// Columns for the origin of a record; no field has such a name.
constexpr std::array<const char*, 3> kOrigin = {"block_index", "unit_index", "record_index"};

struct Field {
  std::string name;
  uint32_t bytes = 8;   // 8 or 4, unsigned
  uint32_t offset = 0;  // in a record
};

// Description of a map in a probe file.
struct Map {
  std::string name;
  Level level = Level::kThread;
  std::optional<uint64_t> unit_bytes = std::nullopt;  // per thread or warp; none if the program counts at run time
  std::vector<Field> fields;

  uint32_t record_bytes() const;
};

// Place of one map's records.
struct Section {
  std::optional<Level> level = std::nullopt;          // not recorded by every dialect
  std::optional<uint64_t> unit_bytes = std::nullopt;  // likewise
  uint64_t bytes = 0;                                 // bytes written
  uint64_t recorded_offset = 0;                       // offset in the file's header
  uint64_t offset = 0;                                // begin of its data
  uint64_t units_written = 0;                         // a block, memory for them
  uint64_t units = 0;                                 // a block, the units whose records are distinguishable
  uint64_t units_read = 0;                            // a block, those that Neutrino's own reader reads
  bool is_ragged = false;  // blocks are no multiple of warps: the last warp of one writes over the next block's first
};

struct Layout {
  Dialect dialect = Dialect::kWarpDiv;
  Header header;
  uint64_t blocks = 0;   // blocks of the grid
  uint64_t threads = 0;  // threads of a block
  std::vector<Section> sections;

  bool has_wrong_offsets() const;
};

}  // namespace kernloop::trace
