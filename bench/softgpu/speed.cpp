// Times dispatches on whatever libhsa-runtime64.so.1 is loaded, through plain HSA, so that the same program drives the
// software GPU and the prototype it is compared with.
//   speed KERNELS.hsaco CASE SIZE DISPATCHES [profiled | copies N]
// Prints one JSON object: nanoseconds a dispatch by the clock and of CPU time of the process, whether the result is
// right, and wave-instructions a dispatch where the runtime tells (kernloop's vendor extension).
// copies: N processes, each with its own memory, begin every dispatch together; the time is that until the last is
// done, the CPU time that of the busiest.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../../native/softgpu/hsa/softgpu_extension.h"

namespace {

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "speed: %s\n", what.c_str());
  std::exit(1);
}
void check(hsa_status_t status, const char* call) {
  if (status != HSA_STATUS_SUCCESS) die(std::string(call) + " failed with " + std::to_string(status));
}
#define HSA(call) check(call, #call)

uint64_t nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class Device {
 public:
  explicit Device(const char* code_path) {
    HSA(hsa_init());
    HSA(hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto* self = static_cast<Device*>(data);
          (type == HSA_DEVICE_TYPE_GPU ? self->gpu_ : self->cpu_) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this));
    HSA(hsa_amd_agent_iterate_memory_pools(gpu_, take_pool, &device_));
    HSA(hsa_amd_agent_iterate_memory_pools(cpu_, take_pool, &host_));
    HSA(hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_MULTI, on_error, nullptr, UINT32_MAX, UINT32_MAX, &queue_));
    HSA(hsa_signal_create(0, 0, nullptr, &completion_));
    std::ifstream file(code_path, std::ios::binary);
    code_.assign(std::istreambuf_iterator<char>(file), {});
    hsa_code_object_reader_t reader;
    HSA(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable_));
    HSA(hsa_executable_load_agent_code_object(executable_, gpu_, reader, nullptr, nullptr));
    HSA(hsa_executable_freeze(executable_, nullptr));
    HSA(hsa_system_get_major_extension_table(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof extension_, &extension_));
  }

  template <class T>
  T* allocate(size_t count) {
    void* at = nullptr;
    HSA(hsa_amd_memory_pool_allocate(device_, count * sizeof(T), 0, &at));
    return static_cast<T*>(at);
  }

  void set_kernel(const char* name, const uint32_t groups[2], const uint16_t block[2], const void* arguments,
                  size_t bytes) {
    hsa_executable_symbol_t symbol;
    HSA(hsa_executable_get_symbol_by_name(executable_, (std::string(name) + ".kd").c_str(), &gpu_, &symbol));
    packet_ = {};
    packet_.setup = 2;
    packet_.workgroup_size_x = block[0];
    packet_.workgroup_size_y = block[1];
    packet_.workgroup_size_z = 1;
    packet_.grid_size_x = groups[0] * block[0];
    packet_.grid_size_y = groups[1] * block[1];
    packet_.grid_size_z = 1;
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet_.kernel_object));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &packet_.group_segment_size));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &packet_.private_segment_size));
    HSA(hsa_amd_memory_pool_allocate(host_, 4096, 0, &packet_.kernarg_address));
    std::memset(packet_.kernarg_address, 0, 4096);
    std::memcpy(packet_.kernarg_address, arguments, bytes);
    packet_.completion_signal = completion_;
  }

  void dispatch() {
    hsa_signal_store_relaxed(completion_, 1);
    const uint64_t index = hsa_queue_add_write_index_screlease(queue_, 1);
    auto* slot = static_cast<char*>(queue_->base_address) + index % queue_->size * 64;
    std::memcpy(slot + 2, reinterpret_cast<const char*>(&packet_) + 2, 62);
    const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    hsa_signal_wait_scacquire(completion_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }

  void profile() {
    if (!extension_.set_profiling) die("this runtime has no profiles");
    HSA(extension_.set_profiling(1));
  }

  // Of the last dispatch; 0 when the runtime does not tell.
  uint64_t wave_instructions() const {
    if (!extension_.dispatch_report) return 0;
    kernloop_softgpu_report_t report{};
    report.struct_size = sizeof report;
    HSA(extension_.dispatch_report(completion_, &report));
    return report.wave_instructions;
  }

 private:
  static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL && static_cast<hsa_amd_memory_pool_t*>(data)->handle == 0) {
      *static_cast<hsa_amd_memory_pool_t*>(data) = pool;
    }
    return HSA_STATUS_SUCCESS;
  }
  static void on_error(hsa_status_t status, hsa_queue_t*, void*) {
    die("the queue failed with " + std::to_string(status));
  }

  hsa_agent_t cpu_{}, gpu_{};
  hsa_amd_memory_pool_t device_{}, host_{};
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t completion_{};
  hsa_executable_t executable_{};
  hsa_kernel_dispatch_packet_t packet_{};
  kernloop_softgpu_extension_1_t extension_{};
  std::vector<char> code_;
};

