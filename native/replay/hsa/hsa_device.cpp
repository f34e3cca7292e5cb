#include "replay/hsa/hsa_device.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/events/replay.h"
#include "codeobject/bundle.h"
#include "replay/core/device/layout.h"
#include "replay/core/memory/address_hold.h"
#include "replay/hsa/aql_launcher.h"
#include "replay/hsa/caches.h"
#include "replay/hsa/hip_launcher.h"
#include "replay/hsa/hsa_library.h"
#include "replay/hsa/placed_memory.h"
#include "replay/hsa/software_gpu.h"
#include "replay/hsa/warm_copies.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kPageBytes = 4096;

struct Agents {
  hsa_agent_t gpu{}, cpu{};
  std::string gpu_isa;
  std::vector<std::string> seen;  // ISAs of all GPUs
};

struct Pools {
  hsa_amd_memory_pool_t device{}, kernarg{};
};

class HsaDevice final : public DeviceReplay, private CodePlacement {
 public:
  HsaDevice(std::unique_ptr<HsaLibrary> library, const Options& options)
      : hsa_(std::move(library)), uses_hip_(options.launches_with_hip), hip_runtime_(options.hip_runtime) {}
  ~HsaDevice() override;

  Status start(const std::string& isa);

  // The GPU reaches memory of the host at another speed than its own. Managed memory moves to the GPU that uses it.
  archive::RegionClass home_of(const archive::Region& region) const override {
    const bool is_managed = region.api == "hsa_amd_svm_attributes_set";
    return host_placed_ && !is_managed ? region.memory_class : archive::RegionClass::kDevice;
  }
  bool is_host(uint64_t address) const override { return host_placed_ && host_placed_->holds(address); }
  uint64_t granule(archive::RegionClass home) const override {
    return home == archive::RegionClass::kHost ? kPageBytes : granule_;
  }
  bool fresh_memory_is_zero() const override { return soft_ != nullptr; }
  SoftwareExecution* software_execution() override { return soft_.get(); }
  CodePlacement* code_placement() override { return soft_ && !uses_hip_ ? this : nullptr; }
  KeptMemory* kept_memory() override { return kept_.get(); }
  bool measures_time() const override { return !soft_; }
  archive::Json identity() const override;
  Status map(const Mapping& mapping) override;
  Result<bool> map_apart(const AddressRange& window, const AddressRange& range) override;
  Result<LoadedCode> load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                          std::optional<uint64_t> address) override;
  Result<uint64_t> kernel_address(const LoadedCode& code, const codeobject::Kernel& kernel) override {
    if (hip_) return hip_->kernel(code.id, kernel.name);
    return *code.base + kernel.descriptor_address;
  }
  Result<uint64_t> variable_address(const LoadedCode& code, const codeobject::Variable& variable) override {
    if (hip_) return hip_->variable(code.id, variable.name, variable.size);
    return *code.base + variable.address;
  }
  Result<bool> close_to_kernels(const AddressRange& range) override {
    return soft_ ? soft_->close_to_kernels(range) : false;
  }
  Result<bool> keep_unmapped(const AddressRange& range) override;
  Status write(uint64_t address, Bytes bytes) override;
  Status read(uint64_t address, std::span<uint8_t> into) override;
  uint8_t* in_place(uint64_t address) override { return soft_ ? reinterpret_cast<uint8_t*>(address) : nullptr; }
  Result<CacheFacts> set_cache(CacheState state) override;
  bool needs_launch_before() const override { return cache_ == CacheState::kWarm; }
  DeviceLimits limits() const override { return limits_; }
  Result<bool> recover() override;
  Result<LaunchOutcome> launch(const Launch& launch) override;

 private:
  Error device_error(const char* call, hsa_status_t status, const std::string& doing) const {
    return hsa_->error(call, status, doing);
  }
  Status keep_out(uint64_t base, uint64_t size) override;
  Status unload_code() override;
  void open_kept_out();
  Status find_agents(const std::string& isa);
  Status find_pools();
  void find_limits();
  Result<LoadedCode> load_with_hip(Bytes code_object, const codeobject::CodeObjectInfo& info);
  std::optional<uint64_t> base_with_hip(uint64_t code, const codeobject::CodeObjectInfo& info);
  Result<LaunchOutcome> launch_with_hip(const Launch& launch);
  Result<LaunchOutcome> launch_directly(const Launch& launch);
  static LaunchOutcome limit_outcome(const Launch& launch);
  LaunchOutcome fault_outcome(hsa_status_t status) const;
  Status add_report(LaunchOutcome& outcome) const;

  std::unique_ptr<HsaLibrary> hsa_;
  const bool uses_hip_;
  const std::filesystem::path hip_runtime_;
  std::unique_ptr<HipLauncher> hip_;  // started by the first load(): once captured memory is mapped
  bool initialised_ = false;
  std::unique_ptr<SoftwareGpu> soft_;  // null on hardware
  Agents agents_;
  Pools pools_;
  DeviceLimits limits_;
  uint64_t granule_ = 4096;
  std::unique_ptr<PlacedMemory> placed_;
  std::unique_ptr<PlacedMemory> host_placed_;  // null: all memory is placed on the device
  std::vector<AddressRange> kept_out_, guarded_;
  std::vector<hsa_executable_t> executables_;
  std::unique_ptr<AqlLauncher> aql_;  // from the first launch on, without hip_
  CacheState cache_ = CacheState::kAsIs;
  std::unique_ptr<CacheEvictor> evictor_;  // if the caches are to be cold
  std::unique_ptr<WarmCopies> kept_;       // if they are to be warm
  std::atomic<int> queue_status_{HSA_STATUS_SUCCESS};
  std::atomic<uint64_t> fault_address_{0};
  bool lost_ = false;
  bool has_stopped_ = false;  // the kernel, of a lost device
};

