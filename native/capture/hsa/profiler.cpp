#include "capture/hsa/profiler.h"

#include <thread>

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
  flight->signal = OwnSignal::create(hsa_, 1);
  return flight;
}

bool Profiler::attach(hsa_kernel_dispatch_packet_t& packet, const KernelEntry& kernel, hsa_agent_t device) {
  auto flight = take();
  flight->device = device;
  flight->message = ProfileMessage{kernel.id, geometry_of(packet), {}, false, 0};
  flight->is_dispatch = true;
  return launch(std::move(flight), packet);
}

bool Profiler::attach_barrier(hsa_kernel_dispatch_packet_t& packet) {
  if (packet.completion_signal.handle == 0 || in_flight_.load() == 0) return false;
  auto flight = take();
  flight->is_dispatch = false;
  return launch(std::move(flight), packet);
}

bool Profiler::launch(std::unique_ptr<Flight> flight, hsa_kernel_dispatch_packet_t& packet) {
  if (!flight->signal) return false;
  hsa_.core.hsa_signal_store_relaxed_fn(flight->signal.get(), 1);
  flight->app_signal = packet.completion_signal;
  flight->is_reported = false;
  const hsa_signal_t signal = flight->signal.get();
  Flight* raw = flight.release();
  if (raw->is_dispatch) {
    std::lock_guard lock(mutex_);
    dispatches_.push_back(raw);
    in_flight_.fetch_add(1);
  }
  if (hsa_.amd.hsa_amd_signal_async_handler_fn(signal, HSA_SIGNAL_CONDITION_LT, 1, &Profiler::on_complete, raw) !=
      HSA_STATUS_SUCCESS) {
    flight.reset(raw);
    if (raw->is_dispatch) {
      std::lock_guard lock(mutex_);
      std::erase(dispatches_, raw);
      in_flight_.fetch_sub(1);
    }
    return false;
  }
  packet.completion_signal = signal;
  return true;
}

void Profiler::report(Flight& flight) {
  flight.is_reported = true;
  const SoftgpuReport report = counters_.report_of(flight.signal.get());
  flight.message.is_wave_instructions = report.wave_instructions.has_value();
  flight.message.value = report.wave_instructions.has_value()
                             ? *report.wave_instructions
                             : dispatch_duration_ns(hsa_, flight.device, flight.signal.get());
  try {
    const bool executed = report.fault.empty();
    if (executed) recorder_.send(FrameType::kProfile, flight.message.encode());
  } catch (...) {  // no memory for the message: a sample is lost, the app is not
  }
}

void Profiler::report_completed() {
  std::lock_guard lock(mutex_);
  for (Flight* flight : dispatches_) {
    if (!flight->is_reported && hsa_.core.hsa_signal_load_scacquire_fn(flight->signal.get()) < 1) report(*flight);
  }
}

bool Profiler::on_complete(hsa_signal_value_t, void* data) {
  std::unique_ptr<Flight> flight(static_cast<Flight*>(data));
  Profiler& self = *flight->profiler;
  const bool is_dispatch = flight->is_dispatch;
  self.report_completed();
  complete_for_app(self.hsa_, flight->signal.get(), flight->app_signal);
  std::lock_guard lock(self.mutex_);
  if (is_dispatch) {
    std::erase(self.dispatches_, flight.get());
    self.in_flight_.fetch_sub(1);
  }
  self.idle_.push_back(std::move(flight));
  return false;
}

bool Profiler::wait_all(Deadline deadline) {
  while (in_flight_.load() != 0) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void Profiler::release() {
  std::lock_guard lock(mutex_);
  idle_.clear();
}

}  // namespace kernloop::capture
