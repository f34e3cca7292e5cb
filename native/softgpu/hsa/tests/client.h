// A small HSA client for the tests: agents, pools, queues, kernels. It talks to the runtime through its exports only.
#pragma once

#include <gtest/gtest.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "abi/hsa/softgpu_extension.h"
#include "base/testing/soon.h"

namespace kernloop::softgpu {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kLong = 20 * kSecond;  // a wait that takes this long has failed

#define ASSERT_HSA(call) ASSERT_EQ(static_cast<int>(call), static_cast<int>(HSA_STATUS_SUCCESS)) << #call
#define EXPECT_HSA(call) EXPECT_EQ(static_cast<int>(call), static_cast<int>(HSA_STATUS_SUCCESS)) << #call

inline std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Agents {
  hsa_agent_t cpu{}, gpu{};
  hsa_amd_memory_pool_t fine{}, kernarg{}, device{};
};

// hsa_init to hsa_shut_down around each test.
class HsaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_HSA(hsa_init());
    ASSERT_HSA(hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto& agents = *static_cast<Agents*>(data);
          (type == HSA_DEVICE_TYPE_GPU ? agents.gpu : agents.cpu) = agent;
          return HSA_STATUS_SUCCESS;
        },
        &agents));
    for (hsa_agent_t agent : {agents.cpu, agents.gpu}) {
      ASSERT_HSA(hsa_amd_agent_iterate_memory_pools(
          agent,
          [](hsa_amd_memory_pool_t pool, void* data) {
            auto& agents = *static_cast<Agents*>(data);
            uint32_t segment = 0, flags = 0;
            hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
            if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
            hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
            bool host = false;
            hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &host);
            if (!host) agents.device = pool;
            if (host && (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)) agents.kernarg = pool;
            if (host && flags == HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) agents.fine = pool;
            return HSA_STATUS_SUCCESS;
          },
          &agents));
    }
    ASSERT_HSA(hsa_system_get_major_extension_table(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof(softgpu), &softgpu));
  }
  void TearDown() override { EXPECT_HSA(hsa_shut_down()); }

  template <typename T = uint32_t>
  T* allocate(size_t count, hsa_amd_memory_pool_t pool) {
    void* pointer = nullptr;
    EXPECT_HSA(hsa_amd_memory_pool_allocate(pool, count * sizeof(T), 0, &pointer));
    return static_cast<T*>(pointer);
  }
  template <typename T = uint32_t>
  T* device(size_t count) {
    return allocate<T>(count, agents.device);
  }

  hsa_signal_t signal(int64_t value) {
    hsa_signal_t created{};
    EXPECT_HSA(hsa_signal_create(value, 0, nullptr, &created));
    return created;
  }
  static int64_t wait_zero(hsa_signal_t signal, uint64_t timeout = kLong) {
    return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, timeout, HSA_WAIT_STATE_BLOCKED);
  }

  // The kernels of kernels.hip, loaded once a test.
  uint64_t kernel(const std::string& name, uint32_t* group_bytes = nullptr) {
    if (executable.handle == 0) {
      code = read_file(KERNLOOP_TEST_KERNELS);
      load(code, &executable);
    }
    return kernel_of(executable, name, group_bytes);
  }
  void load(const std::vector<char>& bytes, hsa_executable_t* into) {
    hsa_code_object_reader_t reader;
    ASSERT_HSA(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
    ASSERT_HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, into));
    ASSERT_HSA(hsa_executable_load_agent_code_object(*into, agents.gpu, reader, nullptr, nullptr));
    ASSERT_HSA(hsa_executable_freeze(*into, nullptr));
    ASSERT_HSA(hsa_code_object_reader_destroy(reader));
  }
  uint64_t kernel_of(hsa_executable_t from, const std::string& name, uint32_t* group_bytes = nullptr) {
    hsa_executable_symbol_t symbol{};
    EXPECT_HSA(hsa_executable_get_symbol_by_name(from, (name + ".kd").c_str(), &agents.gpu, &symbol));
    uint64_t object = 0;
    EXPECT_HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    if (group_bytes != nullptr) {
      EXPECT_HSA(
          hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, group_bytes));
    }
    return object;
  }

  // Errors that a queue's callback received.
  struct Errors {
    std::atomic<int> status{0};
    std::atomic<int> count{0};
    hsa_queue_t* source = nullptr;
    ::testing::AssertionResult wait() const {
      return soon([this] { return count != 0; });
    }
  };
  static void on_error(hsa_status_t status, hsa_queue_t* source, void* data) {
    auto* errors = static_cast<Errors*>(data);
    errors->source = source;
    errors->status = status;
    ++errors->count;
  }
  hsa_queue_t* queue(uint32_t size = 64) {
    hsa_queue_t* created = nullptr;
    EXPECT_HSA(
        hsa_queue_create(agents.gpu, size, HSA_QUEUE_TYPE_MULTI, on_error, &errors, UINT32_MAX, UINT32_MAX, &created));
    return created;
  }

  template <typename... Arguments>
  void* kernargs(Arguments... arguments) {
    auto* block = allocate<char>(256, agents.kernarg);
    size_t offset = 0;
    auto put = [&](auto argument) {
      offset = (offset + sizeof(argument) - 1) / sizeof(argument) * sizeof(argument);
      std::memcpy(block + offset, &argument, sizeof(argument));
      offset += sizeof(argument);
    };
    (put(arguments), ...);
    return block;
  }
  static hsa_kernel_dispatch_packet_t packet(uint64_t object, void* kernargs, hsa_signal_t completion = {},
                                             uint32_t grid = 1, uint16_t workgroup = 1) {
    hsa_kernel_dispatch_packet_t packet{};
    packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH);
    packet.setup = 1;
    packet.workgroup_size_x = workgroup;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = grid;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = object;
    packet.kernarg_address = kernargs;
    packet.completion_signal = completion;
    return packet;
  }
  static uint16_t header(unsigned type) {
    return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  }
  // Enqueues as an AQL producer does: reserve, wait for room, body before header.
  template <typename Packet>
  static uint64_t enqueue(hsa_queue_t* queue, const Packet& packet, bool ring = true) {
    static_assert(sizeof(Packet) == 64);
    const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    EXPECT_TRUE(soon([&] { return index - hsa_queue_load_read_index_scacquire(queue) < queue->size; }));
    write_packet(queue, index, packet);
    if (ring) hsa_signal_store_screlease(queue->doorbell_signal, static_cast<int64_t>(index));
    return index;
  }
  template <typename Packet>
  static void write_packet(hsa_queue_t* queue, uint64_t index, const Packet& packet) {
    char* slot = static_cast<char*>(queue->base_address) + (index % queue->size) * 64;
    std::memcpy(slot + 2, reinterpret_cast<const char*>(&packet) + 2, 62);
    uint16_t header = 0;
    std::memcpy(&header, &packet, 2);
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
  }
  hsa_barrier_and_packet_t barrier(unsigned type, std::initializer_list<hsa_signal_t> dependencies,
                                   hsa_signal_t completion) {
    hsa_barrier_and_packet_t packet{};
    packet.header = header(type);
    size_t i = 0;
    for (hsa_signal_t dependency : dependencies) packet.dep_signal[i++] = dependency;
    packet.completion_signal = completion;
    return packet;
  }
  kernloop_softgpu_report_t report(hsa_signal_t completion) {
    kernloop_softgpu_report_t result{};
    result.struct_size = sizeof(result);
    EXPECT_HSA(softgpu.dispatch_report(completion, &result));
    return result;
  }

  Agents agents;
  kernloop_softgpu_extension_1_t softgpu{};
  hsa_executable_t executable{};
  std::vector<char> code;
  Errors errors;
};

}  // namespace kernloop::softgpu