HsaDevice::~HsaDevice() {
  if (!initialised_ || lost_) return;
  if (aql_) aql_->free();
  if (evictor_) evictor_->free();
  if (kept_) kept_->free();
  for (hsa_executable_t executable : executables_) hsa_->hsa_executable_destroy(executable);
  open_kept_out();
  if (host_placed_) host_placed_->unback();
  host_placed_.reset();
  if (placed_) {
    placed_->unback();
    for (const AddressRange& range : guarded_) placed_->give_back(range);
    placed_.reset();
  }
  hsa_->hsa_shut_down();
}

Status HsaDevice::start(const std::string& isa) {
  if (const hsa_status_t status = hsa_->hsa_init(); status != HSA_STATUS_SUCCESS) {
    return Error{"DEVICE_NOT_FOUND",
                 "the HSA runtime " + hsa_->path().string() + " does not start: " + hsa_->describe("hsa_init", status),
                 "check the device and its driver (`kernloop doctor`), or use the built-in software GPU"};
  }
  initialised_ = true;
  auto soft = SoftwareGpu::find(*hsa_);
  if (!soft) return soft.error();
  soft_ = std::move(*soft);
  // Without a handler a memory fault ends the process before anything could be reported. Some runtimes report it only
  // here and leave the queue's own callback silent.
  hsa_->hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* event, void* data) {
        HsaDevice& device = *static_cast<HsaDevice*>(data);
        if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT) return HSA_STATUS_SUCCESS;
        device.fault_address_ = event->memory_fault.virtual_address;
        device.queue_status_ = HSA_STATUS_ERROR_EXCEPTION;
        return HSA_STATUS_SUCCESS;
      },
      this);
  if (auto found = find_agents(isa); !found) return found;
  find_limits();
  return find_pools();
}

