#include "replay/core/launch/launch_check.h"

#include <algorithm>
#include <map>

#include "replay/core/launch/program.h"

namespace kernloop::replay {

namespace {

using codeobject::Kernel;

constexpr uint64_t kScratchUnit = 1024;  // bytes of a wave

bool is_given(const std::array<uint32_t, 3>& dimensions) {
  return dimensions[0] != 0;
}

std::string shown(const std::array<uint32_t, 3>& dimensions) {
  return std::to_string(dimensions[0]) + " x " + std::to_string(dimensions[1]) + " x " + std::to_string(dimensions[2]);
}

uint64_t threads_of(const Launch& launch) {
  uint64_t threads = 1;
  for (const uint32_t extent : launch.block_threads) threads *= extent;
  return threads;
}

class Finder {
 public:
  Finder(const Kernel& kernel, const Launch& launch, const DeviceLimits& device)
      : kernel_(kernel), launch_(launch), device_(device) {}

  std::vector<Obstacle> find() {
    check_block();
    check_segments();
    if (kernel_.cubin) check_clusters(*kernel_.cubin);
    return std::move(found_);
  }

 private:
  void add(LaunchLimit limit, std::string what) { found_.push_back({limit, std::move(what)}); }

  void check_block() {
    const uint64_t threads = threads_of(launch_);
    const uint32_t most = kernel_.max_flat_workgroup_size;
    const auto& required = kernel_.cubin ? kernel_.cubin->required_threads : kernel_.required_workgroup;
    if (is_given(required)) {
      if (required != launch_.block_threads) {
        add(LaunchLimit::kRequiredBlock, "it was compiled for blocks of " + shown(required) +
                                             " threads and no others, and the launch has " +
                                             shown(launch_.block_threads));
      }
    } else if (most > 0 && threads > most) {
      add(LaunchLimit::kBlockThreads, "it was compiled for at most " + std::to_string(most) +
                                          " threads a block (launch bounds), and the launch has " +
                                          std::to_string(threads));
    }
    const auto is_partial = [&](size_t axis) {
      return launch_.grid_work_items[axis] % std::max(launch_.block_threads[axis], 1u) != 0;
    };
    if (kernel_.needs_whole_workgroups && (is_partial(0) || is_partial(1) || is_partial(2)))
      add(LaunchLimit::kWholeBlocks,
          "it was compiled for whole blocks only, and the last one of the launch is partial");
  }

  void check_segments() {
    const uint64_t shared = launch_.group_segment_bytes;
    if (device_.shared_bytes > 0 && shared > device_.shared_bytes) {
      const uint64_t dynamic = launch_.dynamic_group_segment_bytes;
      add(LaunchLimit::kSharedMemory, "a block of it takes " + std::to_string(shared) + " bytes of shared memory (" +
                                          std::to_string(shared - dynamic) + " static, " + std::to_string(dynamic) +
                                          " dynamic), and the device gives it " + std::to_string(device_.shared_bytes));
    }
    const uint64_t wave =
        (uint64_t{launch_.private_segment_bytes} * kernel_.wavefront_size + kScratchUnit - 1) / kScratchUnit;
    if (device_.scratch_bytes_per_wave > 0 && wave * kScratchUnit > device_.scratch_bytes_per_wave) {
      add(LaunchLimit::kPrivateMemory, "a thread of it takes " + std::to_string(launch_.private_segment_bytes) +
                                           " bytes of private memory, and the device gives it " +
                                           std::to_string(device_.scratch_bytes_per_wave / kernel_.wavefront_size));
    }
  }

  // Cluster dimensions of the launch: the app's attribute of the launch, or of the function.
  std::array<uint32_t, 3> launched_cluster() const {
    for (const std::string prefix : {"cluster_blocks_", "required_cluster_blocks_"}) {
      std::array<uint32_t, 3> blocks{};
      for (size_t axis = 0; axis < 3; ++axis) {
        const auto found = launch_.attributes.find(prefix + "xyz"[axis]);
        blocks[axis] = found != launch_.attributes.end() ? static_cast<uint32_t>(found->second) : 0;
      }
      if (!std::any_of(blocks.begin(), blocks.end(), [](uint32_t count) { return count > 0; })) continue;
      for (uint32_t& count : blocks) count = std::max(count, 1u);
      return blocks;
    }
    return {};
  }

  void check_clusters(const codeobject::CubinKernelFacts& facts) {
    const auto launched = launched_cluster();
    const auto& own = facts.cluster_blocks;
    // The driver refuses to change compiled-in dimensions (CUDA_ERROR_INVALID_VALUE; H200, driver 580).
    if (is_given(own) && is_given(launched) && own != launched) {
      return add(LaunchLimit::kClusterDimensions,
                 "it was compiled for clusters of " + shown(own) + " blocks, and the app asks for " + shown(launched));
    }
    if (!is_given(own) && facts.needs_cluster_dimensions && !is_given(launched))
      add(LaunchLimit::kClusterDimensions, "it needs a launch with cluster dimensions, and this one has none");
    const auto& cluster = is_given(own) ? own : launched;
    if (!is_given(cluster)) return;
    const uint64_t blocks = uint64_t{cluster[0]} * cluster[1] * cluster[2];
    if (facts.max_cluster_blocks > 0 && blocks > facts.max_cluster_blocks) {
      add(LaunchLimit::kClusterDimensions, "it was compiled for clusters of at most " +
                                               std::to_string(facts.max_cluster_blocks) +
                                               " blocks, and the launch has " + std::to_string(blocks));
    }
    if (facts.grid_counts_clusters) return;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (launch_.grid_blocks[axis] % cluster[axis] == 0) continue;
      return add(LaunchLimit::kClusterDimensions, "its clusters have " + shown(cluster) +
                                                      " blocks, which the grid of " + shown(launch_.grid_blocks) +
                                                      " is no multiple of");
    }
  }

