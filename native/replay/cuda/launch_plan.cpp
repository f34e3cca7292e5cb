#include "replay/cuda/launch_plan.h"

#include <algorithm>

namespace kernloop::replay {

namespace {

using namespace cuda;

// Blocks may have this much shared memory without asking for more (CUDA C++ Programming Guide, "Shared Memory").
constexpr uint64_t kSharedWithoutAsking = 48 << 10;

constexpr uint64_t kDriversChoice = UINT32_MAX;  // carveout of -1

Error out_of_range(const std::string& name, uint64_t value) {
  return {"CAPTURE_INVALID", "launch attribute " + name + " of the capture cannot be " + std::to_string(value),
          "capture again"};
}

class Planner {
 public:
  Planner(const std::map<std::string, uint64_t>& attributes, uint32_t dynamic_shared_bytes)
      : attributes_(attributes), dynamic_shared_bytes_(dynamic_shared_bytes) {}

  Result<LaunchPlan> plan() {
    for (const auto& [name, value] : attributes_) {
      if (auto added = add(name, value); !added) return added.error();
    }
    add_dynamic_shared();
    add_cluster();
    add_required_cluster();
    return std::move(plan_);
  }

 private:
  Status add(const std::string& name, uint64_t value) {
    if (name == "device_ordinal" || name == "graph_node") return Unit{};  // its place, not its configuration
    if (name == "max_dynamic_shared_bytes" || name.starts_with("cluster_blocks_") ||
        name.starts_with("preferred_cluster_blocks_") || name.starts_with("required_cluster_blocks_")) {
      return check(name, value);
    }
    if (name == "preferred_shared_carveout_percent" && value == kDriversChoice) return Unit{};
    if (auto checked = check(name, value); !checked) return checked;
    const int number = static_cast<int>(value);
    if (name == "stack_bytes") {
      limit(CU_LIMIT_STACK_SIZE, value);
    } else if (name == "malloc_heap_bytes") {
      limit(CU_LIMIT_MALLOC_HEAP_SIZE, value);
    } else if (name == "printf_fifo_bytes") {
      limit(CU_LIMIT_PRINTF_FIFO_SIZE, value);
    } else if (name == "preferred_shared_carveout_percent") {
      setting(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, number);
    } else if (name == "non_portable_cluster") {
      setting(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, number);
    } else if (name == "cooperative") {
      attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = number;
    } else if (name == "programmatic_launch") {
      attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = number;
    } else if (name == "cluster_scheduling_policy") {
      attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).clusterSchedulingPolicyPreference =
          static_cast<CUclusterSchedulingPolicy>(value);
    } else {
      return Error{"CAPTURE_UNSUPPORTED",
                   "the captured launch has the attribute " + name + ", which this version cannot give it",
                   "replay with the version of kernloop that captured it, or a newer one"};
    }
    return Unit{};
  }

  // The driver takes ints, except for limits, which are sizes.
  static Status check(const std::string& name, uint64_t value) {
    if (!name.ends_with("_bytes") && value > INT32_MAX) return out_of_range(name, value);
    if (name == "max_dynamic_shared_bytes" && value > INT32_MAX) return out_of_range(name, value);
    return Unit{};
  }
  void limit(CUlimit which, uint64_t value) { plan_.limits.push_back({which, value}); }
  void setting(CUfunction_attribute which, int value) { plan_.settings.push_back({which, value}); }
  CUlaunchAttributeValue& attribute(CUlaunchAttributeID id) {
    plan_.attributes.push_back({id, {}, {}});
    return plan_.attributes.back().value;
  }
  uint64_t value_of(const std::string& name, uint64_t otherwise) const {
    const auto found = attributes_.find(name);
    return found != attributes_.end() ? found->second : otherwise;
  }

  void add_dynamic_shared() {
    const uint64_t allowed = std::max<uint64_t>(value_of("max_dynamic_shared_bytes", 0), dynamic_shared_bytes_);
    const bool asked = attributes_.contains("max_dynamic_shared_bytes");
    if (asked || allowed > kSharedWithoutAsking)
      setting(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(allowed));
  }

  void add_cluster() {
    if (const auto blocks = blocks_of("cluster_blocks_")) {
      auto& cluster = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
      cluster = {(*blocks)[0], (*blocks)[1], (*blocks)[2]};
    }
    if (const auto blocks = blocks_of("preferred_cluster_blocks_")) {
      auto& cluster = attribute(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim;
      cluster = {(*blocks)[0], (*blocks)[1], (*blocks)[2]};
    }
  }

  void add_required_cluster() {
    const auto blocks = blocks_of("required_cluster_blocks_");
    for (size_t axis = 0; blocks && axis < 3; ++axis) {
      setting(static_cast<CUfunction_attribute>(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + axis),
              static_cast<int>((*blocks)[axis]));
    }
  }

  std::optional<std::array<unsigned, 3>> blocks_of(const std::string& prefix) const {
    std::array<unsigned, 3> blocks;
    bool any = false;
    for (size_t axis = 0; axis < 3; ++axis) {
      const uint64_t count = value_of(prefix + "xyz"[axis], 0);
      any = any || count > 0;
      blocks[axis] = static_cast<unsigned>(std::max<uint64_t>(count, 1));
    }
    if (!any) return std::nullopt;
    return blocks;
  }

  const std::map<std::string, uint64_t>& attributes_;
  const uint32_t dynamic_shared_bytes_;
  LaunchPlan plan_;
};

}  // namespace

Result<LaunchPlan> plan_launch(const std::map<std::string, uint64_t>& attributes, uint32_t dynamic_shared_bytes) {
  return Planner(attributes, dynamic_shared_bytes).plan();
}

}  // namespace kernloop::replay
