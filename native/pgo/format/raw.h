// Raw profiles (.profraw), version 10 of LLVM 22: the output of an instrumented program's run.
#pragma once

#include <string_view>

#include "base/result.h"
#include "pgo/format/bytes.h"
#include "pgo/format/profile.h"

namespace kernloop::pgo {

inline constexpr uint64_t kRawMagic = 0xff6c70726f667281;    // "\xfflprofr\x81", 64-bit programs
inline constexpr uint64_t kRawMagic32 = 0xff6c70726f665281;  // 32-bit ones
inline constexpr uint64_t kRawVersion = 10;
inline constexpr uint64_t kVariantIr = uint64_t{1} << 56;
inline constexpr size_t kRawHeaderBytes = 128;
inline constexpr size_t kRawRecordBytes = 64;
inline constexpr size_t kRfcRecordBytes = 72;

// One function of a raw profile, its counters not yet summed: `slots` values follow each other for each counter.
struct RawFunction {
  std::string name;
  uint64_t name_ref = 0;
  uint64_t hash = 0;
  uint32_t counters = 0;
  uint64_t slots = 1;
  uint64_t first = 0;  // index of the first value in RawProfile::values
};

struct RawProfile {
  Variant variant;
  size_t record_bytes = kRawRecordBytes;
  std::vector<RawFunction> functions;
  std::vector<uint64_t> values;
  uint64_t value_sites = 0;
  uint64_t binary_id_bytes = 0;
};

bool is_raw(Bytes file);

// All profiles of the file (LLVM appends them to each other). `what` names it in errors.
Result<std::vector<RawProfile>> read_raw(Bytes file, const std::string& what);

// Sums the slots of each counter; a sum that overflows stays at the largest number.
std::vector<uint64_t> sum_slots(const RawFunction& function, std::span<const uint64_t> values);

}  // namespace kernloop::pgo
