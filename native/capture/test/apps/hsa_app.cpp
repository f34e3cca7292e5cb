// A program on the HSA API itself, for the end-to-end tests: ways to make queues and to fill them that the HIP runtime
// at hand does not have. A kernel appends to a list on the device; the program checks the list.
#include <dlfcn.h>
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "abi/hsa/rocm7_api.h"

namespace {

constexpr uint32_t kRingPackets = 64;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (const hsa_status_t status = (call); status != HSA_STATUS_SUCCESS) {                        \
      std::fprintf(stderr, "line %d: %s: 0x%x\n", __LINE__, #call, static_cast<unsigned>(status)); \
      std::_Exit(3);                                                                               \
    }                                                                                              \
  } while (0)

struct Device {
  hsa_agent_t gpu{};
  hsa_amd_memory_pool_t memory{}, kernarg{};
} device;

hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void*) {
  uint32_t segment = 0, flags = 0;
  bool host = false;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &host);
  if (!host) device.memory = pool;
  if (host && (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)) device.kernarg = pool;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t take_agent(hsa_agent_t agent, void*) {
  hsa_device_type_t type;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU) device.gpu = agent;
  return hsa_amd_agent_iterate_memory_pools(agent, take_pool, nullptr);
}

std::map<uint64_t, uint32_t> private_bytes;  // of kernels that have a stack

hsa_executable_t load_code(const char* file) {
  std::ifstream in(file, std::ios::binary);
  // Kept as long as the executable.
  const auto& code = *new std::vector<char>(std::istreambuf_iterator<char>(in), {});
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  CHECK(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, device.gpu, reader, nullptr, nullptr));
  CHECK(hsa_executable_freeze(executable, nullptr));
  return executable;
}

uint64_t kernel_of(hsa_executable_t executable, const char* name) {
  hsa_executable_symbol_t symbol;
  uint64_t object = 0;
  CHECK(hsa_executable_get_symbol_by_name(executable, name, &device.gpu, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &private_bytes[object]));
  return object;
}

uint64_t load_kernel(const char* file, const char* name) {
  return kernel_of(load_code(file), name);
}

hsa_queue_t* classic_queue(hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI) {
  hsa_queue_t* queue = nullptr;
  CHECK(hsa_queue_create(device.gpu, kRingPackets, type, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue));
  return queue;
}

hsa_amd_queue_create_desc_t descriptor(uint8_t engine, hsa_amd_queue_priority_t priority) {
  hsa_amd_queue_create_desc_t desc{};
  desc.version = HSA_AMD_QUEUE_CREATE_DESC_VERSION;
  desc.engine_type = engine;
  desc.queue_size_bytes = kRingPackets * 64;
  desc.priority = priority;
  desc.engine.compute.type = HSA_QUEUE_TYPE_MULTI;
  if (engine == HSA_AMD_QUEUE_ENGINE_COMPUTE)
    desc.engine.compute.private_segment_size = HSA_AMD_PRIVATE_SEGMENT_SIZE_DEFAULT;
  return desc;
}

// Two queues and, between them, one that no runtime makes: the others are there all the same.
hsa_queue_t* queue_by_descriptor(uint16_t flags) {
  hsa_amd_queue_create_desc_t descs[3] = {descriptor(HSA_AMD_QUEUE_ENGINE_COMPUTE, HSA_AMD_QUEUE_PRIORITY_NORMAL),
                                          descriptor(HSA_AMD_QUEUE_ENGINE_AIE, HSA_AMD_QUEUE_PRIORITY_NORMAL),
                                          descriptor(HSA_AMD_QUEUE_ENGINE_COMPUTE, HSA_AMD_QUEUE_PRIORITY_HIGH)};
  descs[2].flags = flags;
  const hsa_status_t status = hsa_amd_queue_create(device.gpu, descs, 3);
  if (status != HSA_STATUS_ERROR_INVALID_QUEUE_CREATION || descs[0].queue == nullptr || descs[1].queue != nullptr ||
      descs[2].queue == nullptr || descs[2].queue->size != kRingPackets) {
    std::fprintf(stderr, "hsa_amd_queue_create: 0x%x\n", static_cast<unsigned>(status));
    std::_Exit(3);
  }
  CHECK(hsa_queue_destroy(descs[0].queue));
  return descs[2].queue;
}

// A runtime later than those at hand: the tool that plays it (other_runtime.cpp) exports its functions.
template <typename... Arguments>
hsa_status_t call_other_runtime(const char* function, Arguments... arguments) {
  const std::string tools = std::getenv("HSA_TOOLS_LIB");
  void* const library = dlopen(tools.substr(0, tools.find(' ')).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<hsa_status_t (*)(Arguments...)>(dlsym(library, function))(arguments...);
}

hsa_queue_t* counted_queue() {
  hsa_queue_t* queue = nullptr;
  CHECK(call_other_runtime("other_runtime_acquire", device.gpu, &queue));
  return queue;
}

uint32_t* allocate(size_t count) {
  void* memory = nullptr;
  CHECK(hsa_amd_memory_pool_allocate(device.memory, count * sizeof(uint32_t), 0, &memory));
  return static_cast<uint32_t*>(memory);
}

// Memory of the host that the GPU reaches.
void* allocate_shared() {
  constexpr size_t kBytes = 64;
  void* memory = nullptr;
  CHECK(hsa_amd_memory_pool_allocate(device.kernarg, kBytes, 0, &memory));
  CHECK(hsa_amd_agents_allow_access(1, &device.gpu, nullptr, memory));
  std::memset(memory, 0, kBytes);
  return memory;
}

// Not on the stack, which the emulated kernel driver cannot register.
std::vector<uint32_t> fetch(const uint32_t* from, size_t count) {
  std::vector<uint32_t> words(count);
  CHECK(hsa_memory_copy(words.data(), from, count * sizeof(uint32_t)));
  return words;
}

struct Mapped {
  void* base = nullptr;
  size_t bytes;
  hsa_amd_vmem_alloc_handle_t handle{};
};

Mapped map_memory(size_t bytes) {
  Mapped memory{nullptr, bytes, {}};
  CHECK(hsa_amd_vmem_address_reserve(&memory.base, bytes, 0, 0));
  CHECK(hsa_amd_vmem_handle_create(device.memory, bytes, MEMORY_TYPE_NONE, 0, &memory.handle));
  CHECK(hsa_amd_vmem_map(memory.base, bytes, 0, memory.handle, 0));
  return memory;
}

void let_gpu_access(const Mapped& memory) {
  const hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, device.gpu};
  CHECK(hsa_amd_vmem_set_access(memory.base, memory.bytes, &access, 1));
}

