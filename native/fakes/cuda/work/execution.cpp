#include "fakes/cuda/work/execution.h"

#include <csetjmp>
#include <csignal>
#include <cstring>

#include "fakes/cuda/process.h"
#include "fakes/cuda/work/activity.h"
#include "fakes/cuda/work/gpu.h"

namespace kernloop::cuda::fake {
namespace {

// Target of a segmentation fault of this thread while it is in device code.
thread_local sigjmp_buf* escape = nullptr;

struct sigaction previous_action;

void on_segmentation_fault(int signal, siginfo_t* info, void* context) {
  if (escape != nullptr) siglongjmp(*escape, 1);
  if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
    return previous_action.sa_sigaction(signal, info, context);
  }
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    return previous_action.sa_handler(signal);
  }
  std::signal(signal, SIG_DFL);  // the instruction runs again and ends the process
}

void install_fault_handler() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_segmentation_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &previous_action);
    sigaction(SIGBUS, &action, nullptr);
    return true;
  }();
  (void)installed;
}

// Runs `access` with segmentation faults turned into `false`. A fault skips destructors: it should own nothing.
template <typename Function>
bool survives(Function&& access) {
  install_fault_handler();
  sigjmp_buf here;
  sigjmp_buf* const outer = escape;
  if (sigsetjmp(here, 1) != 0) {
    escape = outer;
    return false;
  }
  escape = &here;
  access();
  escape = outer;
  return true;
}

CUresult run_kernel(const KernelLaunch& launch) {
  CUresult result = CUDA_SUCCESS;
  const bool survived = survives([&] {
    try {
      run_code(launch);
    } catch (const DeviceFault& fault) {
      result = fault.error;
    }
  });
  return survived ? result : CUDA_ERROR_ILLEGAL_ADDRESS;
}

}  // namespace

void perform(CUcontext context, const Work& work) {
  if (context->error != CUDA_SUCCESS) return;
  if (!work.launch) {
    if (work.run) work.run(context);
    return;
  }
  const uint64_t start = now_ns();
  const CUresult result = run_kernel(*work.launch);
  if (result != CUDA_SUCCESS && !context->going_away) poison(context, result);
  record_kernel(context, *work.launch, start, now_ns());
}

bool copy_bytes(uint64_t destination, uint64_t source, uint64_t bytes) {
  return survives([=] { std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<void*>(source), bytes); });
}

}  // namespace kernloop::cuda::fake
