// State that belongs to a lens (instrumentation, probes) and not to the kernel: module variables of a variant that the
// captured code lacks, extra device memory, and parameters behind the kernel's own. A file says which
// ("kernloop.lens/1"); nothing of it is judged, and all of it is read back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kernloop::replay {

// One variable by its name, or all with that prefix.
struct LensSelector {
  bool is_prefix = false;
  std::string text;
};

struct LensBuffer {
  std::string id;
  uint64_t bytes = 0;
  uint8_t fill = 0;
};

// Parameter appended to the kernel's own: the address of a buffer, or a value.
struct LensParameter {
  std::optional<size_t> buffer;        // index into the buffers
  std::vector<uint64_t> values = {0};  // by launch of `--iterations`; later launches use the last
  uint32_t bytes = 8;
};

struct Lens {
  std::vector<LensSelector> variables;
  std::vector<LensBuffer> buffers;
  std::vector<LensParameter> parameters;
};

// Bounds beyond any real lens: the file may be anybody's.
inline constexpr size_t kMaxLensEntries = 256;  // per kind
inline constexpr size_t kMaxLensValues = 4096;  // per parameter
inline constexpr uint64_t kMaxLensVariableBytes = uint64_t{1} << 30, kMaxLensBufferBytes = uint64_t{16} << 30;

inline Error lens_invalid(const std::string& what, const std::string& hint) {
  return {"LENS_INVALID", what, hint};
}

// LENS_INVALID for unknown fields, too: a field that this version does not know would change the lens's meaning.
Result<Lens> read_lens(const std::filesystem::path& path);
Result<Lens> parse_lens(std::string_view text, const std::string& where);

}  // namespace kernloop::replay
