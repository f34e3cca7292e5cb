// Compares every timed launch with the launch whose result was compared with *post*: the time of code that computes
// something else once it is timed is worthless.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "verdict/compare.h"
#include "verdict/target.h"

namespace kernloop::replay {

class TimedResults {
 public:
  // Results of `targets`, without ignored bytes. Both must outlive the object.
  TimedResults(Memory& memory, const std::vector<Target>& targets);

  // Called after the launch that was compared, with its result.
  Status begin(const Comparison& compared);
  // After each timed launch. Memory with the same bytes has the same verdict; anything else is compared by `compare`:
  // results may differ from launch to launch.
  Status check(const std::function<Result<Comparison>()>& compare);

  // The first launch and all that were timed.
  uint64_t launches() const { return launches_; }
  // Launches whose result differs from the app's.
  uint64_t wrong_launches() const { return wrong_launches_; }
  // Most bytes of any launch that differ from *post* or cannot be decided.
  uint64_t differing_bytes() const { return differing_bytes_; }

 private:
  void count(uint64_t differing_bytes);

  Memory& memory_;
  std::vector<AddressRange> ranges_;
  std::optional<Digest> first_;
  uint64_t first_differing_ = 0;
  uint64_t launches_ = 0, wrong_launches_ = 0, differing_bytes_ = 0;
};

}  // namespace kernloop::replay