// ROCr 6.4.3 does not survive its end with memory mapped.
void unmap_memory(const Mapped& memory) {
  CHECK(hsa_amd_vmem_unmap(memory.base, memory.bytes));
  CHECK(hsa_amd_vmem_handle_release(memory.handle));
  CHECK(hsa_amd_vmem_address_free(memory.base, memory.bytes));
}

// Kernels with the scopes of the HIP runtime (clr: fenceScopeAgent_).
uint16_t header(unsigned type) {
  const unsigned scope = type == HSA_PACKET_TYPE_KERNEL_DISPATCH ? HSA_FENCE_SCOPE_AGENT : HSA_FENCE_SCOPE_SYSTEM;
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               scope << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               scope << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

using Packet = hsa_kernel_dispatch_packet_t;

Packet barrier(unsigned type, hsa_signal_t dependency = {}, hsa_signal_t completion = {}) {
  hsa_barrier_and_packet_t packet{};
  packet.header = header(type);
  packet.dep_signal[0] = dependency;
  packet.completion_signal = completion;
  Packet as_any;
  static_assert(sizeof packet == sizeof as_any);
  std::memcpy(&as_any, &packet, sizeof packet);
  return as_any;
}

struct Arguments {
  uint32_t* first;
  uint32_t* second;
  uint32_t value;
};

Packet dispatch(uint64_t kernel, const Arguments& arguments) {
  void* const block = allocate_shared();
  std::memcpy(block, &arguments, sizeof arguments);
  Packet packet{};
  packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH);
  packet.setup = 1;
  packet.workgroup_size_x = packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernel_object = kernel;
  packet.private_segment_size = private_bytes.at(kernel);
  packet.kernarg_address = block;
  return packet;
}

Packet append(uint64_t kernel, uint32_t* list, uint32_t* length, uint32_t value) {
  return dispatch(kernel, {list, length, value});
}

// All of them with one write of the doorbell.
void submit(hsa_queue_t* queue, const std::vector<Packet>& packets) {
  const uint64_t first = hsa_queue_add_write_index_screlease(queue, packets.size());
  while (first + packets.size() - hsa_queue_load_read_index_scacquire(queue) > queue->size) usleep(1000);
  for (size_t i = 0; i < packets.size(); ++i) {
    char* slot = static_cast<char*>(queue->base_address) + ((first + i) % queue->size) * sizeof(Packet);
    std::memcpy(slot + 2, reinterpret_cast<const char*>(&packets[i]) + 2, sizeof(Packet) - 2);
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), packets[i].header, __ATOMIC_RELEASE);
  }
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<int64_t>(first + packets.size() - 1));
}

// With a place asked for each, as HIP does.
void submit_one_by_one(hsa_queue_t* queue, const std::vector<Packet>& packets) {
  for (const Packet& packet : packets) submit(queue, {packet});
}

void wait(hsa_signal_t signal) {
  hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
}

// Barriers of both kinds and four dispatches at once, behind `skip` packets that move the place in the ring.
int run(hsa_queue_t* queue, uint64_t kernel, uint32_t* list, uint32_t* length, size_t skip, bool is_counted) {
  hsa_signal_t begun, done;
  CHECK(hsa_signal_create(0, 0, nullptr, &begun));  // a barrier on it is passed at once
  CHECK(hsa_signal_create(1, 0, nullptr, &done));
  for (size_t i = 0; i < skip; ++i) submit(queue, {barrier(HSA_PACKET_TYPE_BARRIER_AND)});
  submit(queue,
         {barrier(HSA_PACKET_TYPE_BARRIER_AND, begun), append(kernel, list, length, 11),
          append(kernel, list, length, 22), barrier(HSA_PACKET_TYPE_BARRIER_OR), append(kernel, list, length, 33),
          append(kernel, list, length, 44), barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, done)});
  wait(done);
  const bool is_right = fetch(length, 1)[0] == 4 && fetch(list, 4) == std::vector<uint32_t>{11, 22, 33, 44};
  if (is_counted) {
    CHECK(call_other_runtime("other_runtime_release", queue));
  } else {
    CHECK(hsa_queue_destroy(queue));
  }
  return is_right ? 0 : 1;
}

void submit_and_wait(hsa_queue_t* queue, std::vector<Packet> packets) {
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, nullptr, &done));
  packets.push_back(barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, done));
  submit(queue, packets);
  wait(done);
  CHECK(hsa_signal_destroy(done));
}

