// The program that the end-to-end tests capture: one behaviour a sub-command. It checks its own results and dumps its
// memory with the runtime's own copies, so that a capture can be compared with what the program itself saw.
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const hipError_t status = (call);                                                        \
    if (status != hipSuccess) {                                                              \
      std::fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(status)); \
      std::exit(3);                                                                          \
    }                                                                                        \
  } while (0)

struct Node {
  float* values;
  Node* next;
  long count;  // no padding: its bytes would be captured, and vary
};
struct __attribute__((packed)) Packed {
  char tag;
  float* values;
};

__constant__ float scale_table[4];
__device__ int visits;

__global__ void walk(Node* head, Packed packed, float addend) {
  if (threadIdx.x == 0) atomicAdd(&visits, 1);
  for (Node* node = head; node != nullptr; node = node->next) {
    for (int i = threadIdx.x; i < node->count; i += blockDim.x)
      node->values[i] = node->values[i] * scale_table[i & 3] + addend;
  }
  packed.values[threadIdx.x] += addend;
}

// Reaches the neighbouring allocation through an index: no pointer leads there.
__global__ void reach_outside(float* base, long distance) {
  base[distance + threadIdx.x] += 1.0f;
}

__global__ void add_one(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
}

// Keeps a queue busy, and shows when it ran: it counts up in steps that a torn snapshot would catch in the middle.
__global__ void count_up(volatile int* pair, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    pair[0] = pair[0] + 1;
    pair[1] = pair[1] + 1;
  }
}

__global__ void wait_for_host(volatile int* flag, int* result) {
  while (*flag == 0) {
  }
  *result = 7;
}

__global__ void write_wild(int* address) {
  *address = 1;
}

__global__ void add_all(const int* fine, const int* coarse, const int* registered, int* sum) {
  *sum = *fine + *coarse + *registered;
}

__global__ void add_first(int* sum, const int* values, int count) {
  if (count > 0) *sum += values[0];
}
__global__ void empty() {}

namespace {

void write_file(const std::string& path, const void* bytes, size_t size) {
  FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(bytes, 1, size, file) != size || std::fclose(file) != 0) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(3);
  }
}

void dump(const std::string& folder, const void* device, size_t size, const char* when) {
  std::vector<char> host(size);
  CHECK(hipMemcpy(host.data(), device, size, hipMemcpyDeviceToHost));
  char name[64];
  std::snprintf(name, sizeof name, "/%p.%s", device, when);
  write_file(folder + name, host.data(), size);
}

template <typename T>
T* upload(const std::vector<T>& host) {
  T* device;
  CHECK(hipMalloc(&device, host.size() * sizeof(T)));
  CHECK(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  return device;
}

// A linked list, a packed structure by value, a constant table and a device variable; 3 launches, the second is to be
// captured.
int linked(const std::string& folder) {
  std::vector<float> decoy(1 << 20, 3.0f);
  upload(decoy);  // nothing leads to it
  const float table[4] = {1.5f, 2.0f, -1.0f, 0.5f};
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(scale_table), table, sizeof table));
  std::vector<std::pair<void*, size_t>> ranges;
  Node* head = nullptr;
  for (int n = 0; n < 5; ++n) {
    std::vector<float> values(1000 + n * 37);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(n * 1000 + static_cast<int>(i));
    float* device_values = upload(values);
    ranges.emplace_back(device_values, values.size() * sizeof(float));
    head = upload(std::vector<Node>{{device_values, head, static_cast<long>(values.size())}});
    ranges.emplace_back(head, sizeof(Node));
  }
  float* tail = upload(std::vector<float>(64, 1.0f));
  ranges.emplace_back(tail, 64 * sizeof(float));
  for (int launch = 0; launch < 3; ++launch) {
    if (launch == 1) {
      for (auto [device, size] : ranges) dump(folder, device, size, "pre");
    }
    walk<<<1, 64>>>(head, Packed{'x', tail}, 0.25f * static_cast<float>(launch + 1));
    CHECK(hipDeviceSynchronize());
    if (launch == 1) {
      for (auto [device, size] : ranges) dump(folder, device, size, "post");
    }
  }
  int seen = 0;
  CHECK(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(visits), sizeof seen));
  return seen == 3 ? 0 : 1;
}

