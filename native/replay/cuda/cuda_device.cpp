#include "replay/cuda/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "cuda/kernels/scrubber.h"
#include "replay/core/memory/address_hold.h"
#include "replay/cuda/cache_state.h"
#include "replay/cuda/device_memory.h"
#include "replay/cuda/fault.h"
#include "replay/cuda/kept_copies.h"
#include "replay/cuda/kernel_timer.h"
#include "replay/cuda/launch_plan.h"
#include "replay/cuda/launch_refusal.h"
#include "replay/cuda/management_library.h"
#include "replay/cuda/other_tools.h"
#include "replay/cuda/staging.h"

namespace kernloop::replay {

using namespace cuda;
using archive::RegionClass;

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kPageBytes = 4096;
constexpr double kDefaultLimitSeconds = 60;

class CudaDevice final : public DeviceReplay {
 public:
  CudaDevice(std::unique_ptr<Context> context, uint8_t poison, char** argv)
      : context_(std::move(context)),
        memory_(*context_),
        staging_(*context_),
        timer_(*context_),
        poison_(poison),
        argv_(argv) {}
  ~CudaDevice() override;

  Status start(const archive::Manifest& manifest);

  RegionClass home_of(const archive::Region& region) const override { return cuda_home_of(region); }
  bool is_host(uint64_t address) const override { return memory_.is_host(address); }
  uint64_t granule(RegionClass home) const override { return home == RegionClass::kHost ? kPageBytes : kDeviceGranule; }
  bool fresh_memory_is_zero() const override { return false; }
  Status prepare(const std::vector<Mapping>& mappings) override;
  Status map(const Mapping& mapping) override;
  Result<bool> map_apart(const AddressRange& window, const AddressRange& range) override;
  Result<bool> keep_unmapped(const AddressRange& range) override { return memory_.keep_unmapped(range); }

  Result<LoadedCode> load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                          std::optional<uint64_t> address) override;
  Result<uint64_t> kernel_address(const LoadedCode& code, const codeobject::Kernel& kernel) override;
  Result<uint64_t> variable_address(const LoadedCode& code, const codeobject::Variable& variable) override;

  Status write(uint64_t address, Bytes bytes) override;
  Status read(uint64_t address, std::span<uint8_t> into) override;
  Status fill(uint64_t address, uint64_t size, uint8_t byte) override;
  Result<Bytes> view(uint64_t address, uint64_t size, Buffer& scratch) override;
  Result<Digest> digest(const std::vector<AddressRange>& ranges) override;
  uint8_t* in_place(uint64_t address) override {
    return memory_.is_host(address) ? reinterpret_cast<uint8_t*>(address) : nullptr;
  }

  KeptMemory* kept_memory() override { return copies_.get(); }
  Result<CacheFacts> set_cache(CacheState state) override {
    cache_ = state;
    return cache_preparer_->facts(state);
  }

  std::optional<Conditions> conditions() override {
    return management_ ? std::optional(management_->conditions()) : std::nullopt;
  }

  uint64_t least_ns_to_write(uint64_t bytes) const override;
  DeviceLimits limits() const override;
  Result<std::string> why_refused(const codeobject::Kernel& kernel, const codeobject::Kernel& captured,
                                  const Launch& launch) override;
  Result<LaunchOutcome> launch(const Launch& launch) override;

 private:
  void use_cupti();
  Status set_limits(const LaunchPlan& plan);
  Status prepare_function(CUfunction function, const LaunchPlan& plan, uint32_t dynamic_shared_bytes);
  Result<LaunchOutcome> run(const Launch& launch, LaunchPlan& plan, bool restores);
  Result<LaunchOutcome> launch_after_another(const Launch& launch, LaunchPlan& plan);
  Status give_up_persisting_lines(uint64_t kernel);
  // Fills memory that the kernel could read without having written it.
  Status scrub(CUfunction function);
  Status submit(const Launch& launch, LaunchPlan& plan);
  // Whether the launch ended by itself in time; `state` is its status.
  bool wait(const Launch& launch, CUresult* state) const;
  LaunchOutcome fault_outcome(const Launch& launch, CUresult result);
  LaunchOutcome limit_outcome(const Launch& launch, double seconds);
  static double limit_of(const Launch& launch) {
    return launch.limit_seconds > 0 ? launch.limit_seconds : kDefaultLimitSeconds;
  }

