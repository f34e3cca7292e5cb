#include "softgpu/kfd/driver.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "softgpu/engine/wave/apertures.h"
#include "softgpu/hsa/host/log.h"
#include "softgpu/kfd/gpu_model.h"
#include "softgpu/kfd/kernel.h"
#include "softgpu/kfd/linux_6_12_calls.h"

namespace kernloop::softgpu::kfd {
namespace {

std::mutex g_mutex;
std::atomic<Driver*> g_driver{nullptr};  // never destroyed: threads of queues run until the process ends
pid_t g_process = 0;

const char* environment(const char* name) {
  return std::getenv(name);
}

// The software GPU's options, except for those that nothing reports here.
Result<Options> read_driver_options() {
  auto options = read_options(environment);
  if (const char* const release = unknown_kernel()) {
    return Error{"BAD_OPTION", std::string("KERNLOOP_SOFTGPU_LINUX=") + release + " is no emulated kernel",
                 "give 6.1 or 6.12, or unset it"};
  }
  if (options && options->checks) {
    return Error{"BAD_OPTION", "KERNLOOP_SOFTGPU_CHECK has no effect over the emulated kernel driver", "unset it"};
  }
  return options;
}

uint64_t nanoseconds(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t* map_doorbells(const DeviceFiles& files) {
  void* const page = ::mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            files.descriptor(DeviceFile::kKfd), static_cast<off_t>(kDoorbellOffset));
  if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "doorbells");
  return static_cast<uint64_t*>(page);
}

DispatchOptions dispatch_options(const Options& options) {
  DispatchOptions all;
  all.threads = options.threads;
  all.seed = options.seed;
  all.faults_past_lds = options.faults_past_lds;
  all.max_wave_instructions = options.max_wave_instructions;
  return all;
}

// Only in the driver that ROCm 5 brought along.
constexpr unsigned kIpcImportOfRocm5 = 0x80, kIpcExportOfRocm5 = 0x81, kDebugTrapOfRocm5 = 0x82;

// kfd_ioctl.h, by number.
const char* call_name(unsigned number) {
  switch (number) {
    case _IOC_NR(AMDKFD_IOC_DBG_REGISTER_DEPRECATED):
      return "AMDKFD_IOC_DBG_REGISTER";
    case _IOC_NR(AMDKFD_IOC_GET_QUEUE_WAVE_STATE):
      return "AMDKFD_IOC_GET_QUEUE_WAVE_STATE";
    case _IOC_NR(AMDKFD_IOC_GET_DMABUF_INFO):
      return "AMDKFD_IOC_GET_DMABUF_INFO";
    case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
      return "AMDKFD_IOC_IMPORT_DMABUF";
    case _IOC_NR(AMDKFD_IOC_SMI_EVENTS):
      return "AMDKFD_IOC_SMI_EVENTS";
    case _IOC_NR(AMDKFD_IOC_CRIU_OP):
      return "AMDKFD_IOC_CRIU_OP";
    case kIpcImportOfRocm5:
      return "AMDKFD_IOC_IPC_IMPORT_HANDLE of ROCm 5";
    case kIpcExportOfRocm5:
      return "AMDKFD_IOC_IPC_EXPORT_HANDLE of ROCm 5";
    default:
      return "of no name in Linux 6.12";
  }
}

}  // namespace

std::string target_name() {
  const char* const name = environment("KERNLOOP_SOFTGPU");
  return name == nullptr || *name == '\0' ? Options{}.target : name;
}

Driver* Driver::existing() {
  return g_driver.load(std::memory_order_acquire);
}

Driver* Driver::instance() {
  std::lock_guard lock(g_mutex);
  errno = ENODEV;
  if (Driver* const driver = existing()) {
    if (g_process == ::getpid()) return driver;
    report_error("kfd: a forked process cannot use the driver of its parent; one that executes a program can");
    return nullptr;
  }
  const auto options = read_driver_options();
  if (!options) {
    report_error("kfd: %s: %s", options.error().message.c_str(), options.error().hint.c_str());
    return nullptr;
  }
  set_log_level(options->log_level);
  try {
    g_process = ::getpid();
    g_driver.store(new Driver(*options), std::memory_order_release);
    return existing();
  } catch (const std::exception& error) {
    report_error("kfd: %s", error.what());
    errno = ENOMEM;
    return nullptr;
  }
}