archive::Json HsaDevice::identity() const {
  char name[64] = {};
  hsa_->hsa_agent_get_info(agents_.gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME), name);
  if (name[0] == '\0') hsa_->hsa_agent_get_info(agents_.gpu, HSA_AGENT_INFO_NAME, name);
  name[sizeof name - 1] = '\0';
  return {{"event", ReplayEvent::device},
          {"kind", soft_ ? "softgpu" : "hsa"},
          {"runtime", hsa_->path().string()},
          {"agent", name},
          {"isa", agents_.gpu_isa}};
}

void HsaDevice::find_limits() {
  // COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits of 1 KiB (ROCr: MAX_WAVE_SCRATCH); gfx11 and later have more.
  constexpr uint64_t kScratchOfWave = 0x1fff * uint64_t{1024};
  for (const char* generation : {"gfx9", "gfx10"}) {
    if (agents_.gpu_isa.find(generation) != std::string::npos) limits_.scratch_bytes_per_wave = kScratchOfWave;
  }
  struct Search {
    HsaLibrary& hsa;
    size_t bytes;
  } group{*hsa_, 0};
  hsa_->hsa_amd_agent_iterate_memory_pools(
      agents_.gpu,
      [](hsa_amd_memory_pool_t pool, void* data) {
        Search& group = *static_cast<Search*>(data);
        hsa_amd_segment_t segment;
        if (group.hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) ==
                HSA_STATUS_SUCCESS &&
            segment == HSA_AMD_SEGMENT_GROUP)
          group.hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &group.bytes);
        return HSA_STATUS_SUCCESS;
      },
      &group);
  limits_.shared_bytes = group.bytes;
}

Status HsaDevice::find_agents(const std::string& isa) {
  struct Search {
    HsaLibrary& hsa;
    const std::string& wanted;
    Agents found;
  } search{*hsa_, isa, {}};
  hsa_->hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        Search& search = *static_cast<Search*>(data);
        hsa_device_type_t type;
        if (search.hsa.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS)
          return HSA_STATUS_SUCCESS;
        if (type == HSA_DEVICE_TYPE_CPU && !search.found.cpu.handle) search.found.cpu = agent;
        if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
        struct Names {
          HsaLibrary& hsa;
          std::vector<std::string> list;
        } names{search.hsa, {}};
        search.hsa.hsa_agent_iterate_isas(
            agent,
            [](hsa_isa_t isa, void* data) {
              Names& names = *static_cast<Names*>(data);
              uint32_t length = 0;
              if (names.hsa.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS)
                return HSA_STATUS_SUCCESS;
              std::string name(length, '\0');
              if (names.hsa.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data()) == HSA_STATUS_SUCCESS) {
                names.list.emplace_back(name.c_str());
              }
              return HSA_STATUS_SUCCESS;
            },
            &names);
        for (const std::string& name : names.list) {
          search.found.seen.push_back(name);
          if (search.found.gpu_isa.empty() && codeobject::target_fits(search.wanted, name)) {
            search.found.gpu = agent;
            search.found.gpu_isa = name;
          }
        }
        return HSA_STATUS_SUCCESS;
      },
      &search);
  agents_ = std::move(search.found);
  if (!agents_.gpu_isa.empty()) return Unit{};
  if (agents_.seen.empty()) {
    return Error{"DEVICE_NOT_FOUND", "the HSA runtime " + hsa_->path().string() + " has no GPU",
                 "check the device and its driver"};
  }
  std::string seen;
  for (const std::string& name : agents_.seen) seen += (seen.empty() ? "" : ", ") + name;
  return Error{"DEVICE_MISMATCH", "the capture is of " + isa + "; this machine has " + seen,
               "replay on the kind of device it was captured on, or capture again here"};
}

