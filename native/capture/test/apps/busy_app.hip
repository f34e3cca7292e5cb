// A program that is never idle: threads with queues of their own work in many ways while the main thread launches the
// kernel to capture. Whatever a kernel writes is a block that is consistent between dispatches and copies alone, so
// that a capture shows whether anything ran while it read memory.
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const hipError_t status = (call);                                                        \
    if (status != hipSuccess) {                                                              \
      std::fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(status)); \
      std::_Exit(3);                                                                         \
    }                                                                                        \
  } while (0)

namespace {

constexpr uint32_t kMagic = 0x4b4c4250;  // the test looks for it
constexpr int kRounds = 100;

// Between dispatches `first` and `second` are the same.
struct Block {
  uint32_t magic, kind;
  uint32_t first, second;
};

// Between copies all words are the same.
constexpr size_t kWords = 1 << 16;

}  // namespace

__global__ void step(uint32_t* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
}

__global__ void tally(volatile Block* block, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    block->first = block->first + 1;
    block->second = block->second + 1;
  }
}

// HIP 5 takes the arguments of a graph's kernels for those of other launches of the same kernel.
__global__ void tally_of_graph(volatile Block* block, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    block->first = block->first + 1;
    block->second = block->second + 1;
  }
}

__global__ void begin(Block* block, uint32_t kind) {
  *block = {kMagic, kind, 0, 0};
}

__global__ void say(volatile Block* block, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    block->first = block->first + 1;
    if (i == rounds / 2) printf("said %u\n", block->first);
    block->second = block->second + 1;
  }
}

namespace {

std::atomic<bool> stop{false};
std::atomic<bool> is_right{true};

void expect(bool truth, const char* what) {
  if (truth) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  is_right = false;
}

struct Stream {
  Stream() { CHECK(hipStreamCreate(&handle)); }
  ~Stream() { CHECK(hipStreamDestroy(handle)); }
  Stream(const Stream&) = delete;
  void wait() const { CHECK(hipStreamSynchronize(handle)); }
  hipStream_t handle;
};

void start(Block* block, uint32_t kind, const Stream& stream) {
  begin<<<1, 1, 0, stream.handle>>>(block, kind);
  stream.wait();
}

void expect_count(const Block* block, uint32_t count, const char* what) {
  Block host;
  CHECK(hipMemcpy(&host, block, sizeof host, hipMemcpyDefault));
  expect(host.magic == kMagic && host.first == count && host.second == count, what);
}

// Calls `once` until the end, and expects the block to have counted each.
void count(uint32_t kind, const char* what, const std::function<void(Block*, const Stream&)>& once) {
  const Stream stream;
  Block* block;
  CHECK(hipMalloc(&block, sizeof *block));
  start(block, kind, stream);
  uint32_t times = 0;
  for (; !stop; ++times) {
    once(block, stream);
    stream.wait();
  }
  expect_count(block, times * kRounds, what);
  CHECK(hipFree(block));
}

void kernels() {
  count(1, "kernels", [](Block* block, const Stream& stream) { tally<<<1, 1, 0, stream.handle>>>(block, kRounds); });
}

void cooperative() {
  count(2, "cooperative", [](Block* block, const Stream& stream) {
    int rounds = kRounds;
    void* arguments[] = {&block, &rounds};
    CHECK(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(&tally), dim3(1), dim3(1), arguments, 0,
                                     stream.handle));
  });
}

void prints() {
  count(3, "prints", [](Block* block, const Stream& stream) { say<<<1, 1, 0, stream.handle>>>(block, kRounds); });
}

// A fresh stream for each: a queue that ends right after a capture.
void streams() {
  count(4, "streams", [](Block* block, const Stream&) {
    const Stream own;
    tally<<<1, 1, 0, own.handle>>>(block, kRounds);
    own.wait();
  });
}

// Two streams, the second waits for the first on the device.
void events() {
  hipEvent_t event;
  CHECK(hipEventCreate(&event));
  count(5, "events", [event](Block* block, const Stream& stream) {
    const Stream other;
    tally<<<1, 1, 0, other.handle>>>(block, kRounds / 2);
    CHECK(hipEventRecord(event, other.handle));
    CHECK(hipStreamWaitEvent(stream.handle, event, 0));
    tally<<<1, 1, 0, stream.handle>>>(block, kRounds / 2);
    stream.wait();
  });
  CHECK(hipEventDestroy(event));
}