Driver::Driver(const Options& options)
    : isa_(options.isa()),
      engine_(space_, isa_),
      memory_(files_, space_, engine_),
      events_(memory_),
      gpu_{engine_, memory_, events_, dispatch_options(options)},
      doorbells_(map_doorbells(files_)) {}

int Driver::create_queue(kfd_ioctl_create_queue_args& args) {
  const bool is_aql = args.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  if (!is_aql && args.queue_type != KFD_IOC_QUEUE_TYPE_SDMA) {
    report_error("kfd: queues of type %u are not emulated (AQL and SDMA are)", args.queue_type);
    return EINVAL;
  }
  constexpr uint32_t kSlots = kDoorbellBytes / sizeof(uint64_t);
  std::lock_guard lock(mutex_);
  uint32_t id = 0;
  while (queues_.contains(id)) id++;
  if (id >= kSlots) return ENOMEM;
  doorbells_[id] = 0;
  const Ring ring{id,
                  args.ring_base_address,
                  args.ring_size,
                  args.read_pointer_address,
                  args.write_pointer_address,
                  doorbells_ + id,
                  args.ctx_save_restore_address};
  auto queue = is_aql ? make_aql_queue(gpu_, ring) : make_sdma_queue(gpu_, ring);
  queue->start();
  queues_.emplace(id, std::move(queue));
  args.queue_id = id;
  args.doorbell_offset = kDoorbellOffset + id * sizeof(uint64_t);
  log_line(LogLevel::kObjects, "kfd: queue %u (%s)", id, is_aql ? "AQL" : "SDMA");
  return 0;
}

int Driver::destroy_queue(uint32_t id) {
  std::unique_ptr<Queue> queue;
  {
    std::lock_guard lock(mutex_);
    const auto found = queues_.find(id);
    if (found == queues_.end()) return EINVAL;
    queue = std::move(found->second);
    queues_.erase(found);
  }
  queue->stop();
  return 0;
}

int Driver::apertures(kfd_ioctl_get_process_apertures_new_args& args) {
  if (args.num_of_nodes >= 1) {
    auto& node = *reinterpret_cast<kfd_process_device_apertures*>(args.kfd_process_device_apertures_ptr);
    node = {};
    node.lds_base = kSharedApertureBase;
    node.lds_limit = kSharedApertureLimit;
    node.scratch_base = kPrivateApertureBase;
    node.scratch_limit = kPrivateApertureLimit;
    // Up to here libhsakmt takes addresses from mmap.
    node.gpuvm_base = 0x4000;
    node.gpuvm_limit = (uint64_t{1} << 47) - 1;
    node.gpu_id = kGpuId;
  }
  args.num_of_nodes = 1;
  return 0;
}

