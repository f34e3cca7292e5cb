#include "capture/hsa/profiler.h"

#include <thread>
#include <utility>

namespace kernloop::capture {

LaunchGeometry geometry_of(const hsa_kernel_dispatch_packet_t& packet) {
  LaunchGeometry geometry;
  geometry.grid_work_items = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  geometry.block_threads = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  geometry.grid_blocks = blocks_of(geometry.grid_work_items, geometry.block_threads);
  geometry.group_segment_bytes = packet.group_segment_size;
  geometry.private_segment_bytes = packet.private_segment_size;
  geometry.dimensions = (packet.setup >> HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS) & 3;
  return geometry;
}

uint64_t dispatch_duration_ns(const HsaOriginals& hsa, hsa_agent_t device, hsa_signal_t signal) {
  hsa_amd_profiling_dispatch_time_t time{};
  uint64_t frequency = 0;
  if (hsa.amd.hsa_amd_profiling_get_dispatch_time_fn == nullptr ||
      hsa.amd.hsa_amd_profiling_get_dispatch_time_fn(device, signal, &time) != HSA_STATUS_SUCCESS ||
      time.end < time.start ||
      hsa.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency) != HSA_STATUS_SUCCESS ||
      frequency == 0) {
    return 0;
  }
  return static_cast<uint64_t>(static_cast<double>(time.end - time.start) * 1e9 / static_cast<double>(frequency));
}

std::unique_ptr<Profiler::Flight> Profiler::take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto flight = std::move(idle_.back());
      idle_.pop_back();
      return flight;
    }
  }
  auto flight = std::make_unique<Flight>();
  flight->profiler = this;
  return flight;
}

bool Profiler::attach(hsa_kernel_dispatch_packet_t& packet, const KernelEntry& kernel, const QueueState& queue) {
  auto flight = take();
  flight->queue = &queue;
  flight->message = ProfileMessage{kernel.id, geometry_of(packet), {}, false, 0};
  flight->app_signal = packet.completion_signal;
  return !keep_signal(flight) && launch(std::move(flight), packet);
}

void Profiler::list(Flight& flight) {
  flight.is_listed = true;
  listed_[flight.queue].push_back(&flight);
  in_flight_.fetch_add(1);
}

void Profiler::unlist(Flight& flight) {
  if (!std::exchange(flight.is_listed, false)) return;
  std::deque<Flight*>& flights = listed_[flight.queue];
  if (flights.front() == &flight) {
    flights.pop_front();
  } else {
    std::erase(flights, &flight);
  }
}

// The stamps in a signal are those of the last packet that had it, and the value says that this one has completed only
// if it alone takes the value from one to zero.
bool Profiler::keep_signal(std::unique_ptr<Flight>& flight) {
  const hsa_signal_t signal = flight->app_signal;
  if (signal.handle == 0) return false;
  std::lock_guard lock(mutex_);
  if (!end(signal) || hsa_.core.hsa_signal_load_scacquire_fn(signal) != 1) return false;
  flight->signal = signal;
  list(*flight);
  kept_.emplace(signal.handle, std::move(flight));
  return true;
}

// Takes the stamps of the dispatch that has this signal of the app's, if any. False: it has not completed.
bool Profiler::end(hsa_signal_t app_signal) {
  const auto known = kept_.find(app_signal.handle);
  if (known == kept_.end()) return true;
  const bool completed = is_complete(*known->second);
  if (completed) {
    report(*known->second);
  } else {
    lost_.fetch_add(1);
  }
  unlist(*known->second);
  idle_.push_back(std::move(known->second));
  kept_.erase(known);
  in_flight_.fetch_sub(1);
  return completed;
}

void Profiler::forget(hsa_signal_t signal) {
  std::lock_guard lock(mutex_);
  end(signal);
}

bool Profiler::launch(std::unique_ptr<Flight> flight, hsa_kernel_dispatch_packet_t& packet) {
  if (!flight->own) flight->own = OwnSignal::create(hsa_, 1);
  if (!flight->own) return false;
  const hsa_signal_t signal = flight->signal = flight->own.get();
  hsa_.core.hsa_signal_store_relaxed_fn(signal, 1);
  Flight* const raw = flight.release();
  {
    std::lock_guard lock(mutex_);
    list(*raw);
  }
  if (hsa_.amd.hsa_amd_signal_async_handler_fn(signal, HSA_SIGNAL_CONDITION_LT, 1, &Profiler::on_complete, raw) !=
      HSA_STATUS_SUCCESS) {
    std::lock_guard lock(mutex_);
    unlist(*raw);
    in_flight_.fetch_sub(1);
    idle_.emplace_back(raw);
    return false;
  }
  packet.completion_signal = signal;
  return true;
}

void Profiler::report(const Flight& flight) {
  const SoftgpuReport report = counters_.report_of(flight.signal);
  ProfileMessage message = flight.message;
  message.is_wave_instructions = report.wave_instructions.has_value();
  message.value = report.wave_instructions.has_value()
                      ? *report.wave_instructions
                      : dispatch_duration_ns(hsa_, flight.queue->device, flight.signal);
  try {
    const bool executed = report.fault.empty();
    if (executed) recorder_.send(FrameType::kProfile, message.encode());
  } catch (...) {  // no memory for the message: a sample is lost, the app is not
  }
}

void Profiler::report_completed() {
  if (in_flight_.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard lock(mutex_);
  for (auto& [queue, flights] : listed_) {
    while (!flights.empty() && is_complete(*flights.front())) {
      Flight& flight = *flights.front();
      if (kept_.contains(flight.signal.handle)) {
        end(flight.signal);
        continue;
      }
      report(flight);
      unlist(flight);
    }
  }
}

bool Profiler::on_complete(hsa_signal_value_t, void* data) {
  std::unique_ptr<Flight> flight(static_cast<Flight*>(data));
  Profiler& self = *flight->profiler;
  self.report_completed();
  std::unique_lock lock(self.mutex_);
  if (flight->is_listed) self.report(*flight);
  self.unlist(*flight);
  lock.unlock();
  complete_for_app(self.hsa_, flight->signal, flight->app_signal);
  lock.lock();
  self.in_flight_.fetch_sub(1);
  self.idle_.push_back(std::move(flight));
  return false;
}

bool Profiler::wait_all(Deadline deadline) {
  while (true) {
    report_completed();
    if (in_flight_.load() == 0) return true;
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Profiler::release() {
  std::lock_guard lock(mutex_);
  idle_.clear();
}

}  // namespace kernloop::capture