  std::unique_ptr<Context> context_;
  DeviceMemory memory_;
  Staging staging_;
  KernelTimer timer_;
  std::unique_ptr<ManagementLibrary> management_;  // null without the library
  std::unique_ptr<DeviceKernels> kernels_;
  std::unique_ptr<KeptCopies> copies_;
  std::unique_ptr<CachePreparer> cache_preparer_;
  std::vector<AddressRange> ranges_;  // all that is mapped
  std::vector<CUmodule> modules_;
  std::set<CUfunction> prepared_;
  std::map<int, std::unique_ptr<Scrubber>> scrubbers_;  // by bytes of local memory
  const uint8_t poison_;
  CacheState cache_ = CacheState::kAsIs;
  uint64_t last_kernel_ = 0;
  char** argv_;
};

CudaDevice::~CudaDevice() {
  if (context_->abandoned()) return;
  context_->driver().cuStreamSynchronize(staging_.stream());
  for (CUmodule module : modules_) context_->driver().cuModuleUnload(module);
}

Status CudaDevice::start(const archive::Manifest& manifest) {
  if (auto fits = check_device_fits(manifest.device.isa, context_->capability(), context_->device_name()); !fits)
    return fits;
  if (auto entered = context_->enter(); !entered) return entered;
  const auto plan = plan_launch(manifest.geometry.attributes, 0);
  if (!plan) return plan.error();
  return set_limits(*plan);
}

// They size the context's allocations with the code, and are set before anything is loaded.
Status CudaDevice::set_limits(const LaunchPlan& plan) {
  for (const ContextLimit& limit : plan.limits) {
    if (auto set = context_->check("cuCtxSetLimit", context_->driver().cuCtxSetLimit(limit.limit, limit.value),
                                   "setting the captured context limit of " + std::to_string(limit.value) + " bytes");
        !set)
      return set;
  }
  return Unit{};
}

Status CudaDevice::prepare(const std::vector<Mapping>& mappings) {
  if (auto mapped = memory_.map(mappings); !mapped) {
    if (mapped.error().code != "ADDRESS_TAKEN") return mapped;
    restart_without_randomisation(argv_);
    Error error = mapped.error();
    if (was_restarted()) error.message += ", with address-space randomisation and without";
    return error;
  }
  if (const uint64_t bytes = memory_.host_bytes_on_device(); bytes > 0) {
    std::cerr << "kernloop-replay: " << bytes << " bytes of captured host memory lie in device memory now: times differ"
              << std::endl;
  }
  for (const Mapping& mapping : mappings) ranges_.push_back(mapping.range);
  if (auto started = staging_.start(); !started) return started;
  auto kernels = DeviceKernels::load(context_->driver());
  if (!kernels) return kernels.error();
  kernels_ = std::move(*kernels);
  copies_ = std::make_unique<KeptCopies>(*context_, memory_, staging_, *kernels_);
  cache_preparer_ = std::make_unique<CachePreparer>(*context_, *kernels_);
  if (auto started = timer_.start(); !started) return started;
  management_ = ManagementLibrary::open(context_->pci_bus_id());
  use_cupti();
  // The driver writes kernels' printf output to stdout, which is for events. From here on, nothing starts this program
  // again.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return Unit{};
}

void CudaDevice::use_cupti() {
  std::string reason = reason_against_cupti(environ);
  if (reason.empty()) {
    auto activity = KernelActivity::start(context_->driver().version);
    if (activity) return timer_.use(std::move(*activity));
    reason = activity.error().message;
  }
  std::cerr << "kernloop-replay: timing with events, which include the launch: no CUPTI: " << reason << std::endl;
}

Status CudaDevice::map(const Mapping&) {
  return Unit{};  // prepare() mapped everything: a window may hold several
}

Result<bool> CudaDevice::map_apart(const AddressRange& window, const AddressRange& range) {
  auto mapped = memory_.map_apart(window, range);
  if (mapped && *mapped) ranges_.push_back(range);
  return mapped;
}

