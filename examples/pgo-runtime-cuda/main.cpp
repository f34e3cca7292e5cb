// A program that compiles its kernel at run time (NVRTC): an interpreter of small programs, whose workload changes
// while it runs.
//   pgo_runtime_cuda [OPERATION:LAUNCHES]…   nine steps in ten are that operation, for so many launches; 3:200 11:200
// Every result of every launch is compared with the CPU's, and the time of the first and the last ten launches told.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

// For both, the kernel's text and the CPU.
#define BOTH(...)                         \
  const char* const kText = #__VA_ARGS__; \
  __VA_ARGS__

#define __device__
BOTH(__device__ inline unsigned performed(unsigned operation, unsigned value, unsigned v) {
  switch (operation) {
    case 0:
      return value + v;
    case 1:
      return value - v;
    case 2:
      return value * v;
    case 3:
      return value ^ v;
    case 4:
      return value + (v << 3);
    case 5:
      return (value << 7 | value >> 25) + v;
    case 6:
      return value & ~v;
    case 7:
      return value | v;
    case 8:
      return value > v ? value - v : v - value;
    case 9:
      return value % (v | 1);
    case 10:
      return value / (v | 1);
    case 11:
      return value * 2654435761u ^ v;
    case 12: {
      unsigned sum = 0;
      for (unsigned bit = 1; bit != 0 && bit <= v; bit <<= 1) sum += value & bit ? v : 1;
      return sum;
    }
    case 13:
      return value < v ? v : value;
    case 14:
      return (value >> 16) * (v & 0xffff);
    default:
      return ~value + v;
  }
})
#undef __device__

const std::string kKernel = std::string(kText) + R"(
extern "C" __global__ void evaluate(const unsigned* program, int length, const unsigned* inputs, unsigned* results, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  unsigned value = 1;
  for (int at = 0; at < length; ++at) {
    const unsigned step = program[at];
    value = performed(step & 15, value, inputs[(step >> 4) * points + i]);
  }
  results[i] = value;
}
)";

constexpr int kPoints = 1 << 18, kLength = 256, kInputs = 8, kBlock = 256;

template <typename Status>
void check(Status status, const char* what) {
  if (static_cast<int>(status) == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(status));
  std::exit(3);
}
#define CHECK(call) check(call, #call)

CUmodule compile() {
  nvrtcProgram program = nullptr;
  CHECK(nvrtcCreateProgram(&program, kKernel.c_str(), "evaluate.cu", 0, nullptr, nullptr));
  const char* options[] = {"--gpu-architecture=sm_90", "-std=c++17"};
  CHECK(nvrtcCompileProgram(program, 2, options));
  size_t size = 0;
  CHECK(nvrtcGetCUBINSize(program, &size));
  std::vector<char> code(size);
  CHECK(nvrtcGetCUBIN(program, code.data()));
  CHECK(nvrtcDestroyProgram(&program));
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, code.data()));
  return module;
}

std::vector<unsigned> program_of(unsigned frequent) {
  std::vector<unsigned> steps(kLength);
  for (unsigned at = 0; at < kLength; ++at)
    steps[at] = (at % 10 == 7 ? at / 10 % 16 : frequent) | (at * 5 % kInputs) << 4;
  return steps;
}

bool run(CUfunction kernel, CUdeviceptr inputs, const std::vector<unsigned>& values, unsigned frequent, int launches) {
  const std::vector<unsigned> program = program_of(frequent);
  std::vector<unsigned> wanted(kPoints), results(kPoints);
  for (int i = 0; i < kPoints; ++i) {
    unsigned value = 1;
    for (const unsigned step : program) value = performed(step & 15, value, values[(step >> 4) * kPoints + i]);
    wanted[i] = value;
  }
  CUdeviceptr steps = 0, out = 0;
  CHECK(cuMemAlloc(&steps, kLength * sizeof(unsigned)));
  CHECK(cuMemAlloc(&out, kPoints * sizeof(unsigned)));
  CHECK(cuMemcpyHtoD(steps, program.data(), kLength * sizeof(unsigned)));
  int length = kLength, points = kPoints;
  void* arguments[] = {&steps, &length, &inputs, &out, &points};
  CUevent begin = nullptr, end = nullptr;
  CHECK(cuEventCreate(&begin, 0));
  CHECK(cuEventCreate(&end, 0));
  float first = 0, last = 0;
  for (int launch = 0; launch < launches; ++launch) {
    CHECK(cuMemsetD8(out, 0, kPoints * sizeof(unsigned)));
    CHECK(cuEventRecord(begin, nullptr));
    CHECK(cuLaunchKernel(kernel, kPoints / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuEventRecord(end, nullptr));
    CHECK(cuEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cuEventElapsedTime(&milliseconds, begin, end));
    if (launch < 10) first += milliseconds * 100;
    if (launch >= launches - 10) last += milliseconds * 100;
    CHECK(cuMemcpyDtoH(results.data(), out, kPoints * sizeof(unsigned)));
    if (results != wanted) {
      std::printf("operation %u, launch %d: wrong\n", frequent, launch);
      return false;
    }
  }
  std::printf("operation %u: %d launches, all right; %.1f us each at first, %.1f at last\n", frequent, launches, first,
              last);
  CHECK(cuMemFree(steps));
  CHECK(cuMemFree(out));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> workloads(argv + 1, argv + argc);
  if (workloads.empty()) workloads = {"3:200", "11:200"};
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  const CUmodule module = compile();
  CUfunction kernel = nullptr;
  CHECK(cuModuleGetFunction(&kernel, module, "evaluate"));
  std::vector<unsigned> values(size_t{kInputs} * kPoints);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned>(i * 2654435761u >> 7);
  CUdeviceptr inputs = 0;
  CHECK(cuMemAlloc(&inputs, values.size() * sizeof(unsigned)));
  CHECK(cuMemcpyHtoD(inputs, values.data(), values.size() * sizeof(unsigned)));
  for (const std::string& workload : workloads) {
    char* end = nullptr;
    const auto operation = static_cast<unsigned>(std::strtoul(workload.c_str(), &end, 10));
    if (!run(kernel, inputs, values, operation, *end == ':' ? std::atoi(end + 1) : 100)) return 1;
  }
  CHECK(cuModuleUnload(module));
  return 0;
}
