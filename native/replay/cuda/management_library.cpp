#include "replay/cuda/management_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kernloop::replay {

namespace {

constexpr int kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2;  // nvmlClockType_t
constexpr int kTemperatureGpu = 0;             // nvmlTemperatureSensors_t

// nvmlClocksEventReasons (until driver 535 nvmlClocksThrottleReasons), without "idle" and "set by the application",
// which are no unintended slowdowns.
struct Reason {
  unsigned long long bit;
  const char* name;
};
constexpr Reason kReasons[] = {
    {0x4, "power cap"},         {0x8, "hardware slowdown"},     {0x10, "sync boost"},      {0x20, "software thermal"},
    {0x40, "hardware thermal"}, {0x80, "hardware power brake"}, {0x100, "display clocks"},
};

}  // namespace

struct ManagementLibrary::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handle)(const char* pci_bus_id, void** device) = nullptr;
  int (*clock)(void* device, int type, unsigned* mhz) = nullptr;
  int (*temperature)(void* device, int sensor, unsigned* celsius) = nullptr;
  int (*reasons)(void* device, unsigned long long* bits) = nullptr;

  static std::unique_ptr<Functions> load() {
    const char* named = std::getenv("KERNLOOP_NVML");
    void* const library = dlopen(named != nullptr ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto found = std::make_unique<Functions>();
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    const bool is_whole = take(found->init, "nvmlInit_v2") && take(found->shutdown, "nvmlShutdown") &&
                          take(found->handle, "nvmlDeviceGetHandleByPciBusId_v2") &&
                          take(found->clock, "nvmlDeviceGetClockInfo") &&
                          take(found->temperature, "nvmlDeviceGetTemperature") &&
                          (take(found->reasons, "nvmlDeviceGetCurrentClocksEventReasons") ||
                           take(found->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"));
    return is_whole ? std::move(found) : nullptr;
  }
};

std::unique_ptr<ManagementLibrary> ManagementLibrary::open(const std::string& pci_bus_id) {
  auto functions = Functions::load();
  if (!functions || functions->init() != kSuccess) return nullptr;
  void* device = nullptr;
  if (functions->handle(pci_bus_id.c_str(), &device) != kSuccess) {
    functions->shutdown();
    return nullptr;
  }
  return std::unique_ptr<ManagementLibrary>(new ManagementLibrary(std::move(functions), device));
}

ManagementLibrary::ManagementLibrary(std::unique_ptr<Functions> functions, void* device)
    : functions_(std::move(functions)), device_(device) {}

ManagementLibrary::~ManagementLibrary() {
  functions_->shutdown();
}

Conditions ManagementLibrary::conditions() const {
  Conditions now;
  const auto ask = [](std::optional<uint32_t>& value, auto&& call) {
    unsigned told = 0;
    if (call(&told) == kSuccess) value = told;
  };
  ask(now.sm_mhz, [&](unsigned* mhz) { return functions_->clock(device_, kClockSm, mhz); });
  ask(now.memory_mhz, [&](unsigned* mhz) { return functions_->clock(device_, kClockMemory, mhz); });
  ask(now.celsius, [&](unsigned* celsius) { return functions_->temperature(device_, kTemperatureGpu, celsius); });
  unsigned long long bits = 0;
  if (functions_->reasons(device_, &bits) == kSuccess) {
    for (const Reason& reason : kReasons)
      if (bits & reason.bit) now.slowed_by.emplace_back(reason.name);
  }
  return now;
}

}  // namespace kernloop::replay
