// The HSA headers, and the runtime's original functions.
#pragma once

#include <algorithm>
#include <cstring>

#include "abi/hsa/rocr_tables.h"

namespace kernloop::capture {

// Layout of a runtime's AMD table. ROCm 5.3 put slots into the middle of it without another major version (its tables
// have another size); since ROCm 6 only the end grows.
enum class AmdTable { kUnknown, kRocm52, kSinceRocm6 };

inline AmdTable amd_table_of(const HsaApiTable& table) {
  if (table.core_ == nullptr || table.amd_ext_ == nullptr) return AmdTable::kUnknown;
  const ApiTableVersion &core = table.core_->version, &amd = table.amd_ext_->version;
  if (table.version.major_id == rocr::kRocm52Major && core.major_id == rocr::kRocm52Major &&
      amd.major_id == rocr::kRocm52Major && amd.minor_id == sizeof(rocr::Rocm52AmdExtTable)) {
    return AmdTable::kRocm52;
  }
  if (table.version.major_id > rocr::kRocm52Major && table.version.major_id <= HSA_API_TABLE_MAJOR_VERSION &&
      core.major_id == HSA_CORE_API_TABLE_MAJOR_VERSION && amd.major_id == HSA_AMD_EXT_API_TABLE_MAJOR_VERSION) {
    return AmdTable::kSinceRocm6;
  }
  return AmdTable::kUnknown;
}

inline rocr::Rocm52AmdExtTable& rocm52_amd_table(const HsaApiTable& table) {
  return *reinterpret_cast<rocr::Rocm52AmdExtTable*>(table.amd_ext_);
}

// The other tables begin alike in both; slots that a runtime's tables lack read as null.
struct HsaOriginals {
  AmdTable tables = AmdTable::kUnknown;
  CoreApiTable core{};
  rocr::Rocm7AmdExtTable amd{};
  ImageExtTable image{};

  // False if the tables have an unknown layout.
  bool copy_from(const HsaApiTable& table) {
    const AmdTable layout = amd_table_of(table);
    if (layout == AmdTable::kUnknown) return false;
    tables = layout;
    std::memcpy(&core, table.core_, std::min<size_t>(sizeof core, table.core_->version.minor_id));
    if (table.image_ext_ != nullptr)
      std::memcpy(&image, table.image_ext_, std::min<size_t>(sizeof image, table.image_ext_->version.minor_id));
    if (layout == AmdTable::kRocm52) {
      rocr::copy_common_slots(amd, rocm52_amd_table(table));
    } else {
      std::memcpy(&amd, table.amd_ext_, std::min<size_t>(sizeof amd, table.amd_ext_->version.minor_id));
    }
    return true;
  }
};

}  // namespace kernloop::capture
