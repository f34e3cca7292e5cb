#include "softgpu/hip/error.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "abi/hsa/softgpu_extension.h"
#include "interpose/pass.h"
#include "softgpu/hip/runtime.h"

std::atomic<int> kernloop_pass_result{0};         // the error
extern "C" const int kernloop_pass_absent = 100;  // hipErrorNoDevice

namespace kernloop::softgpu::hip {
namespace {

struct HipError {
  int code;
  const char* name;
};

// Translated as in HIP of ROCm 7.
HipError error_of(hsa_status_t status) {
  switch (static_cast<int>(status)) {
    case HSA_STATUS_ERROR_MEMORY_FAULT:
    case HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION:
      return {700, "hipErrorIllegalAddress"};
  }
  return {719, "hipErrorLaunchFailure"};
}

void say(const HipError& error) {
  char line[200];
  const int length = std::snprintf(line, sizeof line,
                                   "kernloop softgpu: from now on every HIP call of this process returns %s (%d), and "
                                   "no kernel runs any more\n",
                                   error.name, error.code);
  if (length > 0 && ::write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) return;  // nowhere left to say it
}

}  // namespace

int error() {
  return kernloop_pass_result.load(std::memory_order_acquire);
}

}  // namespace kernloop::softgpu::hip

// Only for queues of a HIP whose every call has a gate, in a program that uses the gates. In any other the error goes
// to HIP's own callback, which ends the program.
extern "C" __attribute__((visibility("default"))) int kernloop_softgpu_take_error(
    hsa_status_t status, kernloop_softgpu_queue_error_t callback) {
  using namespace kernloop::softgpu::hip;
  if (!kernloop::interpose::are_gates_used() || !is_of_hip(reinterpret_cast<void*>(callback)) || !knows_this_hip())
    return 0;
  const HipError error = error_of(status);
  int none = 0;
  if (kernloop_pass_result.compare_exchange_strong(none, error.code)) say(error);
  return 1;
}
