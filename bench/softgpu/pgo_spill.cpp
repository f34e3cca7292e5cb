// Runs kernels of examples/pgo-spill on the software GPU, through plain HSA, and prints one JSON object a kernel: what
// it executed, and a digest of its result.
//   pgo_spill CODE.co THREADS ITERATIONS KERNEL… [--image FOLDER]
// --image: the module's profile variables afterwards, FOLDER/<variable>.bin, as `kernloop-replay --lens` leaves them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "loaded_code.h"

namespace {

constexpr uint16_t kBlock = 256;

struct Scratch {
  uint64_t load_dwords = 0, store_dwords = 0;
};

// A wave's transfers between registers and memory cost by their width, whichever lanes are active.
void add_scratch(const kernloop_softgpu_pc_t* pc, void* data) {
  auto* scratch = static_cast<Scratch*>(data);
  if (pc->scratch_bytes_read + pc->scratch_bytes_written == 0) return;
  const char* width = std::strstr(pc->instruction, "dword");
  const uint64_t dwords = width && width[5] == 'x' ? static_cast<uint64_t>(width[6] - '0') : 1;
  (pc->scratch_bytes_written ? scratch->store_dwords : scratch->load_dwords) += dwords * pc->executed;
}

class Program : public LoadedCode {
 public:
  explicit Program(const char* path) : LoadedCode(path) { HSA(extension().set_profiling(1)); }

  void run(const std::string& kernel, int threads, int iterations) {
    void* out = allocate<double>(static_cast<size_t>(threads));
    const size_t bytes = static_cast<size_t>(threads) * sizeof(double);
    struct {
      void* out;
      int n, iterations;
    } arguments{out, threads, iterations};
    const uint32_t groups[2] = {(static_cast<uint32_t>(threads) + kBlock - 1) / kBlock, 1};
    const uint16_t block[2] = {kBlock, 1};
    dispatch(packet_of(kernel, groups, block, &arguments, sizeof arguments));

    Scratch scratch;
    HSA(extension().dispatch_profile(completion(), add_scratch, &scratch));
    kernloop_softgpu_report_t report{};
    report.struct_size = sizeof report;
    HSA(extension().dispatch_report(completion(), &report));
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
        executable(), gpu(),
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
