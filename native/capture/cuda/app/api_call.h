// One call of the app into the driver, as CUPTI shows it before and after, and the table of handlers by call.
#pragma once

#include <array>
#include <cstdint>

#include "abi/cuda/cupti.h"
#include "capture/cuda/app/thread_state.h"

namespace kernloop::capture {

class CudaAgent;

struct ApiCall {
  CudaAgent& agent;
  uint32_t id;
  const cuda::CUpti_CallbackData& data;
  ThreadState& thread;

  template <typename Params>
  const Params& params() const {
    return *static_cast<const Params*>(data.functionParams);
  }
  // After the call.
  cuda::CUresult result() const { return *static_cast<const cuda::CUresult*>(data.functionReturnValue); }
  bool succeeded() const { return result() == cuda::CUDA_SUCCESS; }
};

using ApiHandler = void (*)(const ApiCall& call);

enum class Watch : uint8_t {
  kArmed,     // only while a kernel that a selection matches may be launched: then every call is seen
  kLaunches,  // also while launches are counted
  kAlways,    // rare calls that show memory, modules and kernels
};

struct ApiHandlers {
  ApiHandler before = nullptr, after = nullptr;
  Watch watch = Watch::kArmed;
  bool waits = false;  // for the device only: may go on while a capture holds the app's calls
};

// CUPTI's ids of the driver API: 13.0 has about 800. Ids past the end count as calls that are not watched.
inline constexpr uint32_t kMaxApiIds = 1536;

class ApiTable {
 public:
  ApiTable();
  const ApiHandlers& of(uint32_t id) const { return handlers_[id < kMaxApiIds ? id : 0]; }

  void set(uint32_t id, Watch watch, ApiHandler before, ApiHandler after) { handlers_[id] = {before, after, watch}; }
  void set_waits(uint32_t id) { handlers_[id].waits = true; }

 private:
  std::array<ApiHandlers, kMaxApiIds> handlers_{};
};

// Each of a *_calls.cpp.
void add_memory_calls(ApiTable& table);
void add_mapping_calls(ApiTable& table);
void add_module_calls(ApiTable& table);
void add_launch_calls(ApiTable& table);
void add_graph_calls(ApiTable& table);
void add_graph_exec_calls(ApiTable& table);
void add_opaque_calls(ApiTable& table);

}  // namespace kernloop::capture