Status HsaDevice::find_pools() {
  struct Search {
    HsaLibrary& hsa;
    uint32_t wanted_flag;
    hsa_amd_memory_pool_t found;
  };
  const auto look = [](hsa_amd_memory_pool_t pool, void* data) {
    Search& search = *static_cast<Search*>(data);
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    bool allowed = false;
    search.hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
    search.hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    search.hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
    if (allowed && (flags & search.wanted_flag) && !search.found.handle) search.found = pool;
    return HSA_STATUS_SUCCESS;
  };
  Search device{*hsa_, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, {}};
  Search kernarg{*hsa_, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT, {}};
  hsa_->hsa_amd_agent_iterate_memory_pools(agents_.gpu, look, &device);
  hsa_->hsa_amd_agent_iterate_memory_pools(agents_.cpu, look, &kernarg);
  if (!device.found.handle || !kernarg.found.handle) {
    return Error{"DEVICE_ERROR", "the HSA runtime offers no device memory pool or no kernel-argument pool",
                 "check the driver"};
  }
  pools_ = {device.found, kernarg.found};
  size_t granule = 0;
  if (hsa_->hsa_amd_memory_pool_get_info(pools_.device, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule) ==
          HSA_STATUS_SUCCESS &&
      granule > 0) {
    granule_ = granule;
  }
  // The host needs access only if memory is read in place.
  auto placed = PlacedMemory::of(*hsa_, {agents_.gpu, agents_.cpu, soft_ != nullptr}, pools_.device);
  if (!placed) return placed.error();
  placed_ = std::move(*placed);
  if (!soft_) host_placed_ = PlacedMemory::of_host(*hsa_, {agents_.gpu, agents_.cpu, false});
  return Unit{};
}

Status HsaDevice::map(const Mapping& wanted) {
  const auto [base, size] = wanted.range;
  const std::string range = to_hex_number(base) + " (" + std::to_string(size) + " bytes)";
  const auto taken = [&](const std::string& why) {
    return Error{
        "ADDRESS_TAKEN", "captured memory at " + range + " cannot be restored at its address: " + why,
        "the address is in use in this process: run it again, or without address-space randomisation (setarch -R)"};
  };
  PlacedMemory& place = wanted.home == archive::RegionClass::kHost ? *host_placed_ : *placed_;
  if (auto reserved = place.reserve(wanted.range); !reserved) return taken(reserved.error().message);
  return place.back(wanted, wanted.range);
}

Result<bool> HsaDevice::map_apart(const AddressRange& window, const AddressRange& range) {
  if (!placed_->reserve(window)) return false;
  if (auto mapped = placed_->back({range}, window); !mapped) return mapped.error();
  return true;
}