Result<LoadedCode> CudaDevice::load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                                    std::optional<uint64_t>) {
  constexpr unsigned kLogBytes = 8192;
  std::string errors(kLogBytes, '\0'), notes(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* const log_bytes = reinterpret_cast<void*>(uintptr_t{kLogBytes});
  void* values[] = {errors.data(), log_bytes, notes.data(), log_bytes};
  CUmodule module = nullptr;
  const CUresult result =
      context_->driver().cuModuleLoadDataEx(&module, code_object.data(), std::size(options), options, values);
  if (result != CUDA_SUCCESS) {
    errors.resize(std::strlen(errors.c_str()));
    return Error{"CODE_OBJECT_REFUSED",
                 "loading code object " + info.sha256.hex().substr(0, 12) + " (" + info.target + ") on " +
                     context_->device_name() + " failed: cuModuleLoadDataEx: " + context_->describe(result) +
                     (errors.empty() ? "" : ": " + errors),
                 "build it for " + context_->capability().isa()};
  }
  modules_.push_back(module);
  return LoadedCode{modules_.size() - 1, std::nullopt};
}

Result<uint64_t> CudaDevice::kernel_address(const LoadedCode& code, const codeobject::Kernel& kernel) {
  CUfunction function = nullptr;
  if (auto found =
          context_->check("cuModuleGetFunction",
                          context_->driver().cuModuleGetFunction(&function, modules_.at(code.id), kernel.name.c_str()),
                          "finding kernel " + kernel.name);
      !found)
    return found.error();
  // The launch's dynamic shared memory is the captured total minus this.
  int static_bytes = 0;
  if (auto told = context_->check(
          "cuFuncGetAttribute",
          context_->driver().cuFuncGetAttribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
          "asking for the shared memory of " + kernel.name);
      !told)
    return told.error();
  if (static_cast<uint32_t>(static_bytes) != kernel.group_segment_bytes) {
    return Error{"DEVICE_ERROR",
                 kernel.name + " has " + std::to_string(static_bytes) + " bytes of shared memory by the driver and " +
                     std::to_string(kernel.group_segment_bytes) + " by its code object",
                 "report this: the code object was read wrongly"};
  }
  return reinterpret_cast<uint64_t>(function);
}

Result<uint64_t> CudaDevice::variable_address(const LoadedCode& code, const codeobject::Variable& variable) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (auto found = context_->check(
          "cuModuleGetGlobal",
          context_->driver().cuModuleGetGlobal(&address, &bytes, modules_.at(code.id), variable.name.c_str()),
          "finding module variable " + variable.name);
      !found)
    return found.error();
  if (bytes == variable.size) return address;
  return Error{"DEVICE_ERROR",
               "module variable " + variable.name + " has " + std::to_string(bytes) + " bytes on the device and " +
                   std::to_string(variable.size) + " in its code object",
               "report this: the code object was read wrongly"};
}

Status CudaDevice::write(uint64_t address, Bytes bytes) {
  if (uint8_t* memory = in_place(address)) return std::memcpy(memory, bytes.data(), bytes.size()), Unit{};
  return staging_.write(address, bytes);
}

Status CudaDevice::read(uint64_t address, std::span<uint8_t> into) {
  if (const uint8_t* memory = in_place(address)) return std::memcpy(into.data(), memory, into.size()), Unit{};
  return staging_.read(address, into);
}

Status CudaDevice::fill(uint64_t address, uint64_t size, uint8_t byte) {
  if (uint8_t* memory = in_place(address)) return std::memset(memory, byte, size), Unit{};
  return staging_.fill(address, size, byte);
}

Result<Bytes> CudaDevice::view(uint64_t address, uint64_t size, Buffer& scratch) {
  if (in_place(address) || size > Staging::kBufferBytes) return DeviceReplay::view(address, size, scratch);
  // Chunk after chunk of a region: following bytes are fetched ahead, as far as memory is mapped there.
  uint64_t limit = 0;
  for (const AddressRange& range : ranges_) {
    if (address >= range.base && address < range.end()) limit = range.end();
  }
  return staging_.view(address, size, limit);
}

// By checksums of the device, where the bytes are: gigabytes in a millisecond.
Result<Digest> CudaDevice::digest(const std::vector<AddressRange>& ranges) {
  constexpr uint64_t kChunkBytes = 1u << 30;
  std::vector<AddressRange> host;
  std::vector<Checksum128> checksums;
  if (auto finished = staging_.finish(); !finished) return finished.error();
  for (const AddressRange& range : ranges) {
    if (in_place(range.base)) {
      host.push_back(range);
      continue;
    }
    std::vector<Checksum128> sums((range.size + kChunkBytes - 1) / kChunkBytes);
    if (auto summed = kernels_->checksums(range.base, range.size, kChunkBytes, sums); !summed) return summed.error();
    checksums.insert(checksums.end(), sums.begin(), sums.end());
  }
  const auto of_host = DeviceReplay::digest(host);
  if (!of_host) return of_host;
  Sha256 all;
  all.update(of_host->bytes);
  all.update({reinterpret_cast<const uint8_t*>(checksums.data()), checksums.size() * sizeof(Checksum128)});
  return all.finish();
}