// Waits until a submission that ends with this packet or a later one has begun, and then lets its thread come to where
// the capture or the runtime holds it. Nothing shows from outside that it is there: its packets are written, and none
// of them runs before the flag is set. So this is time. The counts are right with less of it, too, but the thread may
// then come after the flag, and the test shows less.
void let_be_held(hsa_queue_t* queue, uint64_t packets) {
  while (hsa_queue_load_write_index_relaxed(queue) < packets) usleep(1000);
  usleep(300000);
}

// A second queue submits while the packets after a captured dispatch, in the same submission, still run.
int run_behind(const char* file, uint32_t* list, uint32_t* length) {
  hsa_queue_t *first = classic_queue(), *second = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd"), wait_for = load_kernel(file, "wait_for.kd");
  void* const flag = allocate_shared();
  submit(first, {append(kernel, list, length, 11), dispatch(wait_for, {static_cast<uint32_t*>(flag), nullptr, 0}),
                 append(kernel, list, length, 22)});
  std::thread other([&] { submit_and_wait(second, {append(kernel, list, length, 33)}); });
  let_be_held(second, 1);
  __atomic_store_n(static_cast<uint32_t*>(flag), 1u, __ATOMIC_RELEASE);
  other.join();
  submit_and_wait(first, {});
  const uint32_t count = fetch(length, 1)[0];
  for (hsa_queue_t* queue : {first, second}) CHECK(hsa_queue_destroy(queue));
  return count == 3 ? 0 : 1;
}

// A dispatch is due while a cooperative queue is at work.
int run_beside(const char* file, uint32_t* list, uint32_t* length) {
  hsa_queue_t *cooperative = classic_queue(HSA_QUEUE_TYPE_COOPERATIVE),
              *again = classic_queue(HSA_QUEUE_TYPE_COOPERATIVE);
  hsa_queue_t* queue = classic_queue();
  CHECK(hsa_queue_destroy(again));  // ROCr has one for all
  const uint64_t kernel = load_kernel(file, "append.kd"), wait_for = load_kernel(file, "wait_for.kd");
  void* const flag = allocate_shared();
  submit(cooperative,
         {dispatch(wait_for, {static_cast<uint32_t*>(flag), nullptr, 0}), append(kernel, list, length, 11)});
  std::thread other([&] { submit_and_wait(queue, {append(kernel, list, length, 22)}); });
  let_be_held(queue, 1);
  __atomic_store_n(static_cast<uint32_t*>(flag), 1u, __ATOMIC_RELEASE);
  other.join();
  submit_and_wait(cooperative, {});
  const uint32_t count = fetch(length, 1)[0];
  for (hsa_queue_t* one : {cooperative, queue}) CHECK(hsa_queue_destroy(one));
  return count == 2 ? 0 : 1;
}

// Submissions that fill the ring of the device while a dispatch runs: ROCr keeps packets that do not fit, and hands
// them on by a thread of its own.
int run_full(const char* file, uint32_t* list, uint32_t* length) {
  constexpr uint32_t kSubmissions = 4, kBatch = 40;
  hsa_queue_t* queue = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd"), wait_for = load_kernel(file, "wait_for.kd");
  void* const flag = allocate_shared();
  submit(queue, {dispatch(wait_for, {static_cast<uint32_t*>(flag), nullptr, 0})});
  std::thread opener([&] {
    let_be_held(queue, 2);
    __atomic_store_n(static_cast<uint32_t*>(flag), 1u, __ATOMIC_RELEASE);
  });
  for (uint32_t i = 0; i < kSubmissions; ++i) {
    std::vector<Packet> batch;
    for (uint32_t k = 0; k < kBatch; ++k) batch.push_back(append(kernel, list, length, i * kBatch + k + 1));
    submit(queue, batch);
  }
  opener.join();
  submit_and_wait(queue, {});
  const uint32_t count = fetch(length, 1)[0];
  CHECK(hsa_queue_destroy(queue));
  return count == kSubmissions * kBatch ? 0 : 1;
}

// Kernel arguments in device memory, as in HIP with HIP_FORCE_DEV_KERNARG=1: the host stores those of the next launches
// while a dispatch runs.
int run_arguments(const char* file, uint32_t* list, uint32_t* length) {
  const uint64_t kernel = load_kernel(file, "append.kd");
  constexpr size_t kWords = 4096, kWordsOfBlock = 16;
  uint32_t* const blocks = allocate(kWords);
  std::atomic<bool> stop{false};
  std::thread host([&] {
    for (uint32_t value = 0; !stop; ++value) __atomic_store_n(blocks + kWords - 1, value, __ATOMIC_RELAXED);
  });
  hsa_queue_t* queue = classic_queue();
  for (uint32_t i = 0; i < 3; ++i) {
    Packet packet = append(kernel, list, length, 11 * (i + 1));
    uint32_t* const block = blocks + i * kWordsOfBlock;
    std::memcpy(block, packet.kernarg_address, kWordsOfBlock * sizeof(uint32_t));
    packet.kernarg_address = block;
    submit_and_wait(queue, {packet});
  }
  stop = true;
  host.join();
  CHECK(hsa_queue_destroy(queue));
  return fetch(length, 1)[0] == 3 ? 0 : 1;
}