Result<LoadedCode> HsaDevice::load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                                   std::optional<uint64_t> address) {
  if (uses_hip_) return load_with_hip(code_object, info);
  const std::string doing = "loading code object " + info.sha256.hex().substr(0, 12);
  hsa_code_object_reader_t reader;
  hsa_status_t status =
      hsa_->hsa_code_object_reader_create_from_memory(code_object.data(), code_object.size(), &reader);
  if (status != HSA_STATUS_SUCCESS) return device_error("hsa_code_object_reader_create_from_memory", status, doing);
  struct Destroy {
    HsaLibrary& hsa;
    hsa_code_object_reader_t reader;
    ~Destroy() { hsa.hsa_code_object_reader_destroy(reader); }
  } destroy{*hsa_, reader};

  hsa_executable_t executable;
  status =
      hsa_->hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable);
  if (status != HSA_STATUS_SUCCESS) return device_error("hsa_executable_create_alt", status, doing);
  executables_.push_back(executable);
  if (address && soft_) {
    if (auto set = soft_->set_next_load_address(*address, doing); !set) return set.error();
  }
  status = hsa_->hsa_executable_load_agent_code_object(executable, agents_.gpu, reader, nullptr, nullptr);
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES && address) {
    return Error{"ADDRESS_TAKEN",
                 doing + " at its captured address " + to_hex_number(*address) + " failed: that is in use",
                 "run it again; if it persists, capture again"};
  }
  if (status != HSA_STATUS_SUCCESS) {
    return Error{"CODE_OBJECT_REFUSED",
                 doing + " failed: " + hsa_->describe("hsa_executable_load_agent_code_object", status),
                 "see the runtime's message above; build it for " + agents_.gpu_isa};
  }
  status = hsa_->hsa_executable_freeze(executable, nullptr);
  if (status != HSA_STATUS_SUCCESS) return device_error("hsa_executable_freeze", status, doing);

  // The load base, from any symbol whose address both the file and the runtime report.
  const auto base_from = [&](const std::string& name, hsa_executable_symbol_info_t attribute,
                             uint64_t relative) -> std::optional<uint64_t> {
    hsa_executable_symbol_t symbol;
    uint64_t absolute = 0;
    if (hsa_->hsa_executable_get_symbol_by_name(executable, name.c_str(), &agents_.gpu, &symbol) !=
            HSA_STATUS_SUCCESS ||
        hsa_->hsa_executable_symbol_get_info(symbol, attribute, &absolute) != HSA_STATUS_SUCCESS ||
        absolute < relative) {
      return std::nullopt;
    }
    return absolute - relative;
  };
  std::optional<uint64_t> base;
  for (const codeobject::Kernel& kernel : info.kernels) {
    if (!base) base = base_from(kernel.symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, kernel.descriptor_address);
  }
  for (const codeobject::Variable& variable : info.variables) {
    if (!base && variable.exported)
      base = base_from(variable.name, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, variable.address);
  }
  if (!base) base = address;
  if (!base)
    return Error{"DEVICE_ERROR", doing + " gave no symbol to find it by",
                 "the code object defines neither kernels nor variables"};
  if (address && *base != *address) {
    return Error{
        "ADDRESS_TAKEN",
        doing + " put it at " + to_hex_number(*base) + " instead of its captured address " + to_hex_number(*address),
        "run it again"};
  }
  return LoadedCode{executable.handle, base};
}

Status HsaDevice::keep_out(uint64_t base, uint64_t size) {
  if (auto reserved = placed_->reserve({base, size}); !reserved) {
    return Error{"ADDRESS_TAKEN",
                 "the addresses of the captured code at " + to_hex_number(base) +
                     " cannot be kept free: " + reserved.error().message,
                 "run it again"};
  }
  kept_out_.push_back({base, size});
  return Unit{};
}

Result<bool> HsaDevice::keep_unmapped(const AddressRange& range) {
  if (!placed_->reserve(range)) return false;
  guarded_.push_back(range);
  return true;
}

Status HsaDevice::unload_code() {
  for (hsa_executable_t executable : executables_) {
    const hsa_status_t status = hsa_->hsa_executable_destroy(executable);
    if (status != HSA_STATUS_SUCCESS) return device_error("hsa_executable_destroy", status, "unloading code");
  }
  executables_.clear();
  open_kept_out();
  if (!kept_) return Unit{};
  std::vector<AddressRange> captured = placed_->ranges();
  if (host_placed_) {
    for (const AddressRange& range : host_placed_->ranges()) captured.push_back(range);
  }
  kept_->forget_code(captured);
  return Unit{};
}

void HsaDevice::open_kept_out() {
  for (const AddressRange& range : kept_out_) placed_->give_back(range);
  kept_out_.clear();
}

Status HsaDevice::write(uint64_t address, Bytes bytes) {
  if (soft_) {
    std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
    return Unit{};
  }
  const hsa_status_t status = hsa_->hsa_memory_copy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
  if (status != HSA_STATUS_SUCCESS)
    return device_error("hsa_memory_copy", status, "writing to " + to_hex_number(address));
  return Unit{};
}

