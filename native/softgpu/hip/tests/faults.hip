// faults FAULT CALL: a kernel faults; CALL is the first to wait for it. Prints "NAME CODE" for each call of HIP and
// ends with the exit code 21, whatever it was told.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <string>

constexpr int kThreads = 64;
constexpr int kOwnCode = 21;
constexpr size_t kBytes = kThreads * sizeof(int);

__global__ void set(int* out, int value) {
  out[threadIdx.x] = value;
}
// Keeps the stream busy until the host has put everything into it, and a little longer.
__global__ void hold(const int* go) {
  while (__atomic_load_n(go, __ATOMIC_RELAXED) == 0) __builtin_amdgcn_s_sleep(1);
  for (int i = 0; i < 20000; ++i) __builtin_amdgcn_s_sleep(1);
}

__global__ void wild(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 3) *reinterpret_cast<volatile int*>(0x123456780000) = 1;
}
__global__ void misaligned(int* out) {
  int* odd = reinterpret_cast<int*>(reinterpret_cast<char*>(out) + 2);
  if (threadIdx.x == 5) atomicAdd(odd, 1);
}
__global__ void opcode(int* out) {
  out[threadIdx.x] = 1;
  asm volatile(".long 0xffffffff");
}
__global__ void trap(int* out) {
  out[threadIdx.x] = 1;
  __builtin_trap();
}
__global__ void endless(int* out) {
  while (__atomic_load_n(out, __ATOMIC_RELAXED) >= 0) __builtin_amdgcn_s_sleep(1);
}
__global__ void lds(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x + out[0] + (1 << 20)] = 1;
}

__global__ void index_of_stack(int* out) {
  volatile int local[16];
  for (int i = 0; i < 16; ++i) local[i] = i;
  local[out[0] + (1 << 20)] = 1;
  out[threadIdx.x] = local[out[1]];
}
// As an app that did not look whether it was given a texture.
__global__ void fetched(hipTextureObject_t none, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(none, threadIdx.x);
}
__global__ void modifier(int* out) {
  asm volatile("v_cmp_lt_f32_e64 s[30:31], v0, v0 clamp" ::: "s30", "s31");
  out[threadIdx.x] = 1;
}

int* d = nullptr;
int* freed = nullptr;
int host[kThreads];
int* go = nullptr;
hipStream_t stream = nullptr, waiting = nullptr, busy = nullptr;
hipEvent_t event = nullptr;

hipError_t until_ready(const std::function<hipError_t()>& query) {
  hipError_t status = hipErrorNotReady;
  while (status == hipErrorNotReady) status = query();
  return status;
}

const std::map<std::string, std::function<void()>> faults = {
    {"wild", [] { wild<<<1, kThreads, 0, stream>>>(d); }},
    {"freed", [] { set<<<1, kThreads, 0, stream>>>(freed, 1); }},
    {"misaligned", [] { misaligned<<<1, kThreads, 0, stream>>>(d); }},
    {"opcode", [] { opcode<<<1, kThreads, 0, stream>>>(d); }},
    {"trap", [] { trap<<<1, kThreads, 0, stream>>>(d); }},
    {"limit", [] { endless<<<1, kThreads, 0, stream>>>(d); }},
    {"stack", [] { index_of_stack<<<1, kThreads, 0, stream>>>(d); }},
    {"texture", [] { fetched<<<1, kThreads, 0, stream>>>(nullptr, reinterpret_cast<float*>(d)); }},
    {"modifier", [] { modifier<<<1, kThreads, 0, stream>>>(d); }},
    {"lds", [] { lds<<<1, kThreads, 64, stream>>>(d); }},
};

std::promise<void> called;

void on_stream(hipStream_t, hipError_t status, void*) {
  std::printf("callback %d\n", status);
  called.set_value();
}

const std::map<std::string, std::function<hipError_t()>> calls = {
    {"hipDeviceSynchronize", [] { return hipDeviceSynchronize(); }},
    {"hipStreamSynchronize", [] { return hipStreamSynchronize(stream); }},
    {"hipEventSynchronize", [] { return hipEventSynchronize(event); }},
    {"hipMemcpyWithStream", [] { return hipMemcpyWithStream(host, d, kBytes, hipMemcpyDeviceToHost, stream); }},
    {"hipStreamQuery", [] { return until_ready([] { return hipStreamQuery(stream); }); }},
    {"hipEventQuery", [] { return until_ready([] { return hipEventQuery(event); }); }},
    {"hipStreamDestroy", [] { return hipStreamDestroy(stream); }},
};

