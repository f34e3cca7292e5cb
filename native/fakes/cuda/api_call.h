// Frame of every driver call: a correlation id, and the subscriber's callbacks on entry and exit.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "fakes/cuda/api.h"
#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/work/activity.h"

namespace kernloop::cuda::fake {

// Id of the driver call that this thread is in.
uint32_t current_correlation();

class CorrelationScope {
 public:
  CorrelationScope();
  ~CorrelationScope();
  CorrelationScope(const CorrelationScope&) = delete;
  CorrelationScope& operator=(const CorrelationScope&) = delete;

 private:
  uint32_t outer_;
};

constexpr uint32_t callback_id(std::string_view symbol) {
#define DRIVER_CALLBACK(function, id) \
  if (symbol == #function) return id;
#include "abi/cuda/cupti_driver_callbacks.def"
#undef DRIVER_CALLBACK
  return 0;
}
const char* callback_name(uint32_t id);  // nullptr: none

// The parameters of a call, laid out as a structure with one member each. As in the real driver, the call reads them
// from there: a subscriber's changes on entry reach the call.
template <typename... Args>
class PackedParameters {
 public:
  explicit PackedParameters(const Args&... args) { (add(&args, sizeof args, alignof(Args)), ...); }
  const void* data() const { return bytes_; }
  std::tuple<Args...> values() const {
    size_t at = 0;
    return std::tuple<Args...>{take<Args>(&at)...};  // in order: a braced list
  }

 private:
  static size_t aligned(size_t at, size_t alignment) { return (at + alignment - 1) / alignment * alignment; }
  void add(const void* value, size_t bytes, size_t alignment) {
    used_ = aligned(used_, alignment);
    std::memcpy(bytes_ + used_, value, bytes);
    used_ += bytes;
  }
  template <typename Value>
  Value take(size_t* at) const {
    *at = aligned(*at, alignof(Value));
    Value value;
    std::memcpy(&value, bytes_ + *at, sizeof value);
    *at += sizeof value;
    return value;
  }
  alignas(std::max_align_t) unsigned char bytes_[(0 + ... + (sizeof(Args) + alignof(Args))) + 1];
  size_t used_ = 0;
};

// The name of a live kernel or function; nullptr: it is neither.
const char* kernel_name(CUfunction handle);

template <auto One, auto Two>
inline constexpr bool is_same_function =
    std::is_same_v<std::integral_constant<decltype(One), One>, std::integral_constant<decltype(Two), Two>>;

template <auto Function, typename... Args>
const char* launched_kernel(const Args&... args) {
  if constexpr (is_same_function<Function, &cuLaunchKernel> || is_same_function<Function, &cuLaunchCooperativeKernel>) {
    return kernel_name(std::get<0>(std::tie(args...)));
  } else if constexpr (is_same_function<Function, &cuLaunchKernelEx>) {
    return kernel_name(std::get<1>(std::tie(args...)));
  }
  return nullptr;
}

void call_subscriber(uint32_t id, CUpti_CallbackData& data, CUpti_ApiCallbackSite site);

// `Plain` is the function of which `Function` is another form.
template <auto Function, uint32_t Id, auto Plain = Function>
struct Traced;

template <typename... Args, CUresult (*Function)(Args...), uint32_t Id, auto Plain>
struct Traced<Function, Id, Plain> {
  static CUresult call(Args... args) {
    if (has_ended()) return CUDA_ERROR_DEINITIALIZED;
    const CorrelationScope scope;
    if (!callbacks().wants(CUPTI_CB_DOMAIN_DRIVER_API, Id)) return Function(args...);
    const PackedParameters<Args...> parameters(args...);
    CUresult result = CUDA_SUCCESS;
    uint64_t word = 0;
    CUpti_CallbackData data = {};
    data.functionParams = parameters.data();
    data.functionReturnValue = &result;
    data.symbolName = launched_kernel<Plain>(args...);
    data.correlationData = &word;
    call_subscriber(Id, data, CUPTI_API_ENTER);
    result = std::apply(Function, parameters.values());
    call_subscriber(Id, data, CUPTI_API_EXIT);
    return result;
  }
};

}  // namespace kernloop::cuda::fake