// The same values everywhere.
float value_of(uint32_t i) {
  return static_cast<float>(static_cast<int32_t>((i * 2654435761u) >> 20) - 2048) / 1024.0f;
}
bool near(float is, float expected, float tolerance) {
  return std::fabs(is - expected) <= tolerance * std::fmax(1.0f, std::fabs(expected));
}

struct BinaryArguments {
  const void *a, *b, *c;
  uint32_t n;
};
struct UnaryArguments {
  const void *in, *out;
  uint32_t n;
};
struct GenerateArguments {
  void* out;
  uint32_t n;
};

// Sets the kernel and its memory up; `is_right` looks at what the dispatches left.
struct Case {
  const char* name;
  void (*prepare)(Device&, uint32_t size);
  bool (*is_right)(uint32_t size, unsigned dispatches);
};

float *floats_in, *floats_too, *floats_out;
uint8_t* bytes_in;
uint32_t* words_out;

float* filled(Device& device, size_t count, uint32_t salt) {
  float* values = device.allocate<float>(count);
  for (size_t i = 0; i < count; ++i) values[i] = value_of(static_cast<uint32_t>(i) + salt);
  return values;
}

void prepare_vadd(Device& device, uint32_t n) {
  floats_in = filled(device, n, 0);
  floats_too = filled(device, n, 77);
  floats_out = device.allocate<float>(n);
  const BinaryArguments arguments{floats_in, floats_too, floats_out, n};
  const uint32_t groups[] = {(n + 255) / 256, 1};
  const uint16_t block[] = {256, 1};
  device.set_kernel("vadd", groups, block, &arguments, sizeof arguments);
}
bool vadd_is_right(uint32_t n, unsigned) {
  for (uint32_t i = 0; i < n; ++i)
    if (floats_out[i] != floats_in[i] + floats_too[i]) return false;
  return true;
}

void prepare_matmul(Device& device, uint32_t n) {
  floats_in = filled(device, size_t{n} * n, 0);
  floats_too = filled(device, size_t{n} * n, 77);
  floats_out = device.allocate<float>(size_t{n} * n);
  const BinaryArguments arguments{floats_in, floats_too, floats_out, n};
  const uint32_t groups[] = {n / 16, n / 16};
  const uint16_t block[] = {16, 16};
  device.set_kernel("matmul", groups, block, &arguments, sizeof arguments);
}
bool matmul_is_right(uint32_t n, unsigned) {
  for (uint32_t k = 0; k < 512; ++k) {
    const uint32_t row = k * 37 % n, column = k * 101 % n;
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) sum += double{floats_in[row * n + i]} * floats_too[i * n + column];
    if (!near(floats_out[row * n + column], static_cast<float>(sum), 1e-3f)) return false;
  }
  return true;
}