// A queue waits for a dispatch of another one while the runtime's only thread for handlers is busy.
int run_relay(const char* file, uint32_t* list, uint32_t* length) {
  struct Relay {
    hsa_signal_t go, begun, first, second;
  } relay;
  CHECK(hsa_signal_create(1, 0, nullptr, &relay.go));
  CHECK(hsa_signal_create(1, 0, nullptr, &relay.begun));
  CHECK(hsa_signal_create(1, 0, nullptr, &relay.first));
  CHECK(hsa_signal_create(1, 0, nullptr, &relay.second));
  hsa_queue_t *one = classic_queue(), *two = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd");
  static std::atomic<int> result{-1};
  const auto handler = [](hsa_signal_value_t, void* data) {
    const Relay& relay = *static_cast<Relay*>(data);
    hsa_signal_store_screlease(relay.begun, 0);
    for (int i = 0; i < 2000 && hsa_signal_load_scacquire(relay.second) >= 1; ++i) usleep(1000);
    result = hsa_signal_load_scacquire(relay.second) < 1 ? 0 : 5;
    return false;
  };
  CHECK(hsa_amd_signal_async_handler(relay.go, HSA_SIGNAL_CONDITION_LT, 1, handler, &relay));
  hsa_signal_store_screlease(relay.go, 0);
  wait(relay.begun);
  Packet before = append(kernel, list, length, 11), after = append(kernel, list, length, 22);
  before.completion_signal = relay.first;
  after.completion_signal = relay.second;
  submit(two, {barrier(HSA_PACKET_TYPE_BARRIER_AND, relay.first), after});
  submit(one, {before});
  wait(relay.second);
  while (result < 0) usleep(1000);
  for (hsa_queue_t* queue : {one, two}) CHECK(hsa_queue_destroy(queue));
  for (hsa_signal_t signal : {relay.go, relay.begun, relay.first, relay.second}) CHECK(hsa_signal_destroy(signal));
  return fetch(list, 2) == std::vector<uint32_t>{11, 22} ? result.load() : 1;
}

// Signals that three dispatches share, that a dispatch has a second time, and that a second dispatch takes while the
// first one has it.
int run_shares(const char* file, uint32_t* list, uint32_t* length) {
  hsa_queue_t* queue = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd");
  const auto with = [&](hsa_signal_t signal) {
    Packet packet = append(kernel, list, length, 1);
    packet.completion_signal = signal;
    return packet;
  };
  hsa_signal_t three, again, taken, gate;
  CHECK(hsa_signal_create(3, 0, nullptr, &three));
  CHECK(hsa_signal_create(1, 0, nullptr, &again));
  CHECK(hsa_signal_create(1, 0, nullptr, &taken));
  CHECK(hsa_signal_create(1, 0, nullptr, &gate));
  submit(queue, {with(three), with(three), with(three)});
  wait(three);
  submit(queue, {with(again)});
  wait(again);
  hsa_signal_add_screlease(again, 1);
  submit(queue, {with(again)});
  wait(again);
  submit(queue, {barrier(HSA_PACKET_TYPE_BARRIER_AND, gate), with(taken), with(taken)});
  hsa_signal_store_screlease(gate, 0);
  while (hsa_signal_load_scacquire(taken) != -1) usleep(1000);
  CHECK(hsa_queue_destroy(queue));
  for (hsa_signal_t signal : {three, again, taken, gate}) CHECK(hsa_signal_destroy(signal));
  return fetch(length, 1)[0] == 7 ? 0 : 1;
}

// A chain of packets and a copy that waits for a dispatch, or for the barrier behind it, and is on the device before
// that is. No thread of the host is between them. The chain may begin in a cooperative queue.
int run_awaited(const char* file, uint32_t* list, uint32_t* length, bool by_barrier, bool is_cooperative) {
  const uint64_t kernel = load_kernel(file, "append.kd");
  hsa_queue_t *first = classic_queue(is_cooperative ? HSA_QUEUE_TYPE_COOPERATIVE : HSA_QUEUE_TYPE_MULTI),
              *second = classic_queue(), *queue = classic_queue();
  hsa_signal_t awaited, appended, copied, done;
  for (hsa_signal_t* signal : {&awaited, &appended, &copied, &done}) CHECK(hsa_signal_create(1, 0, nullptr, signal));
  uint32_t* const copy = allocate(4);
  Packet before = append(kernel, list, length, 11), between = append(kernel, list, length, 22),
         after = append(kernel, list, length, 33);
  if (!by_barrier) before.completion_signal = awaited;
  between.completion_signal = appended;
  after.completion_signal = done;
  const auto hand_over = is_cooperative ? submit_one_by_one : submit;
  hand_over(first, {barrier(HSA_PACKET_TYPE_BARRIER_AND, awaited), between});
  CHECK(hsa_amd_memory_async_copy(copy, device.gpu, list, device.gpu, 4 * sizeof *copy, 1, &appended, copied));
  submit(second, {barrier(HSA_PACKET_TYPE_BARRIER_OR, copied), after});
  submit(queue, {before, barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, by_barrier ? awaited : hsa_signal_t{})});
  wait(done);
  for (hsa_queue_t* one : {first, second, queue}) CHECK(hsa_queue_destroy(one));
  for (hsa_signal_t signal : {awaited, appended, copied, done}) CHECK(hsa_signal_destroy(signal));
  return fetch(copy, 2) == std::vector<uint32_t>{11, 22} && fetch(list, 3) == std::vector<uint32_t>{11, 22, 33} ? 0 : 1;
}

