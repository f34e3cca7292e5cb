#include "pgo/collect/hip/collector.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "pgo/collect/hip/hip_api.h"
#include "pgo/collect/log.h"
#include "pgo/format/files.h"

namespace kernloop::pgo::hip {

namespace {

// Argument that the compiler generates for __hipRegisterFatBinary.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const void* binary;
  const void* unused;
};
constexpr uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

std::string in_hex(const void* address) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

std::optional<Buffer> copy_from(void* address, size_t size) {
  Buffer bytes(size);
  if (size > 0 && next_hipMemcpy()(bytes.data(), address, size, kDeviceToHost) != 0) return std::nullopt;
  return bytes;
}

// "gfx90a". hipDeviceProp_t grew between releases: the name is searched for in the bytes that the runtime filled.
std::string processor_of_device(int device) {
  using Properties = Error (*)(void*, int);
  auto get = reinterpret_cast<Properties>(next_function("hipGetDevicePropertiesR0600"));
  if (!get) get = reinterpret_cast<Properties>(next_function("hipGetDeviceProperties"));
  Buffer properties(16384);
  if (!get || get(properties.data(), device) != 0) return "";
  return processor_in({reinterpret_cast<const char*>(properties.data()), properties.size()});
}

}  // namespace

Collector& Collector::instance() {
  // Never destroyed: the app's last modules go when everything static is gone already.
  static Collector* const one = new Collector;
  return *one;
}

void Collector::used() {
  if (used_in_ != 0) return;
  const std::lock_guard lock(mutex_);
  if (used_in_ == 0) used_in_ = ::getpid();
}

// A forked process has its parent's handles, but no device behind them, if the parent had begun.
bool Collector::usable() const {
  const int self = ::getpid();
  return used_in_ ? used_in_ == self : registered_in_ == self;
}

void Collector::device_chosen(int device) {
  const std::lock_guard lock(mutex_);
  devices_.insert(device);
}

void Collector::at_exit_once() {
  if (registered_in_ == 0) registered_in_ = ::getpid();
  if (registered_at_exit_) return;
  registered_at_exit_ = true;
  // HIP is initialised first, so that its own end comes after this.
  std::atexit([] { Collector::instance().finish(); });
}

void Collector::fat_binary_registered(void** handle, const void* data) {
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  if (!handle || !wrapper || wrapper->magic != kWrapperMagic || !wrapper->binary) return;
  const auto pieces = code_objects_at(wrapper->binary, "device code of the program");
  if (!pieces) return warn(pieces.error());
  FatBinary binary;
  std::map<std::string, uint64_t> variables;
  for (const ImagePiece& piece : *pieces) {
    auto units = Session::units_of(piece.code_object, "device code of the program for " + piece.processor);
    for (const Unit& unit : units) {
      for (const Variable& variable : unit.variables) {
        uint64_t& size = variables[variable.name];
        size = std::max(size, variable.size);
      }
    }
    if (!units.empty()) binary.pieces.push_back({piece.processor, std::move(units)});
  }
  if (binary.pieces.empty()) return;
  for (const auto& [name, size] : variables) {
    // HIP keeps the names; a shadow only needs a unique address.
    void* shadow = std::calloc(1, size ? size : 1);
    char* kept = ::strdup(name.c_str());
    next___hipRegisterVar()(handle, shadow, kept, kept, 0, size, 0, 0);
    binary.shadows[name] = shadow;
  }
  const std::lock_guard lock(mutex_);
  at_exit_once();
  binaries_[handle] = std::move(binary);
}

