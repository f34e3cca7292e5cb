// The length of records that the user gives for arrays whose order is free.
#pragma once

#include <string>
#include <vector>

#include "verdict/varying.h"

namespace kernloop::replay {

// Length of the records in an array whose order is free, given by the user.
struct GivenRecord {
  std::string target;
  uint64_t offset = 0, size = 0;  // extent of the array
  uint64_t bytes = 0;
};

// RECORD_REFUTED if the self-check's replays held no such records.
Status apply_records(const std::vector<GivenRecord>& given, std::vector<VaryingRange>& ranges);

}  // namespace kernloop::replay
