// Times dispatches on whatever libhsa-runtime64.so.1 is loaded, through plain HSA, so that the same program drives the
// software GPU and the prototype it is compared with.
//   speed KERNELS.hsaco CASE SIZE DISPATCHES [profiled | copies N]
// Prints one JSON object: nanoseconds a dispatch by the clock and of CPU time of the process, whether the result is
// right, and wave-instructions a dispatch where the runtime tells (kernloop's vendor extension).
// copies: N processes, each with its own memory, begin every dispatch together; the time is that until the last is
// done, the CPU time that of the busiest.
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
#include <string>
#include <vector>

#include "loaded_code.h"

namespace {

uint64_t nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class Device : public LoadedCode {
 public:
  using LoadedCode::LoadedCode;

  void set_kernel(const char* name, const uint32_t groups[2], const uint16_t block[2], const void* arguments,
                  size_t bytes) {
    packet_ = packet_of(name, groups, block, arguments, bytes);
  }
  void dispatch() { LoadedCode::dispatch(packet_); }

  void profile() {
    if (!extension().set_profiling) die("this runtime has no profiles");
    HSA(extension().set_profiling(1));
  }

  // Count of the last dispatch; 0 if the runtime has none.
  uint64_t wave_instructions() const {
    if (!extension().dispatch_report) return 0;
    kernloop_softgpu_report_t report{};
    report.struct_size = sizeof report;
    HSA(extension().dispatch_report(completion(), &report));
    return report.wave_instructions;
  }

 private:
  hsa_kernel_dispatch_packet_t packet_{};
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
void prepare_stencil(Device& device, uint32_t n) {
  floats_in = filled(device, size_t{n} * n, 0);
  floats_out = device.allocate<float>(size_t{n} * n);
  const UnaryArguments arguments{floats_in, floats_out, n};
  const uint32_t groups[] = {(n + 63) / 64, (n + 3) / 4};
  const uint16_t block[] = {64, 4};
  device.set_kernel("stencil", groups, block, &arguments, sizeof arguments);
}
bool stencil_is_right(uint32_t n, unsigned) {
  for (uint32_t y = 1; y + 1 < n; ++y) {
    for (uint32_t x = 1; x + 1 < n; ++x) {
      const float* in = floats_in + size_t{y} * n + x;
      const float expected = 0.5f * in[0] + 0.125f * (in[-1] + in[1] + in[-int64_t{n}] + in[n]);
      if (!near(floats_out[size_t{y} * n + x], expected, 1e-6f)) return false;
    }
  }
  return true;
}

uint32_t* words_in;

void prepare_sort(Device& device, uint32_t n) {
  words_in = device.allocate<uint32_t>(n);
  for (uint32_t i = 0; i < n; ++i) words_in[i] = (i * 2654435761u) ^ (i >> 3);
  words_out = device.allocate<uint32_t>(n);
  const UnaryArguments arguments{words_in, words_out, n};
  const uint32_t groups[] = {n / 512, 1};
  const uint16_t block[] = {256, 1};
  device.set_kernel("sort", groups, block, &arguments, sizeof arguments);
}
bool sort_is_right(uint32_t n, unsigned) {
  for (uint32_t first = 0; first < n; first += 512) {
    std::vector<uint32_t> expected(words_in + first, words_in + first + 512);
    std::sort(expected.begin(), expected.end());
    if (std::memcmp(expected.data(), words_out + first, 2048) != 0) return false;
  }
  return true;
}

// Small integers, which both types hold.
int small_of(uint32_t i) {
  return static_cast<int>((i * 2654435761u) >> 29) - 4;
}
uint16_t half_of(int value) {
  if (value == 0) return 0;
  const int size = value < 0 ? -value : value, top = 31 - __builtin_clz(static_cast<unsigned>(size));
  return static_cast<uint16_t>((value < 0 ? 0x8000 : 0) | (top + 15) << 10 | ((size << (10 - top)) & 0x3ff));
}

template <class Element>
void prepare_product(Device& device, uint32_t n, const char* kernel, Element (*element)(int)) {
  Element* operands[2];
  for (uint32_t k = 0; k < 2; ++k) {
    operands[k] = device.allocate<Element>(size_t{n} * n);
    for (uint32_t i = 0; i < n * n; ++i) operands[k][i] = element(small_of(i + 77 * k));
  }
  floats_out = device.allocate<float>(size_t{n} * n);
  const BinaryArguments arguments{operands[0], operands[1], floats_out, n};
  const uint32_t groups[] = {n / 32, n / 32};
  const uint16_t block[] = {64, 1};
  device.set_kernel(kernel, groups, block, &arguments, sizeof arguments);
}
void prepare_matmul_half(Device& device, uint32_t n) {
  prepare_product<uint16_t>(device, n, "matmul_half", half_of);
}
void prepare_matmul_int8(Device& device, uint32_t n) {
  prepare_product<int8_t>(device, n, "matmul_int8", [](int value) { return static_cast<int8_t>(value); });
}
bool product_is_right(uint32_t n, unsigned) {
  for (uint32_t k = 0; k < 512; ++k) {
    const uint32_t row = k * 37 % n, column = k * 101 % n;
    int sum = 0;
    for (uint32_t i = 0; i < n; ++i) sum += small_of(row * n + i) * small_of(column * n + i + 77);
    if (floats_out[row * n + column] != static_cast<float>(sum)) return false;
  }
  return true;
}

void prepare_attention(Device& device, uint32_t n) {
  auto* rows = device.allocate<uint16_t>(size_t{n} * 64);
  for (uint32_t i = 0; i < n * 64; ++i) rows[i] = half_of(small_of(i) / 2);
  auto* values = device.allocate<uint16_t>(size_t{n} * 32);
  for (uint32_t i = 0; i < n * 32; ++i) values[i] = half_of(small_of(i + 77));
  floats_out = device.allocate<float>(size_t{n} * 32);
  const BinaryArguments arguments{rows, values, floats_out, n};
  const uint32_t groups[] = {n / 32, 1};
  const uint16_t block[] = {64, 1};
  device.set_kernel("attention", groups, block, &arguments, sizeof arguments);
}
bool attention_is_right(uint32_t n, unsigned) {
  for (uint32_t query = 0; query < n; query += 97) {
    double total = 0, sum[32] = {};
    for (uint32_t key = 0; key < n; ++key) {
      int score = 0;
      for (uint32_t k = 0; k < 32; ++k) score += small_of(query * 32 + k) / 2 * (small_of((n + key) * 32 + k) / 2);
      const double weight = std::exp2(score);
      total += weight;
      for (uint32_t k = 0; k < 32; ++k) sum[k] += weight * small_of(k * n + key + 77);
    }
    for (uint32_t k = 0; k < 32; ++k)
      if (std::fabs(floats_out[k * n + query] - sum[k] / total) > 0.01) return false;
  }
  return true;
}

constexpr Case kCases[] = {
    {"vadd", prepare_vadd, vadd_is_right},
    {"matmul", prepare_matmul, matmul_is_right},
    {"histogram", prepare_histogram, histogram_is_right},
    {"softmax", prepare_softmax, softmax_is_right},
    {"philox", prepare_philox, philox_is_right},
    {"stencil", prepare_stencil, stencil_is_right},
    {"sort", prepare_sort, sort_is_right},
    {"matmul_half", prepare_matmul_half, product_is_right},
    {"matmul_int8", prepare_matmul_int8, product_is_right},
    {"attention", prepare_attention, attention_is_right},
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