void prepare_histogram(Device& device, uint32_t n) {
  bytes_in = device.allocate<uint8_t>(n);
  for (uint32_t i = 0; i < n; ++i) bytes_in[i] = static_cast<uint8_t>((i * 2654435761u) >> 23);
  words_out = device.allocate<uint32_t>(256);
  std::memset(words_out, 0, 1024);
  const UnaryArguments arguments{bytes_in, words_out, n};
  const uint32_t groups[] = {256, 1};
  const uint16_t block[] = {256, 1};
  device.set_kernel("histogram", groups, block, &arguments, sizeof arguments);
}
bool histogram_is_right(uint32_t n, unsigned dispatches) {
  std::vector<uint32_t> counts(256);
  for (uint32_t i = 0; i < n; ++i) counts[bytes_in[i]] += dispatches;
  return std::memcmp(counts.data(), words_out, 1024) == 0;
}

constexpr uint32_t kColumns = 4096;

void prepare_softmax(Device& device, uint32_t rows) {
  floats_in = filled(device, size_t{rows} * kColumns, 0);
  floats_out = device.allocate<float>(size_t{rows} * kColumns);
  const UnaryArguments arguments{floats_in, floats_out, kColumns};
  const uint32_t groups[] = {rows, 1};
  const uint16_t block[] = {256, 1};
  device.set_kernel("softmax", groups, block, &arguments, sizeof arguments);
}
bool softmax_is_right(uint32_t rows, unsigned) {
  for (uint32_t row = 0; row < rows; row += 7) {
    const float* in = floats_in + size_t{row} * kColumns;
    double sum = 0;
    for (uint32_t i = 0; i < kColumns; ++i) sum += std::exp(double{in[i]});
    for (uint32_t i = 0; i < kColumns; ++i) {
      const double expected = std::exp(double{in[i]}) / sum;
      if (std::fabs(floats_out[size_t{row} * kColumns + i] - expected) > 1e-5 * expected) return false;
    }
  }
  return true;
}

constexpr uint32_t kPhiloxGroups = 256, kThreads = kPhiloxGroups * 256;

