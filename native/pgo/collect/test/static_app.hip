// A program of two translation units; the arguments say what it runs and how it ends.
#include "kernels.h"

#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void first(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  KERNEL_BODY(out, n, i);
}

void launch_second(int* out);

static void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s\n", hipGetErrorName(error));
  std::exit(3);
}

static int collect() {
  using Collect = int (*)();
  const auto function = reinterpret_cast<Collect>(::dlsym(RTLD_DEFAULT, "__llvm_profile_hip_collect_device_data"));
  return function ? function() : -1;
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "return";
  if (!std::strcmp(how, "nothing")) return 0;
  int* out;
  check(hipMalloc(reinterpret_cast<void**>(&out), kElements * sizeof(int)));
  first<<<(kElements + kBlock - 1) / kBlock, kBlock>>>(out, kElements);
  launch_second(out);
  check(hipDeviceSynchronize());
  if (!std::strcmp(how, "_exit")) ::_exit(0);
  if (!std::strcmp(how, "abort")) std::abort();
  if (!std::strcmp(how, "kill")) ::kill(::getpid(), SIGKILL);
  if (!std::strcmp(how, "exit")) std::exit(0);
  if (!std::strcmp(how, "reset")) check(hipDeviceReset());
  if (!std::strcmp(how, "quick_exit")) std::quick_exit(0);
  if (!std::strcmp(how, "collect_and_kill")) {
    if (collect() != 0) return 4;
    first<<<1, kBlock>>>(out, kElements);  // is not counted
    check(hipDeviceSynchronize());
    ::kill(::getpid(), SIGKILL);
  }
  if (!std::strcmp(how, "fork")) {
    const pid_t child = ::fork();
    if (child == 0) std::exit(0);  // with all handlers, but without the device's threads
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) return 5;
  }
  return 0;
}
