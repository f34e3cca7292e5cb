// The emulated amdkfd of this process: /dev/kfd of Linux 6.1 or 6.12 (kernel.h), on the software GPU's engine.
#pragma once

#include <linux/kfd_ioctl.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "softgpu/engine/engine.h"
#include "softgpu/hsa/host/options.h"
#include "softgpu/kfd/device_files.h"
#include "softgpu/kfd/events.h"
#include "softgpu/kfd/memory.h"
#include "softgpu/kfd/queue.h"

namespace kernloop::softgpu::kfd {

class Driver {
 public:
  // None, with errno and a line on stderr: an option is wrong, or a forked process has its parent's driver.
  static Driver* instance();
  // None, without a message: no device file was opened yet.
  static Driver* existing();

  const DeviceFiles& files() const { return files_; }
  Isa isa() const { return isa_; }
  Memory& memory() { return memory_; }
  // 0 or an errno.
  int call(unsigned long request, void* argument);

 private:
  explicit Driver(const Options& options);
  int create_queue(kfd_ioctl_create_queue_args& args);
  int destroy_queue(uint32_t id);
  int apertures(kfd_ioctl_get_process_apertures_new_args& args);

  const Isa isa_;
  DeviceFiles files_;
  AddressSpace space_;
  Engine engine_;
  Memory memory_;
  Events events_;
  const Gpu gpu_;
  uint64_t* const doorbells_;
  std::mutex mutex_;
  std::map<uint32_t, std::unique_ptr<Queue>> queues_;
};

// The target of the environment, even if the software GPU does not have it.
std::string target_name();

}  // namespace kernloop::softgpu::kfd