int outside(int launches) {
  float* a = upload(std::vector<float>(64, 1.0f));
  float* b = upload(std::vector<float>(64, 2.0f));
  for (int i = 0; i < launches; ++i) reach_outside<<<1, 64>>>(a, b - a);
  CHECK(hipDeviceSynchronize());
  float first = 0;
  CHECK(hipMemcpy(&first, b, sizeof first, hipMemcpyDeviceToHost));
  return first == 2.0f + static_cast<float>(launches) ? 0 : 1;
}

// Other streams, driven by another thread, keep writing while dispatches of `add_one` come along; copies go on as well.
int streams() {
  constexpr int kCount = 4096, kLaunches = 12;
  int* values = upload(std::vector<int>(kCount, 0));
  int* pair = upload(std::vector<int>(2, 0));
  int* copied = upload(std::vector<int>(kCount, 5));
  std::atomic<bool> stop{false};
  std::atomic<int> launched{0};
  std::thread other([&] {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    std::vector<int> host(kCount);
    while (!stop) {
      count_up<<<1, 1, 0, stream>>>(pair, 200);
      ++launched;
      CHECK(hipMemcpyAsync(host.data(), copied, kCount * sizeof(int), hipMemcpyDeviceToHost, stream));
      CHECK(hipStreamSynchronize(stream));
    }
    CHECK(hipStreamDestroy(stream));
  });
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  for (int i = 0; i < kLaunches; ++i) {
    add_one<<<kCount / 256, 256, 0, stream>>>(values, kCount);
    CHECK(hipStreamSynchronize(stream));
    for (const int before = launched; launched == before;) std::this_thread::yield();
  }
  stop = true;
  other.join();
  std::vector<int> host(kCount);
  int ends[2];
  CHECK(hipMemcpy(host.data(), values, kCount * sizeof(int), hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(ends, pair, sizeof ends, hipMemcpyDeviceToHost));
  for (int value : host) {
    if (value != kLaunches) return 1;
  }
  return ends[0] == launched * 200 && ends[1] == launched * 200 ? 0 : 1;
}

// The kernel ends only after the launch has returned: it cannot run alone inside of the launch.
int host_flag() {
  int* flag;
  CHECK(hipHostMalloc(&flag, sizeof(int), hipHostMallocCoherent));
  *flag = 0;
  int* result = upload(std::vector<int>(1, 0));
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  wait_for_host<<<1, 1, 0, stream>>>(flag, result);
  __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  CHECK(hipStreamSynchronize(stream));
  int value = 0;
  CHECK(hipMemcpy(&value, result, sizeof value, hipMemcpyDeviceToHost));
  return value == 7 ? 0 : 1;
}

// The kernel gets memory of malloc, and does not look at it.
int pageable() {
  std::vector<int> own(4096, 1);
  int* sum = upload(std::vector<int>(1, 5));
  add_first<<<1, 1>>>(sum, own.data(), 0);
  int value = 0;
  CHECK(hipMemcpy(&value, sum, sizeof value, hipMemcpyDeviceToHost));
  return value == 5 ? 0 : 1;
}

// Memory of every granularity, in one dispatch.
int granularities() {
  int *fine, *coarse, *registered;
  CHECK(hipHostMalloc(&fine, sizeof(int), hipHostMallocCoherent));
  CHECK(hipHostMalloc(&coarse, sizeof(int), hipHostMallocNonCoherent));
  std::vector<int> plain(1, 4);
  CHECK(hipHostRegister(plain.data(), sizeof(int), hipHostRegisterDefault));
  CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&registered), plain.data(), 0));
  *fine = 1;
  *coarse = 2;
  int* sum = upload(std::vector<int>(1, 0));
  add_all<<<1, 1>>>(fine, coarse, registered, sum);
  int value = 0;
  CHECK(hipMemcpy(&value, sum, sizeof value, hipMemcpyDeviceToHost));
  return value == 7 ? 0 : 1;
}

// A kernel on another stream waits for the host, which is about to launch the kernel to capture first.
int busy_queue() {
  int* flag;
  CHECK(hipHostMalloc(&flag, sizeof(int), hipHostMallocCoherent));
  *flag = 0;
  int* result = upload(std::vector<int>(1, 0));
  int* values = upload(std::vector<int>(256, 0));
  hipStream_t waiting, stream;
  CHECK(hipStreamCreate(&waiting));
  CHECK(hipStreamCreate(&stream));
  wait_for_host<<<1, 1, 0, waiting>>>(flag, result);
  add_one<<<1, 256, 0, stream>>>(values, 256);
  __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  CHECK(hipDeviceSynchronize());
  int value = 0, sum = 0;
  CHECK(hipMemcpy(&value, result, sizeof value, hipMemcpyDeviceToHost));
  CHECK(hipMemcpy(&sum, values, sizeof sum, hipMemcpyDeviceToHost));
  return value == 7 && sum == 1 ? 0 : 1;
}