const std::map<std::string, std::function<hipError_t()>> calls_for_the_default_stream = {
    {"hipMemcpy", [] { return hipMemcpy(host, d, kBytes, hipMemcpyDeviceToHost); }},
    {"hipMemcpyDtoH", [] { return hipMemcpyDtoH(host, d, kBytes); }},
    {"hipMemcpy2D", [] { return hipMemcpy2D(host, 8, d, 8, 8, kThreads / 2, hipMemcpyDeviceToHost); }},
    {"hipFree", [] { return hipFree(d); }},
};

void say(const char* name, hipError_t status) {
  std::printf("%s %d\n", name, status);
}

// After the fault: in order, what a program might do to go on as if nothing had happened.
void go_on() {
  say("hipGetLastError", hipGetLastError());
  say("hipGetLastError", hipGetLastError());
  say("hipPeekAtLastError", hipPeekAtLastError());
  set<<<1, kThreads>>>(d, 2);
  say("launch", hipGetLastError());
  const void* arguments[] = {&d, &host[0]};
  say("hipLaunchKernel",
      hipLaunchKernel(reinterpret_cast<void*>(set), 1, kThreads, const_cast<void**>(arguments), 0, 0));
  say("hipMemcpy", hipMemcpy(host, d, kBytes, hipMemcpyDeviceToHost));
  say("hipMemcpyAsync", hipMemcpyAsync(host, d, kBytes, hipMemcpyDeviceToHost, stream));
  say("hipMemset", hipMemset(d, 0, kBytes));
  say("hipDeviceSynchronize", hipDeviceSynchronize());
  say("hipStreamQuery", hipStreamQuery(stream));
  hipStream_t other = nullptr;
  say("hipStreamCreate", hipStreamCreate(&other));
  int* more = nullptr;
  say("hipMalloc", hipMalloc(&more, kBytes));
  say("hipDeviceReset", hipDeviceReset());
  say("hipMalloc", hipMalloc(&more, kBytes));
  std::printf("%s\n", hipGetErrorName(hipPeekAtLastError()));
}

void prepare(bool default_stream) {
  say("hipMalloc", hipMalloc(&d, kBytes));
  say("hipMalloc", hipMalloc(&freed, 1 << 21));
  say("hipMemset", hipMemset(d, 0, kBytes));
  say("hipFree", hipFree(freed));
  say("hipHostMalloc", hipHostMalloc(reinterpret_cast<void**>(&go), sizeof(int)));
  *go = 0;
  if (!default_stream) say("hipStreamCreate", hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  say("hipStreamCreate", hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
  say("hipStreamCreate", hipStreamCreateWithFlags(&busy, hipStreamNonBlocking));
  say("hipEventCreate", hipEventCreate(&event));
  say("hipDeviceSynchronize", hipDeviceSynchronize());
}

// The fault, what waits in its stream, what waits in another one for that, and what runs in a third and never ends.
void enqueue(const std::string& fault) {
  const bool takes_time = fault == "limit";
  endless<<<1, 1, 0, busy>>>(d);
  if (!takes_time) hold<<<1, 1, 0, stream>>>(go);
  faults.at(fault)();
  (void)hipEventRecord(event, stream);
  set<<<1, kThreads, 0, stream>>>(d, 3);
  if (hipError_t status = hipStreamAddCallback(stream, on_stream, nullptr, 0)) on_stream(stream, status, nullptr);
  (void)hipStreamWaitEvent(waiting, event, 0);
  set<<<1, kThreads, 0, waiting>>>(d, 4);
}

int main(int count, char** words) {
  if (count != 3 || faults.count(words[1]) == 0) return 2;
  const std::string call = words[2];
  const bool default_stream = calls_for_the_default_stream.count(call) != 0;
  if (!default_stream && calls.count(call) == 0) return 2;
  prepare(default_stream);
  enqueue(words[1]);
  std::printf("first\n");
  __atomic_store_n(go, 1, __ATOMIC_RELEASE);
  say(call.c_str(), default_stream ? calls_for_the_default_stream.at(call)() : calls.at(call)());
  go_on();
  called.get_future().wait();  // HIP calls back from a thread of its own
  for (int value : host) {     // 1 is what the kernel that faulted wrote before
    if (value > 1) std::printf("the host has %d\n", value);
  }
  return kOwnCode;
}