// Work that waits for what comes behind a dispatch is released from elsewhere while that dispatch runs: a queue, which
// then lets the dispatch end and may be a cooperative one, or a copy.
int run_released(const char* file, uint32_t* list, uint32_t* length, bool is_copy, bool is_cooperative) {
  const uint64_t kernel = load_kernel(file, "append.kd"), store = load_kernel(file, "store.kd"),
                 start_and_wait = load_kernel(file, "start_and_wait.kd");
  hsa_queue_t *first = classic_queue(is_cooperative ? HSA_QUEUE_TYPE_COOPERATIVE : HSA_QUEUE_TYPE_MULTI),
              *queue = classic_queue();
  hsa_signal_t awaited, done;
  for (hsa_signal_t* signal : {&awaited, &done}) CHECK(hsa_signal_create(1, 0, nullptr, signal));
  submit_and_wait(first, {append(kernel, list, length, 11)});
  auto *const flag = static_cast<uint32_t*>(allocate_shared()), *const started =
                                                                    static_cast<uint32_t*>(allocate_shared());
  uint32_t* const copy = list + 64;
  if (is_copy) {
    CHECK(hsa_amd_memory_async_copy(copy, device.gpu, list, device.gpu, 4 * sizeof *copy, 1, &awaited, done));
  } else {
    const auto hand_over = is_cooperative ? submit_one_by_one : submit;
    hand_over(first, {barrier(HSA_PACKET_TYPE_BARRIER_AND, awaited), append(kernel, list, length, 22),
                      dispatch(store, {flag, reinterpret_cast<uint32_t*>(1), 0}),
                      barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, done)});
  }
  std::thread other([&] {
    while (__atomic_load_n(started, __ATOMIC_ACQUIRE) == 0) usleep(1000);
    hsa_signal_store_screlease(awaited, 0);
    if (!is_copy) return;
    wait(done);
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  });
  submit(queue, {dispatch(start_and_wait, {flag, started, 0}), barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, awaited)});
  other.join();
  wait(done);
  submit_and_wait(queue, {});
  for (hsa_queue_t* one : {first, queue}) CHECK(hsa_queue_destroy(one));
  for (hsa_signal_t signal : {awaited, done}) CHECK(hsa_signal_destroy(signal));
  return fetch(is_copy ? copy : list + 1, 1)[0] == (is_copy ? 11 : 22) ? 0 : 1;
}

// A copy shares its signal with a dispatch or with the host. That part is done when another dispatch is due, and the
// copy begins once that one runs. If the first dispatch may be captured, the copy also waits for what is behind it.
int run_mixed(const char* file, uint32_t* list, uint32_t* length, bool is_captured, bool is_host) {
  const uint64_t kernel = load_kernel(file, "append.kd"), start_and_wait = load_kernel(file, "start_and_wait.kd");
  hsa_queue_t* queue = classic_queue();
  hsa_signal_t gate, behind, both;
  for (hsa_signal_t* signal : {&gate, &behind}) CHECK(hsa_signal_create(1, 0, nullptr, signal));
  CHECK(hsa_signal_create(2, 0, nullptr, &both));
  uint32_t* const copy = list + 64;
  const hsa_signal_t waits[] = {gate, behind};
  CHECK(hsa_amd_memory_async_copy(copy, device.gpu, list, device.gpu, 4 * sizeof *copy, is_captured ? 2 : 1, waits,
                                  both));
  Packet before = append(kernel, list, length, 11);
  if (!is_host) before.completion_signal = both;
  submit_and_wait(queue, {before, barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, behind)});
  if (is_host) hsa_signal_subtract_screlease(both, 1);
  auto *const flag = static_cast<uint32_t*>(allocate_shared()), *const started =
                                                                    static_cast<uint32_t*>(allocate_shared());
  std::thread other([&] {
    while (__atomic_load_n(started, __ATOMIC_ACQUIRE) == 0) usleep(1000);
    hsa_signal_store_screlease(gate, 0);
    wait(both);
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  });
  submit_and_wait(queue, {dispatch(start_and_wait, {flag, started, 0})});
  other.join();
  CHECK(hsa_queue_destroy(queue));
  for (hsa_signal_t signal : {gate, behind, both}) CHECK(hsa_signal_destroy(signal));
  return fetch(copy, 1)[0] == 11 ? 0 : 1;
}

// A signal of copies that is set again without a store.
int run_rearmed(const char* file, uint32_t* list, uint32_t* length) {
  const uint64_t kernel = load_kernel(file, "append.kd");
  hsa_queue_t* queue = classic_queue();
  hsa_signal_t signal;
  CHECK(hsa_signal_create(1, 0, nullptr, &signal));
  const auto copy = [&] {
    CHECK(hsa_amd_memory_async_copy(list + 64, device.gpu, list, device.gpu, 4 * sizeof *list, 0, nullptr, signal));
    wait(signal);
  };
  copy();
  hsa_signal_add_screlease(signal, 1);
  copy();
  hsa_signal_exchange_scacq_screl(signal, 1);
  copy();
  hsa_signal_cas_scacq_screl(signal, 5, 7);
  hsa_signal_cas_scacq_screl(signal, 0, 1);
  copy();
  submit_and_wait(queue, {append(kernel, list, length, 11)});
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_signal_destroy(signal));
  return fetch(list, 1)[0] == 11 ? 0 : 1;
}

// Another thread takes the access to mapped memory away while a dispatch runs.
int run_seals(const char* file, uint32_t* list) {
  const uint64_t start_and_wait = load_kernel(file, "start_and_wait.kd");
  hsa_queue_t* queue = classic_queue();
  auto *const flag = static_cast<uint32_t*>(allocate_shared()), *const started =
                                                                    static_cast<uint32_t*>(allocate_shared());
  std::atomic<bool> seals{false};
  std::thread other([&] {
    while (__atomic_load_n(started, __ATOMIC_ACQUIRE) == 0) usleep(1000);
    seals = true;
    const hsa_amd_memory_access_desc_t none{HSA_ACCESS_PERMISSION_NONE, device.gpu};
    CHECK(hsa_amd_vmem_set_access(list, 2u << 20, &none, 1));
  });
  std::thread opens([&] {
    while (!seals) usleep(1000);
    usleep(200000);  // see let_be_held()
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  });
  submit_and_wait(queue, {dispatch(start_and_wait, {flag, started, 0})});
  other.join();
  opens.join();
  CHECK(hsa_queue_destroy(queue));
  return 0;
}