// Computed from the width and clock of the memory's bus, which carries two words a clock (DDR). Bytes that fit into the
// L2 cache may still be there when the kernel ends.
uint64_t CudaDevice::least_ns_to_write(uint64_t bytes) const {
  const auto l2 = static_cast<uint64_t>(std::max(context_->attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 0));
  const double khz = context_->attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const double bus_bytes = context_->attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
  if (bytes <= l2 || khz <= 0 || bus_bytes <= 0) return 0;
  const double bytes_per_ns = 2 * khz * 1e-6 * bus_bytes;
  return static_cast<uint64_t>(static_cast<double>(bytes - l2) / bytes_per_ns);
}

DeviceLimits CudaDevice::limits() const {
  const int shared = context_->attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return {static_cast<uint64_t>(std::max(shared, 0)), 0};
}

CUlaunchConfig config_of(const Launch& launch, LaunchPlan& plan, CUstream stream) {
  CUlaunchConfig config{};
  config.gridDimX = launch.grid_blocks[0];
  config.gridDimY = launch.grid_blocks[1];
  config.gridDimZ = launch.grid_blocks[2];
  config.blockDimX = launch.block_threads[0];
  config.blockDimY = launch.block_threads[1];
  config.blockDimZ = launch.block_threads[2];
  config.sharedMemBytes = launch.dynamic_group_segment_bytes;
  config.hStream = stream;
  config.attrs = plan.attributes.data();
  config.numAttrs = static_cast<unsigned>(plan.attributes.size());
  return config;
}

Result<std::string> CudaDevice::why_refused(const codeobject::Kernel& kernel, const codeobject::Kernel& captured,
                                            const Launch& launch) {
  const auto function = reinterpret_cast<CUfunction>(launch.kernel);
  if (std::string why = why_too_large(*context_, function, kernel, captured, launch); !why.empty()) return why;
  auto plan = plan_launch(launch.attributes, launch.dynamic_group_segment_bytes);
  if (!plan) return plan.error();
  if (auto ready = prepare_function(function, *plan, launch.dynamic_group_segment_bytes); !ready) return ready.error();
  return why_not_resident(*context_, function, launch, config_of(launch, *plan, staging_.stream()));
}

Status CudaDevice::prepare_function(CUfunction function, const LaunchPlan& plan, uint32_t dynamic_shared_bytes) {
  if (prepared_.contains(function)) return Unit{};
  const Driver& driver = context_->driver();
  for (const FunctionSetting& setting : plan.settings) {
    CUresult result = driver.cuFuncSetAttribute(function, setting.attribute, setting.value);
    // An app that allows all remaining shared memory allows less to a variant with more static shared memory.
    if (result == CUDA_ERROR_INVALID_VALUE && setting.attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
      result = driver.cuFuncSetAttribute(function, setting.attribute, static_cast<int>(dynamic_shared_bytes));
    if (auto set = context_->check("cuFuncSetAttribute", result,
                                   "giving the kernel the captured attribute " + std::to_string(setting.attribute) +
                                       " = " + std::to_string(setting.value));
        !set)
      return set;
  }
  // Functions are loaded lazily otherwise: at the first launch, which is to be measured.
  if (driver.cuFuncLoad) {
    if (auto loaded = context_->check("cuFuncLoad", driver.cuFuncLoad(function), "loading the kernel"); !loaded)
      return loaded;
  }
  prepared_.insert(function);
  return Unit{};
}

Status CudaDevice::submit(const Launch& launch, LaunchPlan& plan) {
  const CUlaunchConfig config = config_of(launch, plan, staging_.stream());
  Buffer kernarg = launch.kernarg;
  size_t bytes = kernarg.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, kernarg.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  const CUresult result = context_->driver().cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(launch.kernel),
                                                              nullptr, bytes > 0 ? extra : nullptr);
  if (result == CUDA_SUCCESS) return Unit{};
  if (!is_refused_launch(result)) return context_->error("cuLaunchKernelEx", result, "launching " + launch.kernel_name);
  return Error{
      "LAUNCH_REFUSED",
      "the driver refuses to launch " + launch.kernel_name + ": cuLaunchKernelEx: " + context_->describe(result),
      "a variant may need more registers or shared memory than the block size leaves: see ptxas -v; a geometry "
      "that was overridden may be more than the device has"};
}