void graphs() {
  Block* block;
  hipGraph_t graph;
  hipGraphExec_t run;
  const Stream stream;
  CHECK(hipMalloc(&block, sizeof *block));
  start(block, 6, stream);
  CHECK(hipStreamBeginCapture(stream.handle, hipStreamCaptureModeRelaxed));
  for (int i = 0; i < 4; ++i) tally_of_graph<<<1, 1, 0, stream.handle>>>(block, kRounds / 4);
  CHECK(hipStreamEndCapture(stream.handle, &graph));
  CHECK(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  uint32_t times = 0;
  for (; !stop; ++times) {
    CHECK(hipGraphLaunch(run, stream.handle));
    stream.wait();
  }
  expect_count(block, times * kRounds, "graphs");
  CHECK(hipGraphExecDestroy(run));
  CHECK(hipGraphDestroy(graph));
  CHECK(hipFree(block));
}

// Copies to the device by the copy engine; the host's memory is pinned and does not change while one runs.
void copies() {
  const Stream stream;
  uint32_t *device, *host;
  CHECK(hipMalloc(&device, kWords * sizeof *device));
  CHECK(hipHostMalloc(&host, kWords * sizeof *host, hipHostMallocDefault));
  uint32_t times = 0;
  for (; !stop; ++times) {
    for (size_t i = 0; i < kWords; ++i) host[i] = times + 1;
    CHECK(hipMemcpyAsync(device, host, kWords * sizeof *device, hipMemcpyHostToDevice, stream.handle));
    stream.wait();
  }
  std::vector<uint32_t> back(kWords);
  CHECK(hipMemcpy(back.data(), device, kWords * sizeof *device, hipMemcpyDeviceToHost));
  expect(back == std::vector<uint32_t>(kWords, times), "copies");
  CHECK(hipHostFree(host));
  CHECK(hipFree(device));
}

// Rows of a rectangle, from pinned memory.
void rectangles() {
  const Stream stream;
  constexpr size_t kWidth = 1024, kRows = kWords * sizeof(uint32_t) / kWidth;
  uint32_t *device, *host;
  CHECK(hipMalloc(&device, kWords * sizeof *device));
  CHECK(hipHostMalloc(&host, kWords * sizeof *host, hipHostMallocDefault));
  uint32_t times = 0;
  for (; !stop; ++times) {
    for (size_t i = 0; i < kWords; ++i) host[i] = times + 1;
    CHECK(hipMemcpy2DAsync(device, kWidth, host, kWidth, kWidth, kRows, hipMemcpyHostToDevice, stream.handle));
    stream.wait();
  }
  std::vector<uint32_t> back(kWords);
  CHECK(hipMemcpy(back.data(), device, kWords * sizeof *device, hipMemcpyDeviceToHost));
  expect(back == std::vector<uint32_t>(kWords, times), "rectangles");
  CHECK(hipHostFree(host));
  CHECK(hipFree(device));
}

// The host has a turn in the middle of a stream.
void callbacks() {
  count(11, "callbacks", [](Block* block, const Stream& stream) {
    std::atomic<bool> called{false};
    tally<<<1, 1, 0, stream.handle>>>(block, kRounds / 2);
    CHECK(hipStreamAddCallback(
        stream.handle, [](hipStream_t, hipError_t, void* data) { *static_cast<std::atomic<bool>*>(data) = true; },
        &called, 0));
    tally<<<1, 1, 0, stream.handle>>>(block, kRounds / 2);
    stream.wait();
    expect(called, "callbacks");
  });
}

// Memory that is new for each kernel, in several ways to get it.
void allocates(uint32_t kind, const char* what, const std::function<void(Block**, const Stream&)>& get,
               const std::function<void(Block*, const Stream&)>& give_back) {
  const Stream stream;
  while (!stop) {
    Block* block;
    get(&block, stream);
    start(block, kind, stream);
    tally<<<1, 1, 0, stream.handle>>>(block, kRounds);
    stream.wait();
    expect_count(block, kRounds, what);
    give_back(block, stream);
  }
}

void managed() {
  // The sizes differ, so that ranges overlap with those of before.
  size_t bytes = 4096;
  allocates(
      7, "managed",
      [&](Block** block, const Stream&) {
        bytes = bytes % 61440 + 12288;
        CHECK(hipMallocManaged(reinterpret_cast<void**>(block), bytes));
      },
      [](Block* block, const Stream&) { CHECK(hipFree(block)); });
}

// HIP 5.2.3 hangs in some of these calls beside other threads.
void pools() {
  allocates(
      8, "pools",
      [](Block** block, const Stream& stream) {
        CHECK(hipMallocAsync(reinterpret_cast<void**>(block), 1 << 20, stream.handle));
      },
      [](Block* block, const Stream& stream) {
        CHECK(hipFreeAsync(block, stream.handle));
        stream.wait();
      });
}

void plain() {
  allocates(
      9, "plain", [](Block** block, const Stream&) { CHECK(hipMalloc(block, 1 << 20)); },
      [](Block* block, const Stream&) { CHECK(hipFree(block)); });
}

void pinned() {
  allocates(
      10, "pinned",
      [](Block** block, const Stream&) {
        CHECK(hipHostMalloc(reinterpret_cast<void**>(block), 1 << 16, hipHostMallocDefault));
      },
      [](Block* block, const Stream&) { CHECK(hipHostFree(block)); });
}

// Managed memory that goes to the GPU and back.
void prefetches() {
  const Stream stream;
  Block* block;
  CHECK(hipMallocManaged(reinterpret_cast<void**>(&block), 1 << 16));
  start(block, 12, stream);
  uint32_t times = 0;
  for (; !stop; ++times) {
    CHECK(hipMemPrefetchAsync(block, 1 << 16, 0, stream.handle));
    tally<<<1, 1, 0, stream.handle>>>(block, kRounds);
    CHECK(hipMemPrefetchAsync(block, 1 << 16, hipCpuDeviceId, stream.handle));
    stream.wait();
  }
  expect_count(block, times * kRounds, "prefetches");
  CHECK(hipFree(block));
}

// Memory of the program that is registered for a while. HIP 5.2.3 ends the process where that has one address for all.
void registered() {
  const Stream stream;
  // Whole pages: the emulated driver may lose what others store to a page while it is registered.
  constexpr size_t kBytes = 1 << 16;
  void* const memory = std::aligned_alloc(4096, kBytes);
  while (!stop) {
    Block* block;
    CHECK(hipHostRegister(memory, kBytes, hipHostRegisterDefault));
    CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&block), memory, 0));
    start(block, 13, stream);
    tally<<<1, 1, 0, stream.handle>>>(block, kRounds);
    stream.wait();
    expect_count(static_cast<Block*>(memory), kRounds, "registered");
    CHECK(hipHostUnregister(memory));
  }
  std::free(memory);
}