  const Kernel& kernel_;
  const Launch& launch_;
  const DeviceLimits& device_;
  std::vector<Obstacle> found_;
};

}  // namespace

std::vector<Obstacle> find_obstacles(const Kernel& kernel, const Launch& launch, const DeviceLimits& device) {
  return Finder(kernel, launch, device).find();
}

namespace {

// Blocks have this much shared memory without asking for more (CUDA C++ Programming Guide, "Shared Memory").
constexpr uint64_t kSharedWithoutAsking = 48 << 10;

// A capture holds the driver's value for the function, which comes from the captured code if the app set nothing.
// Another code object has its own.
std::map<std::string, uint64_t> attributes_of_app(const archive::Geometry& geometry, const Kernel& captured) {
  auto attributes = geometry.attributes;
  if (!captured.cubin) return attributes;
  const auto allowed = attributes.find("max_dynamic_shared_bytes");
  if (allowed != attributes.end() && allowed->second + captured.group_segment_bytes == kSharedWithoutAsking)
    attributes.erase(allowed);
  if (is_given(captured.cubin->cluster_blocks))
    std::erase_if(attributes, [](const auto& each) { return each.first.starts_with("required_cluster_blocks_"); });
  return attributes;
}

}  // namespace

Launch launch_as_captured(const archive::Geometry& geometry, const Kernel& captured, const Kernel& kernel) {
  // The packet holds static + dynamic; a variant may have other static parts, the dynamic ones are the app's choice.
  const auto adjusted = [](uint32_t packet, uint32_t captured_static, uint32_t now_static) {
    return now_static + (packet > captured_static ? packet - captured_static : 0);
  };
  Launch launch;
  launch.kernel_name = kernel.name;
  launch.dimensions = static_cast<uint16_t>(geometry.dimensions);
  launch.block_threads = geometry.block_threads;
  launch.grid_blocks = geometry.grid_blocks;
  launch.grid_work_items = geometry.grid_work_items;
  launch.attributes = attributes_of_app(geometry, captured);
  launch.group_segment_bytes =
      adjusted(geometry.group_segment_bytes, captured.group_segment_bytes, kernel.group_segment_bytes);
  launch.dynamic_group_segment_bytes = launch.group_segment_bytes - kernel.group_segment_bytes;
  launch.private_segment_bytes =
      adjusted(geometry.private_segment_bytes, captured.private_segment_bytes, kernel.private_segment_bytes);
  return launch;
}

Error launch_impossible(const Kernel& kernel, const std::string& why, LaunchOf launch) {
  const std::string what = codeobject::plain_name(kernel.demangled) + " cannot be launched ";
  switch (launch) {
    case LaunchOf::kOverride:
      return {"LAUNCH_IMPOSSIBLE", what + "so: " + why, "override the launch otherwise, or compile the kernel for it"};
    case LaunchOf::kVariant:
      return {"LAUNCH_IMPOSSIBLE", what + "as its source says: " + why,
              "choose another configuration (block sizes, num_warps, num_stages), and recompile"};
    case LaunchOf::kApp:
      break;
  }
  return {"LAUNCH_IMPOSSIBLE", what + "as the app launches it: " + why,
          "change the kernel so that this launch can have it; a replay with another launch (--grid, --block, "
          "--dynamic-shared) is measured, and never judged"};
}

Status check_launch(DeviceReplay& device, const archive::Geometry& geometry, const Program& program) {
  if (!program.is_variant && program.launch_of == LaunchOf::kApp) return Unit{};  // the app's own
  const Kernel &captured = program.captured_kernel, &kernel = program.kernel;
  const Launch& launch = program.launch;
  const DeviceLimits limits = device.limits();
  const auto of_captured = find_obstacles(captured, launch_as_captured(geometry, captured, captured), limits);
  std::string why;
  for (const Obstacle& obstacle : find_obstacles(kernel, launch, limits)) {
    const bool is_old = std::any_of(of_captured.begin(), of_captured.end(),
                                    [&](const Obstacle& other) { return other.limit == obstacle.limit; });
    if (!is_old) why += (why.empty() ? "" : "; ") + obstacle.what;
  }
  if (!why.empty()) return launch_impossible(kernel, why, program.launch_of);
  const auto refused = device.why_refused(kernel, captured, launch);
  if (!refused) return refused.error();
  if (!refused->empty()) return launch_impossible(kernel, *refused, program.launch_of);
  return Unit{};
}

}  // namespace kernloop::replay