bool CudaDevice::wait(const Launch& launch, CUresult* state) const {
  using std::chrono::microseconds;
  const auto begin = Clock::now();
  for (;;) {
    *state = timer_.state();
    if (*state != CUDA_ERROR_NOT_READY) return true;
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    if (elapsed.count() > limit_of(launch)) return false;
    // Short kernels are waited for without a pause: the host's wake-up would be most of an iteration.
    if (elapsed > microseconds(2000)) std::this_thread::sleep_for(microseconds(100));
  }
}

Result<LaunchOutcome> CudaDevice::launch(const Launch& launch) {
  auto plan = plan_launch(launch.attributes, launch.dynamic_group_segment_bytes);
  if (!plan) return plan.error();
  if (auto ready =
          prepare_function(reinterpret_cast<CUfunction>(launch.kernel), *plan, launch.dynamic_group_segment_bytes);
      !ready)
    return ready.error();
  if (auto finished = staging_.finish(); !finished) return finished.error();
  if (auto reset = give_up_persisting_lines(launch.kernel); !reset) return reset.error();
  if (cache_ == CacheState::kWarm && copies_->keeps_all()) return launch_after_another(launch, *plan);
  if (auto prepared = cache_preparer_->prepare(cache_, ranges_); !prepared) return prepared.error();
  return run(launch, *plan, false);
}

// Lines that one kernel made persistent in the L2 cache would be missing from the next kernel's cache.
Status CudaDevice::give_up_persisting_lines(uint64_t kernel) {
  // A cold launch always counts the previous launch as another kernel.
  const bool is_another = last_kernel_ != kernel || cache_ == CacheState::kCold;
  last_kernel_ = kernel;
  const auto reset = context_->driver().cuCtxResetPersistingL2Cache;
  if (!is_another || reset == nullptr || context_->attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) <= 0)
    return Unit{};
  return context_->check("cuCtxResetPersistingL2Cache", reset(), "emptying the persisting part of the L2 cache");
}

// Fills local and shared memory with another word in every comparison (poison_): a kernel that reads what it never
// wrote then gives another result.
Status CudaDevice::scrub(CUfunction function) {
  int local_bytes = 0;
  if (auto told = context_->check(
          "cuFuncGetAttribute",
          context_->driver().cuFuncGetAttribute(&local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function),
          "asking for the local memory of the kernel");
      !told)
    return told;
  std::unique_ptr<Scrubber>& scrubber = scrubbers_[local_bytes];
  if (!scrubber) {
    auto loaded = Scrubber::load(context_->driver(), context_->device(), static_cast<uint32_t>(local_bytes));
    if (!loaded) return loaded.error();
    scrubber = std::move(*loaded);
  }
  if (auto filled = scrubber->fill(scrub_word(poison_), staging_.stream()); !filled) return filled;
  return context_->check("cuStreamSynchronize", context_->driver().cuStreamSynchronize(staging_.stream()),
                         "filling shared and local memory");
}

// Launches as in a loop of the app: the previous launch left the kernel's memory in the caches, and its writes are
// still on their way to memory. Measured on an H200, an in-place kernel takes 6% longer then than after a pause.
Result<LaunchOutcome> CudaDevice::launch_after_another(const Launch& launch, LaunchPlan& plan) {
  auto before = run(launch, plan, false);
  if (!before || before->end != LaunchOutcome::End::kCompleted) return before;
  // The bytes that the kernel was seen to write are most likely all: good enough for a time, not for a verdict.
  const bool is_likely_enough = copies_->knows_written() && !launch.is_compared;
  if (is_likely_enough) {
    copies_->restore_host();
  } else if (auto restored = copies_->restore(); !restored) {
    return restored.error();
  }
  return run(launch, plan, !launch.is_compared);
}