// Children that do nothing, and children that run another program.
void forks() {
  for (int i = 0; !stop; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 == 0) execl("/bin/true", "true", nullptr);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    expect(status == 0, "forks");
    usleep(20000);
  }
}

const std::map<std::string, void (*)()> activities = {
    {"kernels", kernels},     {"cooperative", cooperative}, {"prints", prints},
    {"streams", streams},     {"events", events},           {"graphs", graphs},
    {"copies", copies},       {"managed", managed},         {"pools", pools},
    {"plain", plain},         {"pinned", pinned},           {"rectangles", rectangles},
    {"callbacks", callbacks}, {"prefetches", prefetches},   {"registered", registered},
    {"forks", forks},
};

}  // namespace

// busy_app LAUNCHES ACTIVITY…
int main(int argument_count, char** arguments) {
  if (argument_count < 2) return 2;
  const uint32_t launches = static_cast<uint32_t>(std::atoi(arguments[1]));
  constexpr int kCount = 4096;
  uint32_t* values;
  CHECK(hipMalloc(&values, kCount * sizeof *values));
  CHECK(hipMemset(values, 0, kCount * sizeof *values));
  CHECK(hipDeviceSynchronize());
  std::vector<std::thread> threads;
  for (int i = 2; i < argument_count; ++i) {
    const auto activity = activities.find(arguments[i]);
    if (activity == activities.end()) return 2;
    threads.emplace_back(activity->second);
  }
  {
    const Stream stream;
    for (uint32_t i = 0; i < launches; ++i) {
      step<<<kCount / 256, 256, 0, stream.handle>>>(values, kCount);
      stream.wait();
      usleep(5000);
    }
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::vector<uint32_t> host(kCount);
  CHECK(hipMemcpy(host.data(), values, kCount * sizeof *values, hipMemcpyDeviceToHost));
  expect(host == std::vector<uint32_t>(kCount, launches), "values");
  CHECK(hipFree(values));
  return is_right ? 0 : 1;
}