// Threads clear and copy images of the other runtime while a dispatch runs, or read a file into memory, one word each.
int run_images(const char* file, bool reads_file) {
  const uint64_t start_and_wait = load_kernel(file, "start_and_wait.kd");
  hsa_queue_t* queue = classic_queue();
  auto *const flag = static_cast<uint32_t*>(allocate_shared()), *const started =
                                                                    static_cast<uint32_t*>(allocate_shared());
  auto* const words = static_cast<uint32_t*>(allocate_shared());
  words[0] = 0x1a6e5;  // the test looks for it
  const auto image = [&](size_t word) { return hsa_ext_image_t{reinterpret_cast<uint64_t>(words + word)}; };
  const uint32_t value = 11;
  std::vector<std::function<hsa_status_t()>> calls = {
      [&] { return hsa_ext_image_clear(device.gpu, image(1), &value, nullptr); },
      [&] { return hsa_ext_image_import(device.gpu, &value, 0, 0, image(2), nullptr); },
      [&] { return hsa_ext_image_export(device.gpu, image(0), words + 3, 0, 0, nullptr); },
      [&] { return hsa_ext_image_copy(device.gpu, image(0), nullptr, image(4), nullptr, nullptr); }};
  std::vector<uint32_t> expected = {value, value, words[0], words[0]};
  if (reads_file) {
    calls = {[&] {
      const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
      return call_other_runtime("other_runtime_read", descriptor, static_cast<void*>(words + 1), uint64_t{4});
    }};
    expected = {0x464c457f, 0, 0, 0};  // how ELF begins
  }
  std::atomic<size_t> calling{0};
  std::vector<std::thread> threads;
  for (const auto& call : calls) {
    threads.emplace_back([&] {
      while (__atomic_load_n(started, __ATOMIC_ACQUIRE) == 0) usleep(1000);
      ++calling;
      CHECK(call());
    });
  }
  threads.emplace_back([&] {
    while (calling < calls.size()) usleep(1000);
    usleep(200000);  // see let_be_held()
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  });
  submit_and_wait(queue, {dispatch(start_and_wait, {flag, started, 0})});
  for (std::thread& thread : threads) thread.join();
  CHECK(hsa_queue_destroy(queue));
  return std::vector(words + 1, words + 5) == expected ? 0 : 1;
}

// A queue waits for a thread that needs a lock, which another thread holds around its launch.
int run_locked(const char* file, uint32_t* list, uint32_t* length) {
  const uint64_t kernel = load_kernel(file, "append.kd");
  hsa_queue_t *first = classic_queue(), *queue = classic_queue();
  hsa_signal_t gate;
  CHECK(hsa_signal_create(1, 0, nullptr, &gate));
  submit(first, {barrier(HSA_PACKET_TYPE_BARRIER_AND, gate), append(kernel, list + 64, length + 64, 22)});
  std::mutex lock;
  std::atomic<bool> is_locked{false};
  std::thread launches([&] {
    const std::lock_guard holds(lock);
    is_locked = true;
    submit_and_wait(queue, {append(kernel, list, length, 11)});
  });
  std::thread opens([&] {
    while (!is_locked) usleep(1000);
    const std::lock_guard holds(lock);
    hsa_signal_store_screlease(gate, 0);
  });
  launches.join();
  opens.join();
  submit_and_wait(first, {});
  for (hsa_queue_t* one : {first, queue}) CHECK(hsa_queue_destroy(one));
  CHECK(hsa_signal_destroy(gate));
  return fetch(list, 1)[0] == 11 && fetch(list + 64, 1)[0] == 22 ? 0 : 1;
}

// Calls through a table of functions, and a virtual function, of which a kernel has written the addresses.
int run_functions(const char* file, uint32_t* list, uint32_t* length) {
  hsa_queue_t* queue = classic_queue();
  const hsa_executable_t code = load_code(file);
  submit_and_wait(queue, {append(kernel_of(code, "append.kd"), list, length, 0)});
  submit_and_wait(queue, {dispatch(kernel_of(code, "take_functions.kd"), {list, nullptr, 0})});
  submit_and_wait(queue, {dispatch(kernel_of(code, "call_function.kd"), {list, length, 1})});
  const bool is_right = fetch(length, 1)[0] == 16;
  uint32_t* const shape = allocate(1024);
  submit_and_wait(queue, {dispatch(kernel_of(code, "make_shape.kd"), {shape, length, 0})});
  submit_and_wait(queue, {dispatch(kernel_of(code, "measure_shape.kd"), {shape, length, 0})});
  CHECK(hsa_queue_destroy(queue));
  return is_right && fetch(length, 1)[0] == 6 * 16 * 16 ? 0 : 1;
}

