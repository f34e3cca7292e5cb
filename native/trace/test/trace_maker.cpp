#include "trace/test/trace_maker.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kernloop::trace::testing {

namespace {

template <typename Value>
void put(std::vector<uint8_t>& bytes, Value value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

// Memory of one map after the launch.
std::vector<uint8_t> memory_of(const Launch& launch, const Map& map, size_t index, const Values& values,
                               uint32_t warp) {
  const bool is_warp = map.level == Level::kWarp;
  const uint64_t given = is_warp ? (launch.threads() + warp - 1) / warp : launch.threads();
  const uint64_t step = is_warp ? launch.threads() / warp : launch.threads();
  std::vector<uint8_t> memory(launch.blocks() * given * *map.unit_bytes);
  for (uint64_t block = 0; block < launch.blocks(); ++block) {
    // The first warp comes last: it overwrites what the previous block wrote over it.
    for (uint64_t unit = given; unit-- > 0;) {
      for (uint64_t record = 0; record < *map.unit_bytes / map.record_bytes(); ++record) {
        uint8_t* at = memory.data() + (block * step + unit) * *map.unit_bytes + record * map.record_bytes();
        for (size_t i = 0; i < map.fields.size(); ++i) {
          const uint64_t value = values(index, block, unit, record, i);
          std::memcpy(at + map.fields[i].offset, &value, map.fields[i].bytes);
        }
      }
    }
  }
  return memory;
}

}  // namespace

uint64_t value_of(size_t map, uint64_t block, uint64_t unit, uint64_t record, size_t field) {
  uint64_t value = map * 1000003 + block * 10007 + unit * 101 + record * 7 + field + 1;
  value *= 0x9e3779b97f4a7c15u;
  return value | 1;
}

Map map_of(const std::string& name, Level level, std::vector<std::pair<std::string, uint32_t>> fields,
           uint64_t records) {
  Map map{.name = name, .level = level, .fields = {}};
  uint32_t offset = 0;
  for (const auto& [field, bytes] : fields) {
    map.fields.push_back({field, bytes, offset});
    offset += bytes;
  }
  map.unit_bytes = records * offset;
  return map;
}

MadeFile make_trace(Dialect dialect, const Launch& launch, const std::vector<Map>& maps, const Values& values,
                    uint32_t warp) {
  MadeFile made;
  for (const auto& dims : {launch.grid, launch.block}) {
    for (const uint32_t size : dims) put(made.bytes, size);
  }
  put(made.bytes, launch.shared_bytes);
  put(made.bytes, static_cast<uint32_t>(maps.size()));
  uint64_t offset = kHeaderBytes + kSectionBytes * maps.size();
  std::vector<std::vector<uint8_t>> memories;
  for (size_t i = 0; i < maps.size(); ++i) {
    memories.push_back(memory_of(launch, maps[i], i, values, warp));
    const uint64_t unit = *maps[i].unit_bytes, total = memories[i].size();
    const bool is_warp = maps[i].level == Level::kWarp;
    if (dialect == Dialect::kWarpDiv) {
      put(made.bytes, static_cast<uint32_t>(unit));
      put(made.bytes, is_warp ? warp : uint32_t{1});
      put(made.bytes, offset);
      offset += launch.blocks() * launch.threads() * unit / (is_warp ? warp : 1);
    } else if (dialect == Dialect::kHipTotal) {
      put(made.bytes, static_cast<uint32_t>(total));
      put(made.bytes, uint32_t{0x7ffe1234});  // garbage from the stack
      put(made.bytes, offset);
      offset += static_cast<uint32_t>(total);
    } else {
      put(made.bytes, dialect == Dialect::kUnit ? unit : total);
      put(made.bytes, offset);
      offset += total;
    }
  }
  for (const auto& memory : memories) {
    made.data_offsets.push_back(made.bytes.size());
    made.bytes.insert(made.bytes.end(), memory.begin(), memory.end());
  }
  return made;
}

Folder::Folder() {
  const std::filesystem::path memory = "/dev/shm";
  std::string name = ((std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
                      "kernloop-trace-XXXXXX")
                         .string();
  if (!mkdtemp(name.data())) std::abort();
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Folder::write(const std::string& name, std::span<const uint8_t> bytes) const {
  const std::filesystem::path path = path_ / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace kernloop::trace::testing
