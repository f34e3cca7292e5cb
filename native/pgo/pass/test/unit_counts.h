// The counters of a translation unit, read as README.md of the plugin says, and turned into visits of blocks.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracle.h"

namespace kernloop::pgo_pass {

/// `__kernloop_prf_`.
struct Description {
  static constexpr uint32_t none = 0xFFFFFFFF;
  struct Header {
    uint64_t magic;
    uint32_t version, header_bytes, wave_size, slots, sampling, one_in, uniform, functions, counters, uniform_rows,
        classes, zero;
    uint64_t raw_version;
    char architecture[40];
  };
  struct Function {
    uint64_t name_ref, hash;
    uint32_t first_counter, counters, first_class, classes, flags, zero;
  };
  struct Counter {
    uint32_t in_class, uniform;
  };
  struct Class {
    uint32_t uniform, counter;
  };

  /// None if the bytes are more or fewer than the header says.
  static std::optional<Description> read(std::span<const char> bytes);

  Header header{};
  std::vector<Function> functions;
  std::vector<Counter> counters;
  std::vector<Class> classes;
};
static_assert(sizeof(Description::Header) == 104 && sizeof(Description::Function) == 40);

/// Counts of one function. `map` is its entry in the map file. The arrays are __profc_all_, __profu_all_ and
/// __profw_all_. The image's uniform counts are Visits::uniform, or with `full_mask` Visits::full; the other member is
/// 0. A block whose lanes do not follow has `unknown`.
struct Arrays {
  std::span<const uint64_t> lanes, uniform, waves;
};
constexpr uint64_t unknown = ~uint64_t{0};
FunctionVisits visitsOf(const nlohmann::json& map, const Description& description, size_t function,
                        const Arrays& arrays);

}  // namespace kernloop::pgo_pass