// Many megabytes, so that there is time to kill somebody in the middle.
int large(size_t megabytes) {
  const size_t count = (megabytes << 20) / sizeof(int);
  std::vector<int> host(count);
  uint32_t state = 1;
  for (int& value : host) value = static_cast<int>(state = state * 1664525u + 1013904223u);
  int* values = upload(host);
  add_one<<<64, 256>>>(values, 64 * 256);
  CHECK(hipDeviceSynchronize());
  int first = 0;
  CHECK(hipMemcpy(&first, values, sizeof first, hipMemcpyDeviceToHost));
  return first == host[0] + 1 ? 0 : 1;
}

int events() {
  int* values = upload(std::vector<int>(1 << 16, 0));
  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  CHECK(hipEventRecord(start));
  add_one<<<256, 256>>>(values, 1 << 16);
  CHECK(hipEventRecord(stop));
  CHECK(hipEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  return milliseconds > 0 && milliseconds < 60000 ? 0 : 1;
}

// A child of fork() that never touches the device, and outlives part of the parent's work.
int forked() {
  int* values = upload(std::vector<int>(256, 0));
  CHECK(hipDeviceSynchronize());
  int until_done[2];
  if (pipe(until_done) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    close(until_done[1]);
    char none;
    _exit(read(until_done[0], &none, 1) == 0 ? 0 : 1);  // the end of the file
  }
  add_one<<<1, 256>>>(values, 256);
  CHECK(hipDeviceSynchronize());
  close(until_done[1]);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

double thread_cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// For the overhead bench: what a launch costs by the clock, and on the launching thread alone.
int many_empty(int count) {
  empty<<<1, 1>>>();
  CHECK(hipDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = thread_cpu_ns();
  for (int i = 0; i < count; ++i) empty<<<1, 1>>>();
  const double cpu = thread_cpu_ns() - cpu_start;
  CHECK(hipDeviceSynchronize());
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  std::printf("{\"wall_ns\": %.1f, \"launch_cpu_ns\": %.1f}\n", taken.count() / count, cpu / count);
  return 0;
}

// Ends while its dispatches are still on their way.
int unfinished() {
  int* values = upload(std::vector<int>(256, 0));
  for (int i = 0; i < 50; ++i) count_up<<<1, 1>>>(values, 500);
  return 0;
}

// Ends without exit handlers as soon as its work is done.
int ends_at_once() {
  int* values = upload(std::vector<int>(256, 0));
  for (int i = 0; i < 50; ++i) count_up<<<1, 1>>>(values, 5);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  _exit(0);
}

int fault() {
  write_wild<<<1, 1>>>(reinterpret_cast<int*>(0x123456789000));
  return hipDeviceSynchronize() == hipSuccess ? 1 : 0;
}

// What is launched behind the kernel that faults must not run.
int behind_fault() {
  int* data = nullptr;
  if (hipMalloc(&data, 256) != hipSuccess) return 1;
  write_wild<<<1, 1>>>(reinterpret_cast<int*>(0x123456789000));
  add_one<<<1, 64>>>(data, 64);
  return hipDeviceSynchronize() == hipErrorIllegalAddress ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string what = argument_count > 1 ? arguments[1] : "";
  const std::string value = argument_count > 2 ? arguments[2] : "0";
  if (what == "linked") return linked(value);
  if (what == "outside") return outside(std::stoi(value));
  if (what == "streams") return streams();
  if (what == "host-flag") return host_flag();
  if (what == "pageable") return pageable();
  if (what == "granularities") return granularities();
  if (what == "busy-queue") return busy_queue();
  if (what == "large") return large(std::stoul(value));
  if (what == "events") return events();
  if (what == "forked") return forked();
  if (what == "empty") return many_empty(std::stoi(value));
  if (what == "unfinished") return unfinished();
  if (what == "ends-at-once") return ends_at_once();
  if (what == "fault") return fault();
  if (what == "behind-fault") return behind_fault();
  std::fprintf(stderr, "unknown behaviour %s\n", what.c_str());
  return 2;
}
