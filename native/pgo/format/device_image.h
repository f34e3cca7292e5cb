// Counters of one translation unit as laid out in device memory (see ../pass/README.md), and the profile made of them:
// slots summed, uniform lanes filled in for counters that have none because all lanes are uniform.
#pragma once

#include "base/result.h"
#include "pgo/format/bytes.h"
#include "pgo/format/side_files.h"

namespace kernloop::pgo {

// The contents of the variables of one unit.
struct DeviceImage {
  std::string cuid;
  Buffer description;  // __kernloop_prf_<CUID>
  Buffer counters;     // __profc_all_<CUID>
  Buffer data;         // __profd_all_<CUID>
  Buffer names;        // __llvm_prf_names_<CUID>
  Buffer uniform;      // __profu_all_<CUID>
  Buffer waves;        // __profw_all_<CUID>
};

// A variable of a unit: the part of its name before the CUID.
struct ImagePart {
  std::string_view prefix;
  Buffer DeviceImage::*bytes;
};
std::span<const ImagePart> image_parts();  // the description first

struct UnitProfile {
  struct Record {
    uint64_t name_ref, hash;
    uint32_t counters;
    bool operator==(const Record&) const = default;
  };
  bool stock = false;  // LLVM's own instrumentation: lanes alone
  uint64_t raw_version = 0;
  std::vector<Record> records;
  Buffer names;
  std::vector<uint64_t> counters;  // all records', concatenated
  std::vector<uint64_t> uniform;
  WaveFile waves;
  uint32_t slots = 0;
  uint64_t saturated = 0;  // sums that did not fit
};

Result<UnitProfile> read_device_image(const DeviceImage& image);

// False if they are not of the same unit: then nothing was added.
bool add(UnitProfile& into, const UnitProfile& other);

// Subtracts what was added before.
void subtract(UnitProfile& from, const UnitProfile& part);

// Adds the content of a unit's three files; false if they belong to another unit, or are not whole.
bool add_written(UnitProfile& into, Bytes raw, Bytes uniform, Bytes waves);

Buffer write_raw(const UnitProfile& unit);

// Identifies a unit: equal if `add` would add.
uint64_t signature_of(const UnitProfile& unit);

// "amdgcn-amd-amdhsa" or "nvptx64-nvidia-cuda".
const char* triple_of(const std::string& arch);

}  // namespace kernloop::pgo
