// Profile mode: costs of each kernel's dispatches, aggregated over all processes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "archive/manifest/manifest.h"
#include "protocol/messages.h"
#include "recorder/kernels.h"

namespace kernloop::recorder {

// Bounds of a profile's memory, whatever runs and however long.
struct ProfileLimits {
  size_t rows = 1u << 16;
  // A row with more dispatches has the quantiles of drawn ones: their ranks are within a hundredth of the true ones.
  size_t samples_of_row = 1u << 16;
  // Once the rows hold this many samples, they grow no further than `fewest_samples_of_row`.
  size_t samples_of_all = 1u << 25;
  size_t fewest_samples_of_row = 1u << 10;
};

class Profile {
 public:
  explicit Profile(const ProfileLimits& limits = {}) : limits_(limits) {}

  void add(const KernelRecord& kernel, const protocol::ProfileMessage& sample);
  // One row a kernel, the most expensive first.
  archive::Json rows() const;
  // Times of the first launches, if the device reports them, each with its kernel's index in rows().
  archive::Json launches() const;
  // Sentences about what the limits left out.
  std::vector<std::string> notes() const;

 private:
  // Geometries beyond kMaxGeometries are counted together.
  static constexpr size_t kMaxGeometries = 64;
  static constexpr size_t kMaxLaunches = 20'000;

  struct Variant {
    uint64_t dispatches = 0;
    protocol::LaunchResources resources;
  };
  struct Row {
    std::string name, symbol, code_object;
    bool is_wave_instructions = false;
    uint64_t count = 0, total = 0, min = UINT64_MAX, max = 0;
    std::vector<uint64_t> samples;
    bool has_few_samples = false;
    std::map<protocol::LaunchGeometry, Variant> geometries;
    uint64_t other_geometries = 0;
  };
  struct Launch {
    const Row* row;
    uint64_t start_ns, end_ns;
    uint32_t device, stream;
  };
  Row* row_of(const KernelRecord& kernel, const protocol::ProfileMessage& sample);
  void draw(Row& row, uint64_t value);
  static archive::Json to_json(const Row& row);
  std::vector<const Row*> sorted() const;

  const ProfileLimits limits_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Row> rows_;  // by code object and symbol
  std::vector<Launch> launches_;
  uint64_t launches_left_out_ = 0;
  uint64_t samples_ = 0, dispatches_left_out_ = 0;
};

}  // namespace kernloop::recorder