void prepare_philox(Device& device, uint32_t n) {
  words_out = device.allocate<uint32_t>(size_t{kThreads} * n);
  const GenerateArguments arguments{words_out, n};
  const uint32_t groups[] = {kPhiloxGroups, 1};
  const uint16_t block[] = {256, 1};
  device.set_kernel("philox", groups, block, &arguments, sizeof arguments);
}
// Philox4x32-10 (Salmon et al., SC 2011): counter (0, 0, subsequence, 0), key = seed.
void philox_block(uint32_t block, uint32_t subsequence, uint32_t out[4]) {
  uint32_t c[4] = {block, 0, subsequence, 0}, key[2] = {20261121, 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t low = uint64_t{0xD2511F53} * c[0], high = uint64_t{0xCD9E8D57} * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(high >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(high),
                              static_cast<uint32_t>(low >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(low)};
    std::memcpy(c, next, sizeof c);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  std::memcpy(out, c, sizeof c);
}
bool philox_is_right(uint32_t n, unsigned) {
  for (uint32_t thread = 0; thread < kThreads; thread += 97) {
    for (uint32_t i = 0; i + 4 <= n; i += 4) {
      uint32_t expected[4];
      philox_block(i / 4, thread, expected);
      for (uint32_t k = 0; k < 4; ++k)
        if (words_out[(i + k) * kThreads + thread] != expected[k]) return false;
    }
  }
  return true;
}
constexpr Case kCases[] = {
    {"vadd", prepare_vadd, vadd_is_right},
    {"matmul", prepare_matmul, matmul_is_right},
    {"histogram", prepare_histogram, histogram_is_right},
    {"softmax", prepare_softmax, softmax_is_right},
    {"philox", prepare_philox, philox_is_right},
};

constexpr unsigned kMaxDispatches = 64;

struct Span {
  uint64_t start, end, cpu;
};
struct Outcome {
  bool right;
  uint64_t wave_instructions;
  Span spans[kMaxDispatches];
};

// `together` is waited for before each dispatch, where there is one.
void run_case(Device& device, const Case& chosen, uint32_t size, unsigned dispatches, pthread_barrier_t* together,
              Outcome& out) {
  chosen.prepare(device, size);
  device.dispatch();  // decodes the kernel and touches its memory
  for (unsigned i = 0; i < dispatches; ++i) {
    if (together) pthread_barrier_wait(together);
    const uint64_t start = nanoseconds(CLOCK_MONOTONIC), cpu_start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    device.dispatch();
    out.spans[i] = {start, nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start};
  }
  out.right = chosen.is_right(size, dispatches + 1);
  out.wave_instructions = device.wave_instructions();
}

struct Copies {
  pthread_barrier_t together;
  Outcome outcomes[];
};

Outcome run_copies(const char* code_path, const Case& chosen, uint32_t size, unsigned dispatches, unsigned copies) {
  void* shared = mmap(nullptr, sizeof(Copies) + copies * sizeof(Outcome), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) die("no memory to share");
  auto* all = static_cast<Copies*>(shared);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&all->together, &attributes, copies);
  std::vector<pid_t> children;
  for (unsigned copy = 0; copy < copies; ++copy) {
    const pid_t child = fork();
    if (child < 0) die("fork failed");
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    Device device(code_path);
    run_case(device, chosen, size, dispatches, &all->together, all->outcomes[copy]);
    _exit(0);
  }
  for (unsigned copy = 0; copy < copies; ++copy) {
    int status = 0;
    if (wait(&status) > 0 && status == 0) continue;
    for (const pid_t child : children) kill(child, SIGKILL);  // the others wait for it
    die("a copy failed");
  }
  Outcome whole = all->outcomes[0];
  for (unsigned copy = 1; copy < copies; ++copy) {
    const Outcome& one = all->outcomes[copy];
    whole.right &= one.right;
    for (unsigned i = 0; i < dispatches; ++i) {
      Span& span = whole.spans[i];
      span = {std::min(span.start, one.spans[i].start), std::max(span.end, one.spans[i].end),
              std::max(span.cpu, one.spans[i].cpu)};
    }
  }
  return whole;
}

template <class Value>
void print_list(const char* name, const Outcome& outcome, unsigned dispatches, Value value) {
  std::printf("\"%s\":[", name);
  for (unsigned i = 0; i < dispatches; ++i) std::printf("%s%lu", i ? "," : "", value(outcome.spans[i]));
  std::printf("]");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 5 ? arguments[5] : "";
  const bool profiled = count == 6 && mode == "profiled";
  const int copies = count == 7 && mode == "copies" ? std::atoi(arguments[6]) : 0;
  if (count != 5 && !profiled && copies < 1)
    die("usage: speed KERNELS.hsaco CASE SIZE DISPATCHES [profiled | copies N]");
  const Case* chosen = nullptr;
  for (const Case& one : kCases)
    if (one.name == std::string(arguments[2])) chosen = &one;
  if (!chosen) die(std::string("no case ") + arguments[2]);
  const auto size = static_cast<uint32_t>(std::atoi(arguments[3]));
  const auto dispatches = static_cast<unsigned>(std::atoi(arguments[4]));
  if (dispatches > kMaxDispatches) die("at most " + std::to_string(kMaxDispatches) + " dispatches");

  Outcome outcome{};
  if (copies > 0) {
    outcome = run_copies(arguments[1], *chosen, size, dispatches, static_cast<unsigned>(copies));
  } else {
    Device device(arguments[1]);
    if (profiled) device.profile();
    run_case(device, *chosen, size, dispatches, nullptr, outcome);
  }
  std::printf("{\"case\":\"%s\",\"right\":%s,\"wave_instructions\":%lu,", chosen->name,
              outcome.right ? "true" : "false", outcome.wave_instructions);
  print_list("wall_ns", outcome, dispatches, [](const Span& span) { return span.end - span.start; });
  std::printf(",");
  print_list("cpu_ns", outcome, dispatches, [](const Span& span) { return span.cpu; });
  std::printf("}\n");
  std::fflush(stdout);
  _exit(0);  // neither runtime's teardown is of interest
}