// Much memory, in which a list is reached by a pointer far inside of a large allocation, and counters by nothing that
// the arguments hold.
int run_large(const char* file, uint32_t* list, uint32_t* length) {
  constexpr size_t kWords = 10u << 20, kPlace = 9u << 20;  // 40 MiB
  hsa_queue_t* queue = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd"), count_hidden = load_kernel(file, "count_hidden.kd");
  uint32_t *const large = allocate(kWords), *const counters = allocate(kWords);
  for (uint32_t* memory : {large, counters}) CHECK(hsa_amd_memory_fill(memory, 0, kWords));
  const std::vector<uint32_t*> pointer{list};  // not on the stack: see fetch()
  CHECK(hsa_memory_copy(large + kPlace, pointer.data(), sizeof list));
  submit_and_wait(queue, {append(kernel, list, length, 11)});
  submit_and_wait(queue, {append(kernel, large, length, 22)});
  const uint64_t hidden = ~reinterpret_cast<uint64_t>(counters + kPlace);
  submit_and_wait(queue, {dispatch(count_hidden, {reinterpret_cast<uint32_t*>(hidden), nullptr, 0})});
  submit_and_wait(queue, {dispatch(count_hidden, {reinterpret_cast<uint32_t*>(hidden), nullptr, 0})});
  CHECK(hsa_queue_destroy(queue));
  return fetch(length, 1)[0] == 2 && fetch(counters + kPlace, 1)[0] == 2 ? 0 : 1;
}

// Much memory, and a dispatch that ends only once the capture has given it up.
int run_outlives(const char* file, uint32_t* list, uint32_t* length) {
  constexpr size_t kWords = 20u << 20;  // 80 MiB
  hsa_queue_t* queue = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd"), wait_for = load_kernel(file, "wait_for.kd");
  uint32_t* const large = allocate(kWords);
  CHECK(hsa_amd_memory_fill(large, 0, kWords));
  auto* const flag = static_cast<uint32_t*>(allocate_shared());
  std::thread other([&] { submit_and_wait(queue, {dispatch(wait_for, {flag, nullptr, 0})}); });
  let_be_held(queue, 1);
  // Held until the capture is over.
  CHECK(hsa_memory_copy(large, large + 1, sizeof *large));
  __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  other.join();
  submit_and_wait(queue, {append(kernel, list, length, 11)});
  CHECK(hsa_queue_destroy(queue));
  return fetch(length, 1)[0] == 1 ? 0 : 1;
}

// Two threads whose dispatches are due at the same time, and a queue that is never idle for long.
int run_crowd(const char* file, uint32_t* list, uint32_t* length) {
  const uint64_t kernel = load_kernel(file, "append.kd"), count_up = load_kernel(file, "count_up.kd");
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    hsa_queue_t* queue = classic_queue();
    while (!stop) submit_and_wait(queue, {dispatch(count_up, {length + 128, nullptr, 0})});
    CHECK(hsa_queue_destroy(queue));
  });
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 2; ++t) {
    threads.emplace_back([=] {
      hsa_queue_t* queue = classic_queue();
      for (uint32_t i = 0; i < 4; ++i) submit_and_wait(queue, {append(kernel, list + t * 64, length + t * 64, i + 1)});
      CHECK(hsa_queue_destroy(queue));
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop = true;
  busy.join();
  const std::vector<uint32_t> counts = fetch(length, 65);
  return counts[0] == 4 && counts[64] == 4 ? 0 : 1;
}

// A thread loads and unloads code of more bytes than a ring holds, each object another content, while the recorder is
// stopped (until stdin ends the test does that) and another thread's first dispatch of a kernel waits for its answer.
int run_loads(const char* file, uint32_t* list, uint32_t* length) {
  const uint64_t kernel = load_kernel(file, "append.kd");
  hsa_queue_t* queue = classic_queue();
  std::printf("ready\n");
  std::fflush(stdout);
  for (char byte; read(STDIN_FILENO, &byte, 1) > 0;) continue;
  std::thread dispatches([&] { submit_and_wait(queue, {append(kernel, list, length, 11)}); });
  std::ifstream in(file, std::ios::binary);
  std::vector<char> code(std::istreambuf_iterator<char>(in), {});
  code.resize(code.size() + (2u << 20));
  for (int i = 0; i < 8; ++i) {
    code.back() = static_cast<char>(i + 1);
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    CHECK(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader));
    CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable));
    CHECK(hsa_executable_load_agent_code_object(executable, device.gpu, reader, nullptr, nullptr));
    CHECK(hsa_executable_freeze(executable, nullptr));
    CHECK(hsa_code_object_reader_destroy(reader));
  }
  std::printf("loaded\n");
  std::fflush(stdout);
  dispatches.join();
  uint32_t count = 0;
  CHECK(hsa_memory_copy(&count, length, sizeof count));
  CHECK(hsa_queue_destroy(queue));
  return count == 1 ? 0 : 1;
}

// Closes every descriptor, as a daemon does, and gives the numbers to a file of its own, which is to hold its bytes
// alone. A few numbers stay free.
int run_daemon(const char* file, uint32_t* list, uint32_t* length, const char* own_path) {
  hsa_queue_t* queue = classic_queue();
  const uint64_t kernel = load_kernel(file, "append.kd");
  submit_and_wait(queue, {append(kernel, list, length, 11)});
  close_range(3, ~0u, 0);
  const int own = open(own_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int last = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 8192)) - 16;
  for (int number = own + 1; number < last; ++number) {
    if (dup2(own, number) != number) return 4;
  }
  if (write(own, "mine\n", 5) != 5) return 4;
  submit_and_wait(queue, {append(kernel, list, length, 22), append(kernel, list, length, 33)});
  uint32_t count = 0;
  CHECK(hsa_memory_copy(&count, length, sizeof count));
  CHECK(hsa_queue_destroy(queue));
  return count == 3 ? 0 : 1;
}

}  // namespace