bool Collector::read(void** handle, const FatBinary& binary) {
  int current = 0;
  if (next_hipGetDevice()(&current) != 0) {
    warn("HIP does not start: the counters of the program's device code are lost");
    return false;
  }
  auto devices = devices_;
  devices.insert(current);
  bool all = true;
  for (const int device : devices) {
    if (next_hipSetDevice()(device) != 0 || next_hipDeviceSynchronize()() != 0) {
      warn("device " + std::to_string(device) + " does not answer any more: its counters are lost");
      all = false;
      continue;
    }
    const std::string processor = processor_of_device(device);
    bool found = false;
    for (const Piece& piece : binary.pieces) {
      // HIP ends a process that asks for a variable of code for another device.
      if (!piece.processor.empty() && piece.processor != processor) continue;
      found = true;
      all &= session_.read({handle, device}, piece.units, [&](const Variable& variable) -> std::optional<Buffer> {
        void* address = nullptr;
        size_t size = 0;
        const void* shadow = binary.shadows.at(variable.name);
        if (next_hipGetSymbolAddress()(&address, shadow) != 0 || next_hipGetSymbolSize()(&size, shadow) != 0)
          return std::nullopt;
        return copy_from(address, size);
      });
    }
    if (!found) {
      warn("device " + std::to_string(device) + " (" + processor +
           ") is none of those that the program's instrumented code is for: nothing was read from it");
    }
  }
  next_hipSetDevice()(current);
  return all;
}

void Collector::fat_binary_unregistered(void** handle) {
  const std::lock_guard lock(mutex_);
  const auto found = binaries_.find(handle);
  if (found == binaries_.end()) return;
  if (usable()) {
    read(handle, found->second);
    session_.write();
  }
  session_.retire_all(handle);
  binaries_.erase(found);
}

void Collector::add_module(void* module, std::vector<Unit> units) {
  if (units.empty()) return note("module " + in_hex(module) + " is not instrumented");
  const std::lock_guard lock(mutex_);
  at_exit_once();
  modules_[module] = {std::move(units)};
}

void Collector::module_loaded(void* module, const void* image) {
  used();
  if (!module || !image) return;
  const std::string what = "module " + in_hex(module);
  const auto pieces = code_objects_at(image, what);
  if (!pieces) return warn(pieces.error());
  int device = 0;
  const bool one = pieces->size() == 1;
  const std::string processor = one || next_hipGetDevice()(&device) != 0 ? "" : processor_of_device(device);
  std::vector<Unit> units;
  for (const ImagePiece& piece : *pieces) {
    if (!one && piece.processor != processor) continue;
    for (Unit& unit : Session::units_of(piece.code_object, what)) units.push_back(std::move(unit));
  }
  add_module(module, std::move(units));
}

void Collector::module_loaded_from(void* module, const char* file) {
  used();
  // HIP has just read it.
  auto bytes = file ? read_file(file) : Result<Buffer>(Buffer{});
  if (!bytes) return warn(bytes.error());
  bytes->resize(bytes->size() + 64);  // lets a short file's first bytes be read
  module_loaded(module, bytes->data());
}

bool Collector::read(void* module, const Module& loaded) {
  if (next_hipDeviceSynchronize()() != 0) {
    warn("the device does not answer any more: the counters of module " + in_hex(module) + " are lost");
    return false;
  }
  return session_.read({module, 0}, loaded.units, [&](const Variable& variable) -> std::optional<Buffer> {
    void* address = nullptr;
    size_t size = 0;
    if (next_hipModuleGetGlobal()(&address, &size, module, variable.name.c_str()) != 0) return std::nullopt;
    return copy_from(address, size);
  });
}

void Collector::module_unloaded(void* module) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end()) return;
  if (usable()) {
    read(module, found->second);
    session_.retire({module, 0});
    session_.write();
  }
  modules_.erase(found);
}

bool Collector::collect() {
  const std::lock_guard lock(mutex_);
  if (!usable()) return true;
  bool all = true;
  for (const auto& [handle, binary] : binaries_) all &= read(handle, binary);
  for (const auto& [module, loaded] : modules_) all &= read(module, loaded);
  return session_.write() && all;
}

void Collector::finish() {
  if (!usable()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [module, loaded] : modules_) {
      warn("module " + in_hex(module) + " (" + loaded.units[0].cuid +
           ") was never unloaded: its counters are read at the end of the process, and would be lost if it did not get "
           "there");
    }
  }
  collect();
}

}  // namespace kernloop::pgo::hip
