// Shared state of the collectors of all runtimes: the profiles of this process and their file.
#pragma once

#include <mutex>
#include <optional>

#include "pgo/collect/unit_store.h"
#include "pgo/collect/units.h"

namespace kernloop::pgo {

class Session {
 public:
  // Units of a module's image, which `what` names; unreadable ones are reported.
  static std::vector<Unit> units_of(Bytes code_object, const std::string& what);

  // Reads all of an instance's units; false if one could not be read, which was reported.
  bool read(Instance instance, const std::vector<Unit>& units, const ReadVariable& read);
  void retire(Instance instance);
  void retire_all(const void* handle);
  bool write();

 private:
  UnitStore* store();
  std::optional<UnitStore> store_;
  bool refused_ = false;
};

}  // namespace kernloop::pgo
