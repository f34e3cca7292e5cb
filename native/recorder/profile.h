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

class Profile {
 public:
  void add(const KernelRecord& kernel, const protocol::ProfileMessage& sample);
  // One row a kernel, the most expensive first.
  archive::Json rows() const;
  // Times of the first launches, if the device reports them, each with its kernel's index in rows().
  archive::Json launches() const;

 private:
  // Beyond this many samples the median is that of a sample; geometries beyond kMaxGeometries are counted together.
  static constexpr size_t kMaxSamples = 1u << 20;
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
    std::map<protocol::LaunchGeometry, Variant> geometries;
    uint64_t other_geometries = 0;
  };
  struct Launch {
    const Row* row;
    uint64_t start_ns, end_ns;
    uint32_t device, stream;
  };
  static archive::Json to_json(const Row& row);
  std::vector<const Row*> sorted() const;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Row> rows_;  // by code object and symbol
  std::vector<Launch> launches_;
  uint64_t launches_left_out_ = 0;
};

}  // namespace kernloop::recorder
