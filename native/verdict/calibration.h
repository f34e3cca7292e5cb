// Finds the elements that vary from replay to replay, their types, and whether they explain the app's own result.
#pragma once

#include <filesystem>
#include <vector>

#include "verdict/array_sample.h"
#include "verdict/target.h"
#include "verdict/values/element_inference.h"
#include "verdict/values/record_multiset.h"
#include "verdict/varying.h"

namespace kernloop::replay {

// An element of *post* outside the interval in which the replays predict further ones: its cause is not the order.
struct Unexplained {
  bool is_variable = false;
  std::string target;
  uint64_t offset = 0;
  ElementType type = ElementType::kF32;
  Number post = 0, min = 0, max = 0;
};

struct CalibrationResult {
  std::vector<VaryingRange> varying;     // least and greatest over the replays and the app, and what passes
  std::vector<Unexplained> unexplained;  // the first few
  uint64_t unexplained_elements = 0;
  uint64_t varying_bytes = 0;
  uint64_t order_dependent_bytes = 0;
};

// Rounds to eight-byte bounds, which cut no element: offsets in the target.
AddressRange widened(const Target& target, uint64_t begin, uint64_t end);

constexpr uint64_t kClusterGap = 64;  // closer bytes belong to one array or struct

class Calibration {
 public:
  Calibration(ContentCache& cache, const std::vector<Target>& targets);

  // After a replay: records its differences from *post*. False if they are too many to come from the order.
  Result<bool> record_replay(Memory& memory);
  void forget_last_replay();
  // Adds replays of other processes: a cold process may give other results than a warm one. The file is this program's
  // own, for this capture.
  Status save(const std::filesystem::path& path) const;
  Status load(const std::filesystem::path& path);
  size_t replays() const { return replays_; }
  // Whether the later half of the replays showed nothing varying that the earlier half had not shown.
  bool is_settled() const;
  Result<CalibrationResult> finish();

 private:
  struct Run {
    uint64_t offset = 0, size = 0;
    size_t data = 0;  // in bytes_
  };
  // runs[replay], in ascending order of offset
  struct History {
    std::vector<std::vector<Run>> runs;
  };
  struct Cluster;

  std::optional<ElementType> declared_type(const Target& target) const;
  std::vector<AddressRange> varying_bytes_of(const History& history) const;
  // `post` with the bytes that a replay left there; a replay holds *post* wherever it did not differ.
  Buffer sample(const std::vector<Run>& runs, const AddressRange& extent, const Buffer& post) const;
  ElementType type_of(const Target& target, const Observations& seen) const;
  // The app's result, then each replay.
  std::vector<ContentSource> sources() const;
  Result<Cluster> gather(const Target& target, const History& history, const AddressRange& extent,
                         std::vector<AddressRange> varying) const;
  // Arrays of a target's varying bytes.
  Result<std::vector<ArraySample>> arrays_of(const Target& target, const History& history,
                                             const std::vector<AddressRange>& varying) const;
  struct Unseen {
    uint64_t offset = 0;
    Number value = 0;
  };
  Result<std::vector<Unseen>> unseen_beside(const Target& target, const ArraySample& array, uint64_t reach,
                                            const std::vector<AddressRange>& taken) const;
  // The arrays of a target; `taken`: ranges that are judged otherwise.
  Status judge(const Target& target, const std::vector<ArraySample>& arrays, double miss,
               std::vector<AddressRange> taken, CalibrationResult& result) const;
  // Numbers around a centre, each with its interval.
  Status judge_numbers(const Target& target, const ArraySample& array, double miss,
                       const std::vector<AddressRange>& taken, CalibrationResult& result) const;
  // For a structure whose shape follows the order: the range that cannot be judged.
  Result<std::optional<AddressRange>> take_shape(const Target& target, const ArraySample& array,
                                                 CalibrationResult& result) const;

  ContentCache& cache_;
  const std::vector<Target>& targets_;
  std::vector<History> histories_;  // one a target
  Buffer bytes_;
  size_t runs_ = 0;
  size_t replays_ = 0;
};

}  // namespace kernloop::replay
