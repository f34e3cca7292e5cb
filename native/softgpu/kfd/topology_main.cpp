// softgpu_kfd_topology DIR: writes amdkfd's files of each target under /sys. It runs once, when the library is built:
// programs under the driver write no files.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "softgpu/kfd/gpu_model.h"
#include "softgpu/kfd/kernel.h"

namespace kernloop::softgpu::kfd {
namespace {

using Values = std::initializer_list<std::pair<const char*, uint64_t>>;

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string lines(Values values) {
  std::string text;
  for (const auto& [name, value] : values) text += std::string(name) + " " + std::to_string(value) + "\n";
  return text;
}

// HSA_CAPABILITY of libhsakmt's hsakmttypes.h. Linux 6.1 has nothing of debugging; ROCr takes its exceptions by the
// save area only where a later one says that it has.
uint64_t capability(const GpuModel& gpu, const Kernel& kernel) {
  constexpr uint64_t kTrapDebugSupport = 1u << 15, kTrapDebugFirmware = 1u << 29;
  constexpr uint64_t kDoorbellOfAql = 2u << 12, kSvmApi = 1u << 27;
  constexpr uint64_t kMemoryEcc = 1u << 20, kSramEcc = 1u << 26;
  return kDoorbellOfAql | kSvmApi | (gpu.has_ecc ? kMemoryEcc | kSramEcc : 0) |
         (kernel.is_later ? kTrapDebugSupport | kTrapDebugFirmware : 0);
}

// PCI Express, from one node to the other.
std::string link(uint64_t from, uint64_t to) {
  return lines({{"type", 2},
                {"version_major", 0},
                {"version_minor", 0},
                {"node_from", from},
                {"node_to", to},
                {"weight", 20},
                {"min_latency", 0},
                {"max_latency", 0},
                {"min_bandwidth", 312},
                {"max_bandwidth", 16000},
                {"recommended_transfer_size", 0},
                {"flags", 1}});
}

void write_cpu(const std::filesystem::path& node) {
  write(node / "gpu_id", "0\n");
  write(node / "name", "\n");
  write(node / "properties", lines({{"cpu_cores_count", 1},
                                    {"simd_count", 0},
                                    {"mem_banks_count", 1},
                                    {"caches_count", 0},
                                    {"io_links_count", 1},
                                    {"cpu_core_id_base", 0},
                                    {"gfx_target_version", 0},
                                    {"vendor_id", 0},
                                    {"device_id", 0},
                                    {"location_id", 0},
                                    {"domain", 0},
                                    {"drm_render_minor", 0},
                                    {"max_engine_clk_ccompute", 3000}}));
  write(node / "mem_banks/0/properties", lines({{"heap_type", 0},
                                                {"size_in_bytes", uint64_t{8} << 30},
                                                {"flags", 0},
                                                {"width", 64},
                                                {"mem_clk_max", 3200}}));
  write(node / "io_links/0/properties", link(0, 1));
}

void write_gpu(const std::filesystem::path& node, const GpuModel& gpu, const DeviceModel& device,
               const Kernel& kernel) {
  constexpr uint64_t kFirstSimd = 0x80001000;
  write(node / "gpu_id", std::to_string(kGpuId) + "\n");
  write(node / "name", std::string(gpu.name) + "\n");
  write(node / "properties",
        lines({{"cpu_cores_count", 0},
               {"simd_count", uint64_t{gpu.compute_units} * gpu.simds_per_cu},
               {"mem_banks_count", 1},
               {"caches_count", device.caches.size()},
               {"io_links_count", 1},
               {"simd_id_base", kFirstSimd},
               {"max_waves_per_simd", gpu.waves_per_simd},
               {"lds_size_in_kb", 64},
               {"gds_size_in_kb", 0},
               {"num_gws", 64},
               {"wave_front_size", device.wavefront_size},
               {"array_count", gpu.shader_engines},
               {"simd_arrays_per_engine", 1},
               {"cu_per_simd_array", (gpu.compute_units + gpu.shader_engines - 1) / gpu.shader_engines},
               {"simd_per_cu", gpu.simds_per_cu},
               {"max_slots_scratch_cu", 32},
               {"gfx_target_version", gpu.gfx_target_version},
               {"vendor_id", 0x1002},
               {"device_id", device.chip_id},
               {"location_id", 0x300},
               {"domain", 0},
               {"drm_render_minor", kRenderMinor},
               {"hive_id", 0},
               {"num_sdma_engines", 2},
               {"num_sdma_xgmi_engines", 0},
               {"num_sdma_queues_per_engine", 8},
               {"num_cp_queues", 24},
               {"max_engine_clk_fcompute", kEngineClockMhz},
               {"local_mem_size", 0},
               {"fw_version", 78},
               {"capability", capability(gpu, kernel)},
               {"sdma_fw_version", 8},
               {"unique_id", 0x5046470000000001},
               {"num_xcc", gpu.xcc_count},
               {"max_engine_clk_ccompute", 3000}}));
  // Heap 1 is memory that the host reaches whole (a large BAR).
  write(node / "mem_banks/0/properties", lines({{"heap_type", 1},
                                                {"size_in_bytes", kVramBytes},
                                                {"flags", 0},
                                                {"width", kVramBits},
                                                {"mem_clk_max", kMemoryClockMhz}}));
  write(node / "io_links/0/properties", link(1, 0));
  for (size_t each = 0; each < device.caches.size(); each++) {
    write(node / "caches" / std::to_string(each) / "properties", lines({{"processor_id_low", kFirstSimd},
                                                                        {"level", device.caches[each].level},
                                                                        {"size", device.caches[each].bytes / 1024},
                                                                        {"cache_line_size", 128},
                                                                        {"cache_lines_per_tag", 1},
                                                                        {"association", 16},
                                                                        {"latency", 1},
                                                                        {"type", 9}}) +
                                                                     "sibling_map 1,0\n");
  }
}

void write_all(const std::filesystem::path& root) {
  for (const Isa isa : kExecutedIsas) {
    const auto folder = root / gpu_model(isa).name;
    for (const Kernel& kernel : kKernels) {
      const std::filesystem::path topology = folder.string() + kernel.topology;
      write(topology / "generation_id", "2\n");
      write(topology / "system_properties", lines({{"platform_oem", 0}, {"platform_id", 0}, {"platform_rev", 0}}));
      write_cpu(topology / "nodes/0");
      write_gpu(topology / "nodes/1", gpu_model(isa), device_model(isa), kernel);
    }
    // rocminfo asks whether the driver is loaded; libdrm looks the render node's siblings up.
    write(folder / "module/initstate", "live\n");
    std::filesystem::create_directories(folder / "module/holders");
    write(folder / "modules", "amdgpu 9326592 0 - Live 0x0000000000000000\n");
    write(folder / "drm/device/uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:03:00.0\n");
    write(folder / "drm/device/drm/renderD128/dev", "226:128\n");
    write(folder / "drm/device/drm/card0/dev", "226:0\n");
  }
}

}  // namespace
}  // namespace kernloop::softgpu::kfd

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: softgpu_kfd_topology DIR\n");
    return 2;
  }
  try {
    kernloop::softgpu::kfd::write_all(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "softgpu_kfd_topology: %s\n", error.what());
    return 1;
  }
}
