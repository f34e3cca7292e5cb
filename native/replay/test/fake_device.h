// A device whose kernel is a function of the test: memory at any address, and exact counts of calls.
#pragma once

#include <functional>
#include <map>

#include "replay/core/device/device.h"

namespace kernloop::replay {

class FakeDevice final : public DeviceReplay, public SoftwareExecution, public CodePlacement, public KeptMemory {
 public:
  using KernelFunction = std::function<void(FakeDevice&, const Launch&)>;

  explicit FakeDevice(KernelFunction kernel) : kernel(std::move(kernel)) {}

  KernelFunction kernel;
  bool in_place_access = true;
  bool places_code = true;
  bool is_software = true;
  bool recovers = false;             // after a fault
  bool symbols_have_places = false;  // code has no base, as on CUDA
  bool closes_bytes = false;         // to kernels: the guard is exact
  std::vector<AddressRange> closed, kept_unmapped;
  bool keeps_unmapped = true;
  bool counts = false;  // instead of measuring time
  bool keeps = false;
  std::map<uint64_t, Buffer> kept;
  bool loses_writes_after_launch = false;
  uint64_t free_code_address = 0x500010000000;
  LaunchOutcome outcome;  // outcome of launches
  std::vector<uint64_t> seeds;
  uint64_t seed = 0;
  uint32_t machine_in_use = 0;
  std::vector<Launch> launches;
  std::vector<AddressRange> windows;  // asked for, for memory that was not captured
  int refused_windows = 0;
  std::optional<uint64_t> taken;  // a base that cannot be mapped
  DeviceLimits device_limits;
  std::function<Conditions()> tells_conditions;
  std::string refusal;                     // why no launch is possible
  std::optional<Error> refuses_to_launch;  // once one is tried

  uint64_t granule(archive::RegionClass) const override { return 4096; }
  bool fresh_memory_is_zero() const override { return true; }
  SoftwareExecution* software_execution() override { return is_software ? this : nullptr; }
  CodePlacement* code_placement() override { return places_code ? this : nullptr; }
  KeptMemory* kept_memory() override { return keeps ? this : nullptr; }
  bool measures_time() const override { return !counts; }
  std::optional<Conditions> conditions() override {
    return tells_conditions ? std::optional(tells_conditions()) : std::nullopt;
  }

  Status map(const Mapping& mapping) override {
    const auto [base, size] = mapping.range;
    if (taken == base) return Error{"ADDRESS_TAKEN", "taken", "again"};
    memory_[base] = Buffer(size, 0);
    return Unit{};
  }

  Result<bool> map_apart(const AddressRange& window, const AddressRange& range) override {
    windows.push_back(window);
    if (refused_windows > 0 && refused_windows-- > 0) return false;
    memory_[range.base] = Buffer(range.size, 0);
    return true;
  }

  Result<LoadedCode> load(Bytes code_object, const codeobject::CodeObjectInfo& info,
                          std::optional<uint64_t> address) override {
    const uint64_t base = address ? *address : free_code_address;
    if (!address) free_code_address += 0x100000;
    Buffer& image = memory_[base] = Buffer((info.memory_bytes + 4095) / 4096 * 4096, 0);
    for (const codeobject::Variable& variable : info.variables) {
      const auto initial = codeobject::initial_content(code_object, variable);
      std::copy(initial->begin(), initial->end(), image.begin() + static_cast<ptrdiff_t>(variable.address));
    }
    loaded.push_back(base);
    return LoadedCode{base, symbols_have_places ? std::nullopt : std::optional(base)};
  }
  Result<uint64_t> kernel_address(const LoadedCode& code, const codeobject::Kernel& kernel) override {
    return code.id + kernel.descriptor_address;
  }
  Result<uint64_t> variable_address(const LoadedCode& code, const codeobject::Variable& variable) override {
    return code.id + variable.address;
  }

  Result<bool> close_to_kernels(const AddressRange& range) override {
    if (closes_bytes) closed.push_back(range);
    return closes_bytes;
  }
  Result<bool> keep_unmapped(const AddressRange& range) override {
    kept_unmapped.push_back(range);
    return keeps_unmapped;
  }

  Status unload_code() override {
    for (const uint64_t base : loaded) memory_.erase(base);
    return unloaded = std::exchange(loaded, {}), kept_out.clear(), Unit{};
  }

  Result<bool> keep(const AddressRange& range) override {
    const uint8_t* memory = at(range.base);
    kept[range.base] = Buffer(memory, memory + range.size);
    return true;
  }
  Status restore() override {
    for (const auto& [base, bytes] : kept) std::copy(bytes.begin(), bytes.end(), at(base));
    return Unit{};
  }

  uint8_t* at(uint64_t address) {
    auto above = memory_.upper_bound(address);
    if (above == memory_.begin()) return nullptr;
    --above;
    return address - above->first < above->second.size() ? above->second.data() + (address - above->first) : nullptr;
  }
  float& number(uint64_t address) { return *reinterpret_cast<float*>(at(address)); }

  uint8_t* in_place(uint64_t address) override { return in_place_access ? at(address) : nullptr; }
  Status keep_out(uint64_t base, uint64_t) override { return kept_out.push_back(base), Unit{}; }
  Status write(uint64_t address, Bytes bytes) override {
    uint8_t* memory = at(address);
    if (!memory) return Error{"DEVICE_ERROR", "no memory at " + to_hex_number(address), ""};
    bytes_written += bytes.size();
    if (launches.empty() || !loses_writes_after_launch) std::copy(bytes.begin(), bytes.end(), memory);
    return Unit{};
  }
  Status read(uint64_t address, std::span<uint8_t> into) override {
    const uint8_t* memory = at(address);
    if (!memory) return Error{"DEVICE_ERROR", "no memory at " + to_hex_number(address), ""};
    std::copy_n(memory, into.size(), into.begin());
    return Unit{};
  }

  Status set_wave_instruction_limit(uint64_t limit) override { return wave_instruction_limit = limit, Unit{}; }
  Status set_seed(uint64_t value) override { return seed = value, seeds.push_back(value), Unit{}; }
  Status set_threads(uint32_t) override { return Unit{}; }
  Status set_machine_in_use(uint32_t seed) override { return machine_in_use = seed, Unit{}; }
  Status set_unwritten_fill(uint64_t pattern) override { return unwritten_fill = pattern, Unit{}; }

  Status set_adverse(uint64_t, bool) override { return unsupported_option("--adverse"); }
  Status record_accesses() override { return Unit{}; }
  Status profile() override { return unsupported_option("--profile"); }
  Status set_probes(const std::string&) override { return unsupported_option("--probes"); }
  Status visit_probes(const std::function<Status(const ProbedMapView&)>&) const override { return Unit{}; }

  DeviceLimits limits() const override { return device_limits; }
  Result<std::string> why_refused(const codeobject::Kernel&, const codeobject::Kernel&, const Launch&) override {
    return refusal;
  }
  Result<bool> recover() override { return recovers; }
  Result<LaunchOutcome> launch(const Launch& launch) override {
    if (refuses_to_launch) return *refuses_to_launch;
    launches.push_back(launch);
    kernel(*this, launch);
    return outcome;
  }

  uint64_t wave_instruction_limit = 0;
  std::optional<uint64_t> unwritten_fill;
  uint64_t bytes_written = 0;
  std::vector<uint64_t> loaded, unloaded, kept_out;

 private:
  std::map<uint64_t, Buffer> memory_;
};

}  // namespace kernloop::replay
