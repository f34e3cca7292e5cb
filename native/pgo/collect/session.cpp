#include "pgo/collect/session.h"

#include <cstdlib>

#include "pgo/collect/log.h"

namespace kernloop::pgo {

std::vector<Unit> Session::units_of(Bytes code_object, const std::string& what) {
  auto units = find_units(code_object, what);
  if (!units) return warn(units.error()), std::vector<Unit>{};
  for (const Unit& unit : *units) note(what + ": unit " + unit.cuid + (unit.stock ? " of stock instrumentation" : ""));
  return std::move(*units);
}

bool Session::read(Instance instance, const std::vector<Unit>& units, const ReadVariable& read) {
  bool all = true;
  for (const Unit& unit : units) {
    const auto profile = read_unit(unit, read);
    if (!profile) {
      warn("the counters of unit " + unit.cuid + " cannot be read from the device");
      all = false;
    } else if (!*profile) {
      warn(profile->error());
      all = false;
    } else if (UnitStore* to = store()) {
      to->set_live(instance, **profile);
    }
  }
  return all;
}

void Session::retire(Instance instance) {
  if (store_) store_->retire(instance);
}

void Session::retire_all(const void* handle) {
  if (store_) store_->retire_all(handle);
}

bool Session::write() {
  if (refused_) return false;
  return !store_ || store_->write();
}

// Opened at the first profile: by then the app has set its environment, and the process is the one that counts.
UnitStore* Session::store() {
  if (refused_) return nullptr;
  if (!store_) {
    const char* given = std::getenv("LLVM_PROFILE_FILE");
    auto pattern = parse_file_pattern(given && *given ? given : "default.profraw", values_of_process());
    if (!pattern) {
      warn(pattern.error());
      refused_ = true;
      return nullptr;
    }
    if (pattern->continuous)
      warn("%c: counters in the memory of a device cannot be mapped; they are written at the end");
    store_.emplace(std::move(*pattern));
  }
  return &*store_;
}

}  // namespace kernloop::pgo