// hsa_app KERNELS
// classic|descriptor|ring|cooperative|counted|behind|beside|awaited|released|mixed|rearmed|seals|images|locked|functions|
// crowd|relay|shares|large|outlives|loads|arguments|full|broken
// pool|mapped|sealed|kept|attached|imported|handed_out [SKIP], or: hsa_app KERNELS daemon pool FILE
int main(int argument_count, char** arguments) {
  if (argument_count < 4) return 2;
  const std::string queues = arguments[2], memory = arguments[3];
  const size_t skip = argument_count > 4 && queues != "daemon" ? std::stoul(arguments[4]) : 0;
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(take_agent, nullptr));
  constexpr size_t kBytes = 2u << 20;
  std::vector<Mapped> mapped;
  if (memory == "mapped" || memory == "sealed") {
    mapped.push_back(map_memory(kBytes));
    let_gpu_access(mapped.front());
  }
  if (memory == "imported") {
    Mapped& shared = mapped.emplace_back();
    shared.bytes = kBytes;
    int descriptor = -1;
    CHECK(hsa_amd_vmem_address_reserve(&shared.base, kBytes, 0, 0));
    CHECK(hsa_amd_vmem_handle_create(device.memory, kBytes, MEMORY_TYPE_NONE, 0, &shared.handle));
    CHECK(hsa_amd_vmem_export_shareable_handle(&descriptor, shared.handle, 0));
    CHECK(hsa_amd_vmem_import_shareable_handle(descriptor, &shared.handle));
    CHECK(hsa_amd_vmem_map(shared.base, kBytes, 0, shared.handle, 0));
    let_gpu_access(shared);
  }
  // To this the GPU has no access.
  if (memory == "sealed") mapped.push_back(map_memory(kBytes));
  uint32_t* list = mapped.empty() ? allocate(kBytes / sizeof(uint32_t)) : static_cast<uint32_t*>(mapped.front().base);
  uint32_t* length = allocate(1024);
  if (memory == "attached") {
    hsa_amd_ipc_memory_t handle{};
    CHECK(hsa_amd_ipc_memory_create(list, kBytes, &handle));
    CHECK(hsa_amd_ipc_memory_attach(&handle, kBytes, 1, &device.gpu, reinterpret_cast<void**>(&list)));
  }
  if (memory == "handed_out") {
    int descriptor = -1;
    uint64_t offset = 0;
    CHECK(hsa_amd_portable_export_dmabuf(list, kBytes, &descriptor, &offset));
  }
  // hsa_amd_memory_fill of ROCr 6 refuses mapped memory.
  const std::vector<uint8_t> zeros(kBytes);
  CHECK(hsa_memory_copy(list, zeros.data(), kBytes));
  CHECK(hsa_memory_copy(length, zeros.data(), 1024 * sizeof(uint32_t)));
  // The runtime does not free it: it is still there.
  if (memory == "kept" && hsa_amd_memory_pool_free(list) == HSA_STATUS_SUCCESS) return 3;
  int result = 0;
  if (queues == "behind") {
    result = run_behind(arguments[1], list, length);
  } else if (queues == "beside") {
    result = run_beside(arguments[1], list, length);
  } else if (queues == "crowd") {
    result = run_crowd(arguments[1], list, length);
  } else if (queues == "daemon") {
    result = run_daemon(arguments[1], list, length, arguments[4]);
  } else if (queues == "relay") {
    result = run_relay(arguments[1], list, length);
  } else if (queues == "awaited") {
    result = run_awaited(arguments[1], list, length, skip % 2 != 0, skip >= 2);
  } else if (queues == "released") {
    result = run_released(arguments[1], list, length, skip == 1, skip == 2);
  } else if (queues == "mixed") {
    result = run_mixed(arguments[1], list, length, skip == 1, skip == 2);
  } else if (queues == "rearmed") {
    result = run_rearmed(arguments[1], list, length);
  } else if (queues == "seals") {
    result = run_seals(arguments[1], list);
  } else if (queues == "images") {
    result = run_images(arguments[1], skip != 0);
  } else if (queues == "locked") {
    result = run_locked(arguments[1], list, length);
  } else if (queues == "functions") {
    result = run_functions(arguments[1], list, length);
  } else if (queues == "large") {
    result = run_large(arguments[1], list, length);
  } else if (queues == "outlives") {
    result = run_outlives(arguments[1], list, length);
  } else if (queues == "shares") {
    result = run_shares(arguments[1], list, length);
  } else if (queues == "loads") {
    result = run_loads(arguments[1], list, length);
  } else if (queues == "arguments") {
    result = run_arguments(arguments[1], list, length);
  } else if (queues == "full") {
    result = run_full(arguments[1], list, length);
  } else if (queues == "broken") {
    submit_and_wait(classic_queue(), {barrier(HSA_PACKET_TYPE_AGENT_DISPATCH)});
  } else {
    hsa_queue_t* queue = queues == "descriptor"    ? queue_by_descriptor(0)
                         : queues == "ring"        ? queue_by_descriptor(HSA_AMD_QUEUE_CREATE_DEVICE_MEM_RING_BUF)
                         : queues == "cooperative" ? classic_queue(HSA_QUEUE_TYPE_COOPERATIVE)
                         : queues == "counted"     ? counted_queue()
                                                   : classic_queue();
    result = run(queue, load_kernel(arguments[1], "append.kd"), list, length, skip, queues == "counted");
  }
  for (const Mapped& one : mapped) unmap_memory(one);
  CHECK(hsa_shut_down());
  return result;
}
