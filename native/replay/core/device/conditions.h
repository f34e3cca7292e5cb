// The state that a GPU was in while launches were timed, as its management library tells: a time says little without
// its clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace kernloop::replay {

// Conditions at one moment; values that the device does not report are missing.
struct Conditions {
  std::optional<uint32_t> sm_mhz, memory_mhz, celsius;
  std::vector<std::string> slowed_by;  // why clocks are lower than they could be
};

// Over all timed launches of one side.
class ConditionsSeen {
 public:
  void add(const Conditions& now);
  // {samples, sm_mhz: {min, max}, memory_mhz: {…}, celsius: {…}, slowed_by: [{reason, samples}]}; null for no sample.
  Json facts() const;

 private:
  struct Span {
    uint32_t min, max;
  };
  static void widen(std::optional<Span>& span, const std::optional<uint32_t>& value);

  uint64_t samples_ = 0;
  std::optional<Span> sm_mhz_, memory_mhz_, celsius_;
  std::vector<std::pair<std::string, uint64_t>> slowed_by_;
};

}  // namespace kernloop::replay