Status HsaDevice::read(uint64_t address, std::span<uint8_t> into) {
  if (soft_) {
    std::memcpy(into.data(), reinterpret_cast<const void*>(address), into.size());
    return Unit{};
  }
  const hsa_status_t status = hsa_->hsa_memory_copy(into.data(), reinterpret_cast<const void*>(address), into.size());
  if (status != HSA_STATUS_SUCCESS)
    return device_error("hsa_memory_copy", status, "reading from " + to_hex_number(address));
  return Unit{};
}

Result<CacheFacts> HsaDevice::set_cache(CacheState state) {
  cache_ = state;
  CacheFacts facts{!soft_, largest_cache_bytes(*hsa_, agents_.gpu), 0};
  if (state == CacheState::kWarm && !kept_) kept_ = std::make_unique<WarmCopies>(*hsa_, pools_.device);
  if (state != CacheState::kCold) return facts;
  facts.overwritten_bytes = bytes_to_overwrite(facts.reported_bytes, soft_ ? 0 : kLeastOverwrittenBytes);
  if (!evictor_) evictor_ = std::make_unique<CacheEvictor>(*hsa_, pools_.device, facts.overwritten_bytes);
  return facts;
}

// HIP reports variables' addresses, and the file gives their offsets in the image.
std::optional<uint64_t> HsaDevice::base_with_hip(uint64_t code, const codeobject::CodeObjectInfo& info) {
  std::optional<uint64_t> base;
  for (const codeobject::Variable& variable : info.variables) {
    if (!variable.exported) continue;
    const auto address = hip_->variable(code, variable.name, variable.size);
    if (!address) continue;
    if (base && *base != *address - variable.address) return std::nullopt;
    base = *address - variable.address;
  }
  return base;
}

Result<LoadedCode> HsaDevice::load_with_hip(Bytes code_object, const codeobject::CodeObjectInfo& info) {
  if (!hip_) {
    auto opened = HipLauncher::open(hip_runtime_);
    if (!opened) return opened.error();
    hip_ = std::move(*opened);
  }
  auto code = hip_->load(code_object);
  if (!code) return code.error();
  return LoadedCode{*code, base_with_hip(*code, info)};
}

Result<LaunchOutcome> HsaDevice::launch_with_hip(const Launch& launch) {
  auto run = hip_->run(launch, !soft_);
  if (!run) return run.error();
  if (run->end != HipLauncher::End::kCompleted) {
    lost_ = true;
    return run->end == HipLauncher::End::kLimit ? limit_outcome(launch)
                                                : fault_outcome(static_cast<hsa_status_t>(queue_status_.load()));
  }
  LaunchOutcome outcome;
  outcome.duration_ns = run->duration_ns;
  if (run->duration_ns) outcome.timer = "hip-events";
  if (soft_) {
    if (auto reported = add_report(outcome); !reported) return reported.error();
  }
  return outcome;
}

LaunchOutcome HsaDevice::limit_outcome(const Launch& launch) {
  LaunchOutcome outcome;
  outcome.end = LaunchOutcome::End::kLimit;
  outcome.device_lost = true;
  outcome.fault = {
      {"kind", "time_limit"},
      {"kernel", launch.kernel_name},
      {"text", launch.kernel_name + " still ran after " + std::to_string(launch.limit_seconds) + " seconds"}};
  return outcome;
}

Result<LaunchOutcome> HsaDevice::launch(const Launch& launch) {
  if (cache_ == CacheState::kCold) {
    if (auto overwritten = evictor_->overwrite(); !overwritten) return overwritten.error();
  }
  if (kept_) kept_->launches(launch.kernel);
  if (auto brought = placed_->bring(); !brought) return brought.error();
  return hip_ ? launch_with_hip(launch) : launch_directly(launch);
}