// One launch from its submission to its end; `restores` puts back the previous launch's writes, directly ahead of it.
Result<LaunchOutcome> CudaDevice::run(const Launch& launch, LaunchPlan& plan, bool restores) {
  if (launch.is_compared) {
    if (auto scrubbed = scrub(reinterpret_cast<CUfunction>(launch.kernel)); !scrubbed) return scrubbed.error();
  }
  timer_.forget();
  if (restores) {
    if (auto enqueued = copies_->enqueue_restore_of_written(); !enqueued) return enqueued.error();
  }
  if (auto timed = context_->check("cuEventRecord", timer_.before(staging_.stream()), "timing the kernel"); !timed)
    return timed.error();
  if (auto submitted = submit(launch, plan); !submitted) return submitted.error();
  // Any call from here on may return a fault.
  CUresult state = timer_.after(staging_.stream());
  if (state == CUDA_SUCCESS && !wait(launch, &state)) return limit_outcome(launch, limit_of(launch));
  if (!fault_kind(state).empty()) return fault_outcome(launch, state);
  if (state != CUDA_SUCCESS) return context_->error("cuEventQuery", state, "running " + launch.kernel_name);

  auto time = timer_.take(launch.kernel_name);
  if (!time) return time.error();
  LaunchOutcome outcome;
  outcome.duration_ns = time->duration_ns;
  outcome.timer = time->timer;
  return outcome;
}

LaunchOutcome CudaDevice::fault_outcome(const Launch& launch, CUresult result) {
  context_->abandon();
  LaunchOutcome outcome;
  outcome.end = LaunchOutcome::End::kFault;
  outcome.device_lost = true;
  outcome.fault = {{"kind", fault_kind(result)},
                   {"kernel", launch.kernel_name},
                   {"error", context_->name_of(result)},
                   {"text", launch.kernel_name + ": " + context_->describe(result) +
                                "; compute-sanitizer in front of kernloop-replay names the access"}};
  return outcome;
}

LaunchOutcome CudaDevice::limit_outcome(const Launch& launch, double seconds) {
  context_->abandon();
  LaunchOutcome outcome;
  outcome.end = LaunchOutcome::End::kLimit;
  outcome.device_lost = true;
  outcome.fault = {{"kind", "time_limit"},
                   {"kernel", launch.kernel_name},
                   {"text", launch.kernel_name + " still ran after " + std::to_string(seconds) + " seconds"}};
  return outcome;
}

// Windows of the driver for device memory, pages of this process for host memory.
std::vector<AddressRange> addresses_of(const archive::Manifest& manifest) {
  std::vector<AddressRange> device, host;
  for (const archive::Region& region : manifest.regions)
    (cuda_home_of(region) == RegionClass::kHost ? host : device).push_back({region.base, region.size});
  std::vector<AddressRange> all = round_out(device, kWindowBytes);
  for (const AddressRange& range : round_out(host, kPageBytes)) all.push_back(range);
  return merge_ranges(std::move(all));
}

}  // namespace

RegionClass cuda_home_of(const archive::Region& region) {
  const bool pages = region.api.find("Host") != region.api.npos;  // cuMemAllocHost, cuMemHostAlloc, cuMemHostRegister
  return region.memory_class == RegionClass::kHost && pages ? RegionClass::kHost : RegionClass::kDevice;
}

Result<std::unique_ptr<DeviceReplay>> open_cuda_device(const Options& options, const archive::Manifest& manifest,
                                                       char** argv) {
  if (options.launches_with_hip) return unsupported_option("--launch hip", "leave it out");
  // Before the driver starts, addresses are only checked: driver 580 never reserves addresses that are mapped at that
  // time, not even after they are unmapped.
  if (const AddressHold look(addresses_of(manifest)); !look.taken().empty()) {
    restart_without_randomisation(argv);
    return address_taken(look.taken().front());
  }
  // A replay must not be captured, even if the environment is set up for it.
  if (const char* injection = std::getenv("CUDA_INJECTION64_PATH"); injection && names_capture_agent(injection))
    ::unsetenv("CUDA_INJECTION64_PATH");
  auto context = Context::find(options.device);
  if (!context) return context.error();
  auto device = std::make_unique<CudaDevice>(std::move(*context), options.poison, argv);
  if (auto started = device->start(manifest); !started) return started.error();
  return std::unique_ptr<DeviceReplay>(std::move(device));
}

}  // namespace kernloop::replay