int Driver::call(unsigned long request, void* argument) {
  if (g_process != ::getpid()) return EINVAL;
  switch (_IOC_NR(request)) {
    case _IOC_NR(AMDKFD_IOC_GET_VERSION):
      *static_cast<kfd_ioctl_get_version_args*>(argument) = {1, kernel().kfd_minor};
      return 0;
    case _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW):
      return apertures(*static_cast<kfd_ioctl_get_process_apertures_new_args*>(argument));
    case _IOC_NR(AMDKFD_IOC_GET_CLOCK_COUNTERS): {
      auto& args = *static_cast<kfd_ioctl_get_clock_counters_args*>(argument);
      args.gpu_clock_counter = gpu_ticks();
      args.cpu_clock_counter = nanoseconds(CLOCK_MONOTONIC_RAW);
      args.system_clock_counter = nanoseconds(CLOCK_BOOTTIME);
      args.system_clock_freq = 1'000'000'000;
      return 0;
    }
    case _IOC_NR(AMDKFD_IOC_GET_TILE_CONFIG): {
      auto& args = *static_cast<kfd_ioctl_get_tile_config_args*>(argument);
      args.num_tile_configs = args.num_macro_tile_configs = args.num_banks = args.num_ranks = 0;
      args.gb_addr_config = isa_ == Isa::kGfx90a || isa_ == Isa::kGfx942 ? 0x2a114042 : 0x00000444;
      return 0;
    }
    case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
      return memory_.allocate(*static_cast<kfd_ioctl_alloc_memory_of_gpu_args*>(argument));
    case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU):
      return memory_.free(static_cast<kfd_ioctl_free_memory_of_gpu_args*>(argument)->handle);
    case _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU): {
      auto& args = *static_cast<kfd_ioctl_map_memory_to_gpu_args*>(argument);
      const int result = memory_.map(args.handle);
      if (result == 0) args.n_success = args.n_devices;
      return result;
    }
    case _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU): {
      auto& args = *static_cast<kfd_ioctl_unmap_memory_from_gpu_args*>(argument);
      const int result = memory_.unmap(args.handle);
      if (result == 0) args.n_success = args.n_devices;
      return result;
    }
    case _IOC_NR(AMDKFD_IOC_AVAILABLE_MEMORY):
      static_cast<kfd_ioctl_get_available_memory_args*>(argument)->available = memory_.available();
      return 0;
    case _IOC_NR(AMDKFD_IOC_SVM):
      return memory_.set_or_get_attributes(*static_cast<kfd_ioctl_svm_args*>(argument));
    case _IOC_NR(AMDKFD_IOC_SET_XNACK_MODE): {
      auto& args = *static_cast<kfd_ioctl_set_xnack_mode_args*>(argument);
      if (args.xnack_enabled > 0) return EPERM;  // a negative number asks
      args.xnack_enabled = 0;
      return 0;
    }
    case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
      return events_.create(*static_cast<kfd_ioctl_create_event_args*>(argument));
    case _IOC_NR(AMDKFD_IOC_DESTROY_EVENT):
      return events_.destroy(static_cast<kfd_ioctl_destroy_event_args*>(argument)->event_id);
    case _IOC_NR(AMDKFD_IOC_SET_EVENT):
      return events_.set(static_cast<kfd_ioctl_set_event_args*>(argument)->event_id);
    case _IOC_NR(AMDKFD_IOC_RESET_EVENT):
      return events_.reset(static_cast<kfd_ioctl_reset_event_args*>(argument)->event_id);
    case _IOC_NR(AMDKFD_IOC_WAIT_EVENTS):
      return events_.wait(*static_cast<kfd_ioctl_wait_events_args*>(argument));
    case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
      return create_queue(*static_cast<kfd_ioctl_create_queue_args*>(argument));
    case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
      return destroy_queue(static_cast<kfd_ioctl_destroy_queue_args*>(argument)->queue_id);
    case _IOC_NR(AMDKFD_IOC_ALLOC_QUEUE_GWS):
      static_cast<kfd_ioctl_alloc_queue_gws_args*>(argument)->first_gws = 0;
      return 0;
    // They set up parts that the engine implements itself (scratch, caches, traps), or that change no result
    // (priorities, masks).
    case _IOC_NR(AMDKFD_IOC_ACQUIRE_VM):
    case _IOC_NR(AMDKFD_IOC_SET_MEMORY_POLICY):
    case _IOC_NR(AMDKFD_IOC_SET_SCRATCH_BACKING_VA):
    case _IOC_NR(AMDKFD_IOC_SET_TRAP_HANDLER):
    case _IOC_NR(AMDKFD_IOC_SET_CU_MASK):
    case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
      return 0;
    case kExportDmabuf:
      if (!kernel().is_later) break;
      return memory_.export_dmabuf(*static_cast<ExportDmabuf*>(argument));
    case kRuntimeEnable:
      if (!kernel().is_later) break;
      static_cast<RuntimeEnable*>(argument)->capabilities_mask = 0;
      return 0;
    case kDebugTrap:
      if (!kernel().is_later) break;
      // ROCr asks for the faulting waves, to write a core file, and goes on without.
      log_line(LogLevel::kSetup, "kfd: ioctl 0x26 (AMDKFD_IOC_DBG_TRAP) is refused: no debuggers are served");
      return EPERM;
    case kDebugTrapOfRocm5:
      // ROCr asks at its start whether debuggers are served, and takes the refusal; Linux 6.1 refuses it, too.
      log_line(LogLevel::kSetup, "kfd: ioctl 0x82 (AMDKFD_IOC_DBG_TRAP of ROCm 5) is refused");
      return ENOTTY;
    default:
      break;
  }
  const unsigned number = _IOC_NR(request);
  report_error("kfd: ioctl 0x%02x (%s) is not emulated", number, call_name(number));
  return ENOTTY;
}

}  // namespace kernloop::softgpu::kfd
