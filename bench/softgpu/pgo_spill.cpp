// Runs kernels of examples/pgo-spill on the software GPU, through plain HSA, and prints one JSON object a kernel: what
// it executed, and a digest of its result.
//   pgo_spill CODE.co THREADS ITERATIONS KERNEL… [--image FOLDER]
// --image: the module's profile variables afterwards, FOLDER/<variable>.bin, as `kernloop-replay --lens` leaves them.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

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
  std::fprintf(stderr, "pgo_spill: %s\n", what.c_str());
  std::exit(1);
}
void check(hsa_status_t status, const char* call) {
  if (status != HSA_STATUS_SUCCESS) die(std::string(call) + " failed with " + std::to_string(status));
}
#define HSA(call) check(call, #call)

constexpr unsigned kBlock = 256;

struct Scratch {
  uint64_t load_dwords = 0, store_dwords = 0;
};

// What a wave moves between its registers and memory costs by its width, whichever lanes are active.
void add_scratch(const kernloop_softgpu_pc_t* pc, void* data) {
  auto* scratch = static_cast<Scratch*>(data);
  if (pc->scratch_bytes_read + pc->scratch_bytes_written == 0) return;
  const char* width = std::strstr(pc->instruction, "dword");
  const uint64_t dwords = width && width[5] == 'x' ? static_cast<uint64_t>(width[6] - '0') : 1;
  (pc->scratch_bytes_written ? scratch->store_dwords : scratch->load_dwords) += dwords * pc->executed;
}

class Program {
 public:
  explicit Program(const char* path) {
    HSA(hsa_init());
    HSA(hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto* self = static_cast<Program*>(data);
          (type == HSA_DEVICE_TYPE_GPU ? self->gpu_ : self->cpu_) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this));
    HSA(hsa_amd_agent_iterate_memory_pools(gpu_, take_pool, &device_));
    HSA(hsa_amd_agent_iterate_memory_pools(cpu_, take_pool, &host_));
    HSA(hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_MULTI, on_error, nullptr, UINT32_MAX, UINT32_MAX, &queue_));
    HSA(hsa_signal_create(0, 0, nullptr, &completion_));
    std::ifstream file(path, std::ios::binary);
    code_.assign(std::istreambuf_iterator<char>(file), {});
    hsa_code_object_reader_t reader;
    HSA(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable_));
    HSA(hsa_executable_load_agent_code_object(executable_, gpu_, reader, nullptr, nullptr));
    HSA(hsa_executable_freeze(executable_, nullptr));
    HSA(hsa_system_get_major_extension_table(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof extension_, &extension_));
    HSA(extension_.set_profiling(1));
  }

  void run(const std::string& kernel, int threads, int iterations) {
    void* out = nullptr;
    const size_t bytes = static_cast<size_t>(threads) * sizeof(double);
    HSA(hsa_amd_memory_pool_allocate(device_, bytes, 0, &out));
    struct {
      void* out;
      int n, iterations;
    } arguments{out, threads, iterations};
    dispatch(kernel, threads, &arguments, sizeof arguments);

    Scratch scratch;
    HSA(extension_.dispatch_profile(completion_, add_scratch, &scratch));
    kernloop_softgpu_report_t report{};
    report.struct_size = sizeof report;
    HSA(extension_.dispatch_report(completion_, &report));
    if (report.faulted) die(kernel + " faulted: " + report.fault_json);
    std::vector<unsigned char> result(bytes);
    HSA(hsa_memory_copy(result.data(), out, bytes));
    uint64_t digest = 0xcbf29ce484222325;  // FNV-1a
    for (unsigned char byte : result) digest = (digest ^ byte) * 0x100000001b3;
    std::printf(
        "{\"kernel\":\"%s\",\"wave_instructions\":%lu,\"waves\":%lu,\"load_dwords\":%lu,\"store_dwords\":%lu,"
        "\"digest\":\"%016lx\"}\n",
        kernel.c_str(), report.wave_instructions, report.waves, scratch.load_dwords, scratch.store_dwords, digest);
  }

  void write_image(const std::string& folder) {
    HSA(hsa_executable_iterate_agent_symbols(
        executable_, gpu_,
        [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* folder) {
          hsa_symbol_kind_t kind;
          HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
          if (kind == HSA_SYMBOL_KIND_VARIABLE) write_variable(symbol, *static_cast<const std::string*>(folder));
          return HSA_STATUS_SUCCESS;
        },
        const_cast<std::string*>(&folder)));
  }

 private:
  static void write_variable(hsa_executable_symbol_t symbol, const std::string& folder) {
    uint32_t length = 0, size = 0;
    uint64_t address = 0;
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
    std::string name(length, '\0');
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
    if (name.find("prf") == std::string::npos && name.find("__prof") == std::string::npos) return;
    std::vector<char> bytes(size);
    HSA(hsa_memory_copy(bytes.data(), reinterpret_cast<const void*>(address), size));
    std::ofstream file(folder + "/" + name + ".bin", std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(size));
    if (!file) die("cannot write into " + folder);
  }

  void dispatch(const std::string& kernel, int threads, const void* arguments, size_t bytes) {
    hsa_executable_symbol_t symbol;
    HSA(hsa_executable_get_symbol_by_name(executable_, (kernel + ".kd").c_str(), &gpu_, &symbol));
    hsa_kernel_dispatch_packet_t packet{};
    packet.setup = 1;
    packet.workgroup_size_x = kBlock;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = (static_cast<unsigned>(threads) + kBlock - 1) / kBlock * kBlock;
    packet.grid_size_y = packet.grid_size_z = 1;
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &packet.private_segment_size));
    HSA(hsa_amd_memory_pool_allocate(host_, 4096, 0, &packet.kernarg_address));
    std::memset(packet.kernarg_address, 0, 4096);
    std::memcpy(packet.kernarg_address, arguments, bytes);
    packet.completion_signal = completion_;
    hsa_signal_store_relaxed(completion_, 1);
    const uint64_t index = hsa_queue_add_write_index_screlease(queue_, 1);
    auto* slot = static_cast<char*>(queue_->base_address) + index % queue_->size * 64;
    std::memcpy(slot + 2, reinterpret_cast<const char*>(&packet) + 2, 62);
    const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    hsa_signal_wait_scacquire(completion_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }

  static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL && static_cast<hsa_amd_memory_pool_t*>(data)->handle == 0)
      *static_cast<hsa_amd_memory_pool_t*>(data) = pool;
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
  kernloop_softgpu_extension_1_t extension_{};
  std::vector<char> code_;
};

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> names;
  std::string image;
  for (int i = 4; i < count; ++i) {
    if (std::string(words[i]) == "--image" && i + 1 < count)
      image = words[++i];
    else
      names.push_back(words[i]);
  }
  if (names.empty()) die("usage: pgo_spill CODE.co THREADS ITERATIONS KERNEL… [--image FOLDER]");
  Program program(words[1]);
  for (const auto& name : names) program.run(name, std::atoi(words[2]), std::atoi(words[3]));
  if (!image.empty()) program.write_image(image);
}
