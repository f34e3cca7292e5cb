// The events of /dev/kfd: how interrupts and memory faults reach threads that wait for them.
#pragma once

#include <linux/kfd_ioctl.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace kernloop::softgpu::kfd {

class Memory;

// Functions return 0 or an errno.
class Events {
 public:
  explicit Events(Memory& memory) : memory_(memory) {}

  int create(kfd_ioctl_create_event_args& args);
  int destroy(uint32_t id);
  int set(uint32_t id);
  int reset(uint32_t id);
  // A thread that names an older age than the event has does not wait (Linux 6.12).
  int wait(kfd_ioctl_wait_events_args& args);

  // An interrupt came: events whose slot in the page was written to are set.
  void scan_page();
  void raise_memory_fault(uint64_t address, bool is_write);

 private:
  struct Event {
    uint32_t type;
    bool auto_reset;
    bool is_set;
    uint64_t age;  // set so often, and once more
    kfd_hsa_memory_exception_data fault;
    std::vector<bool*> waiters;  // each thread's own flag
  };
  void scan();
  void signal(Event& event);

  Memory& memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint32_t, Event> events_;
  uint32_t next_signal_ = 1, next_other_ = 0x80000000;
  uint64_t* page_ = nullptr;
};

}  // namespace kernloop::softgpu::kfd
