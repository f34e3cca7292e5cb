#include "softgpu/hsa/intercept_queue.h"

#include <cstdlib>
#include <utility>

#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu {

thread_local InterceptQueue::Cursor InterceptQueue::cursor_;

namespace {

// Overwrites the packet: a pointer to it that a tool kept must not be usable.
void spoil(Packet& slot) {
  std::memset(slot.body, 0x5a, sizeof slot.body);
  store_header(slot, kInvalidHeader);
}

}  // namespace

InterceptQueue::InterceptQueue(std::unique_ptr<HardwareQueue> target, bool writes_once)
    : target_(std::move(target)), writes_once_(writes_once) {}

InterceptQueue::~InterceptQueue() {
  // The target's thread may be in the error callback with our queue: it ends first.
  target_.reset();
}

void InterceptQueue::start(std::unique_ptr<QueueMemory> memory) {
  memory_ = std::move(memory);
  memory_->handle()->id = target_->handle()->id;
  target_->report_as(memory_->handle());
}

void InterceptQueue::add(hsa_amd_queue_intercept_handler handler, void* data) {
  std::lock_guard lock(mutex_);
  interceptors_.push_back({handler, data});
}

void InterceptQueue::ring() {
  if (rings_.fetch_add(1) != 0) return;  // a thread is at it and will look again
  uint64_t seen = 1;
  do {
    seen = rings_.load();
    process();
  } while (rings_.fetch_sub(seen) != seen);
}

void InterceptQueue::process() {
  for (;;) {
    const uint64_t until_wrap = memory_->size() - (next_ & (memory_->size() - 1));
    const uint64_t most = writes_once_ ? 1 : until_wrap;
    uint64_t count = 0;
    while (count < most && packet_type(load_header(memory_->slot(next_ + count))) != HSA_PACKET_TYPE_INVALID) ++count;
    if (count == 0) return;
    size_t level;
    {
      std::lock_guard lock(mutex_);
      level = interceptors_.size();
    }
    pass_on({&memory_->slot(next_), count}, level, next_);
    for (uint64_t i = 0; i < count; ++i) spoil(memory_->slot(next_ + i));
    next_ += count;
    memory_->read_index().store(next_, std::memory_order_release);
  }
}

void InterceptQueue::pass_on(std::span<const Packet> packets, size_t level, uint64_t packet_index) {
  if (level == 0) {
    target_->submit(packets);
    return;
  }
  Interceptor interceptor;
  {
    std::lock_guard lock(mutex_);
    interceptor = interceptors_[level - 1];
  }
  const Cursor outer = std::exchange(cursor_, Cursor{this, level - 1, packet_index});
  interceptor.handler(packets.data(), packets.size(), packet_index, interceptor.data, &InterceptQueue::write);
  cursor_ = outer;
}

void InterceptQueue::write(const void* packets, uint64_t count) {
  const Cursor cursor = cursor_;
  if (cursor.queue == nullptr) {
    report_error("%lu packets were written outside a queue intercept handler: they are lost", count);
    return;
  }
  if (count == 0) return;
  if (cursor.queue->writes_once_ && std::exchange(cursor_.has_written, true)) {
    report_error("a handler called its packet writer twice: ROCr before ROCm 6.0 jumps to nowhere");
    std::abort();
  }
  cursor.queue->pass_on({static_cast<const Packet*>(packets), count}, cursor.level, cursor.packet_index);
}

}  // namespace kernloop::softgpu
