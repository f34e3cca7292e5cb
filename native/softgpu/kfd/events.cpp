#include "softgpu/kfd/events.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>

#include "softgpu/hsa/host/log.h"
#include "softgpu/kfd/gpu_model.h"
#include "softgpu/kfd/kernel.h"
#include "softgpu/kfd/memory.h"

namespace kernloop::softgpu::kfd {
namespace {

constexpr uint64_t kUnsignaled = ~uint64_t{0};
constexpr uint64_t kPageOffset = 0x30000;  // libhsakmt gives an event its slot only if this is not 0
// A kernel writes to the page itself (hostcall of HIP's printf), without notification.
constexpr auto kLookAtPage = std::chrono::milliseconds(2);

// The place where a thread that waits names an event's age, and learns of it: since Linux 6.12's interface in the union
// of exceptions' data, for events of signals; 0 is none.
uint64_t* age_of(kfd_event_data& data, uint32_t type) {
  const bool has_age = type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
  auto* const age = reinterpret_cast<uint64_t*>(&data.memory_exception_data);
  return kernel().is_later && has_age && *age != 0 ? age : nullptr;
}

std::atomic_ref<uint64_t> slot(uint64_t* page, uint32_t id) {
  return std::atomic_ref<uint64_t>(page[id]);
}

}  // namespace

int Events::create(kfd_ioctl_create_event_args& args) {
  std::lock_guard lock(mutex_);
  if (args.event_page_offset != 0 && page_ == nullptr) {  // the handle of a buffer, with a GPU that has memory
    const auto address = memory_.address_of(args.event_page_offset);
    if (!address) return EINVAL;
    page_ = reinterpret_cast<uint64_t*>(*address);
    std::fill_n(page_, KFD_SIGNAL_EVENT_LIMIT, kUnsignaled);
  }
  if (args.event_type == KFD_IOC_EVENT_SIGNAL || args.event_type == KFD_IOC_EVENT_DEBUG_EVENT) {
    uint32_t tried = 0;
    while (next_signal_ == 0 || events_.contains(next_signal_)) {
      if (++tried > KFD_SIGNAL_EVENT_LIMIT) return ENOSPC;
      next_signal_ = (next_signal_ + 1) % KFD_SIGNAL_EVENT_LIMIT;
    }
    args.event_id = args.event_slot_index = args.event_trigger_data = next_signal_;
    args.event_page_offset = kPageOffset;
    next_signal_ = (next_signal_ + 1) % KFD_SIGNAL_EVENT_LIMIT;
  } else {
    args.event_id = next_other_++;
  }
  events_[args.event_id] = {args.event_type, args.auto_reset != 0, false, 1, {}, {}};
  return 0;
}

int Events::destroy(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(id);
  if (found == events_.end()) return EINVAL;
  for (bool* waiter : found->second.waiters) *waiter = true;
  events_.erase(found);
  changed_.notify_all();
  return 0;
}

int Events::set(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(id);
  if (found == events_.end()) return EINVAL;
  signal(found->second);
  return 0;
}

int Events::reset(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(id);
  if (found == events_.end()) return EINVAL;
  found->second.is_set = false;
  return 0;
}

void Events::signal(Event& event) {
  event.age++;
  // An event that resets itself stays set only if no thread waits for it (kfd_events.c, set_event).
  event.is_set = !event.auto_reset || event.waiters.empty();
  for (bool* waiter : event.waiters) *waiter = true;
  changed_.notify_all();
}

void Events::scan() {
  if (page_ == nullptr) return;
  for (auto& [id, event] : events_) {
    if (id >= KFD_SIGNAL_EVENT_LIMIT) break;
    if (slot(page_, id).load(std::memory_order_acquire) == kUnsignaled) continue;
    slot(page_, id).store(kUnsignaled);
    signal(event);
  }
}

void Events::scan_page() {
  std::lock_guard lock(mutex_);
  scan();
}

void Events::raise_memory_fault(uint64_t address, bool is_write) {
  constexpr uint64_t kPageMask = 4095;
  std::lock_guard lock(mutex_);
  log_line(LogLevel::kSetup, "kfd: memory fault at 0x%lx (%s)", address, is_write ? "write" : "read");
  for (auto& [id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_MEMORY) continue;
    event.fault = {};
    event.fault.failure.NotPresent = 1;
    event.fault.va = address & ~kPageMask;
    event.fault.gpu_id = kGpuId;
    signal(event);
  }
}

int Events::wait(kfd_ioctl_wait_events_args& args) {
  auto* const data = reinterpret_cast<kfd_event_data*>(args.events_ptr);
  const auto woken = std::make_unique<bool[]>(args.num_events);
  constexpr uint32_t kForever = 0xffffffff;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(args.timeout);
  std::unique_lock lock(mutex_);
  scan();
  for (uint32_t each = 0; each < args.num_events; each++) {
    if (events_.contains(data[each].event_id)) continue;
    args.wait_result = KFD_IOC_WAIT_RESULT_FAIL;
    return EINVAL;
  }
  for (uint32_t each = 0; each < args.num_events; each++) {
    Event& event = events_.at(data[each].event_id);
    const uint64_t* const age = age_of(data[each], event.type);
    woken[each] = event.is_set || (age != nullptr && *age != event.age);
    if (event.auto_reset) event.is_set = false;
    event.waiters.push_back(&woken[each]);
  }
  const auto is_done = [&] {
    const auto count = static_cast<uint32_t>(std::count(woken.get(), woken.get() + args.num_events, true));
    return args.wait_for_all ? count == args.num_events : count > 0;
  };
  args.wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
  while (!is_done()) {
    const auto now = std::chrono::steady_clock::now();
    if (args.timeout != kForever && now >= end) {
      args.wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
      break;
    }
    auto until = now + kLookAtPage;
    if (args.timeout != kForever) until = std::min(until, end);
    changed_.wait_until(lock, until);
    scan();
  }
  for (uint32_t each = 0; each < args.num_events; each++) {
    const auto found = events_.find(data[each].event_id);
    if (found == events_.end()) continue;  // destroyed meanwhile
    std::erase(found->second.waiters, &woken[each]);
    if (uint64_t* const age = age_of(data[each], found->second.type)) *age = found->second.age;
    if (woken[each] && found->second.type == KFD_IOC_EVENT_MEMORY)
      data[each].memory_exception_data = found->second.fault;
  }
  return 0;
}

}  // namespace kernloop::softgpu::kfd