Result<LaunchOutcome> HsaDevice::launch_directly(const Launch& launch) {
  if (!aql_) aql_ = std::make_unique<AqlLauncher>(*hsa_, agents_.gpu, pools_.kernarg, queue_status_, !soft_);
  const auto end = aql_->run(launch);
  if (!end) return end.error();
  // HIP's signals are its own: its launch is reported as the last dispatch.
  if (soft_) soft_->tell_of(aql_->signal());
  if (*end != AqlLauncher::End::kCompleted) {
    lost_ = true;
    has_stopped_ = *end == AqlLauncher::End::kFault;
    return *end == AqlLauncher::End::kLimit ? limit_outcome(launch)
                                            : fault_outcome(static_cast<hsa_status_t>(queue_status_.load()));
  }
  LaunchOutcome outcome;
  if (soft_) {
    if (auto reported = add_report(outcome); !reported) return reported.error();
    return outcome;
  }
  const auto duration = aql_->duration_ns();
  if (!duration) return duration.error();
  outcome.duration_ns = *duration;
  return outcome;
}

// A fault of the software GPU ends the kernel and its queue, and nothing else.
Result<bool> HsaDevice::recover() {
  if (!soft_ || hip_ || !has_stopped_) return false;
  aql_->free();
  aql_.reset();
  queue_status_ = HSA_STATUS_SUCCESS;
  fault_address_ = 0;
  lost_ = has_stopped_ = false;
  return true;
}

LaunchOutcome HsaDevice::fault_outcome(hsa_status_t status) const {
  LaunchOutcome outcome;
  outcome.end = LaunchOutcome::End::kFault;
  outcome.device_lost = true;
  outcome.fault = {{"kind", "queue_error"}, {"text", hsa_->describe("the queue stopped", status)}};
  if (const uint64_t address = fault_address_) {
    outcome.fault["kind"] = "memory_access";
    outcome.fault["address"] = to_hex_number(address);
  }
  if (soft_) soft_->explain(outcome);
  return outcome;
}

Status HsaDevice::add_report(LaunchOutcome& outcome) const {
  return soft_->report(aql_ ? aql_->own_memory() : std::vector<AddressRange>(), outcome);
}

}  // namespace

namespace {

constexpr const char* kRuntimeName = "libhsa-runtime64.so.1";

std::filesystem::path built_in_runtime() {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  return program.parent_path().parent_path() / "lib" / "softgpu" / kRuntimeName;
}

// A capture of hardware is replayed on hardware unless the caller names the software GPU: through the system's runtime,
// which the loader finds as it does for apps.
std::filesystem::path runtime_for(const Options& options, const archive::Device& device) {
  if (!options.hsa_runtime.empty()) return options.hsa_runtime;
  return device.kind == "hsa" ? kRuntimeName : built_in_runtime();
}

}  // namespace

Result<std::unique_ptr<DeviceReplay>> open_hsa_device(const Options& options, const archive::Manifest& manifest,
                                                      char** argv) {
  std::vector<AddressRange> ranges;
  for (const Mapping& mapping : lay_out(manifest.regions, kPageBytes).mappings) ranges.push_back(mapping.range);
  AddressHold hold(ranges);
  if (!hold.taken().empty()) {
    restart_without_randomisation(argv);
    return address_taken(hold.taken().front());
  }
  // HIP writes kernels' printf output to stdout, which is for events. From here on, nothing starts this program again.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  // A replay must not be captured, even if the environment is set up for it.
  ::unsetenv("HSA_TOOLS_LIB");
  auto library = HsaLibrary::open(runtime_for(options, manifest.device));
  if (!library) return library.error();
  auto device = start_hsa_device(std::move(*library), options, manifest.device.isa);
  if (device) hold.release();
  return device;
}

Result<std::unique_ptr<DeviceReplay>> start_hsa_device(std::unique_ptr<HsaLibrary> library, const Options& options,
                                                       const std::string& isa) {
  auto device = std::make_unique<HsaDevice>(std::move(library), options);
  if (auto started = device->start(isa); !started) return started.error();
  return std::unique_ptr<DeviceReplay>(std::move(device));
}

}  // namespace kernloop::replay
