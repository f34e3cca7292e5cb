#include "trace/layout.h"

namespace kernloop::trace {

namespace {

constexpr std::array<const char*, 4> kDialectNames = {"total", "unit", "warp-div", "hip-total"};  // by Dialect

}  // namespace

const char* name_of(Dialect dialect) {
  return kDialectNames[static_cast<size_t>(dialect)];
}

std::optional<Dialect> dialect_named(const std::string& name) {
  for (const Dialect dialect : kDialects) {
    if (name == name_of(dialect)) return dialect;
  }
  return std::nullopt;
}

uint32_t Map::record_bytes() const {
  uint32_t bytes = 0;
  for (const Field& field : fields) bytes += field.bytes;
  return bytes;
}

bool Layout::has_wrong_offsets() const {
  for (const Section& section : sections) {
    if (section.recorded_offset != section.offset) return true;
  }
  return false;
}

}  // namespace kernloop::trace
