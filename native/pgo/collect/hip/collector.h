// Collects profiles of HIP programs through the standard API alone: from linked code by variables that are registered
// beside its own, from modules by the variables' names, when they are unloaded.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "pgo/collect/session.h"

namespace kernloop::pgo::hip {

class Collector {
 public:
  // The one of this process.
  static Collector& instance();

  // HIP is in use by this process: its forks cannot be asked any more.
  void used();
  void device_chosen(int device);
  void fat_binary_registered(void** handle, const void* wrapper);
  void fat_binary_unregistered(void** handle);
  void module_loaded(void* module, const void* image);
  void module_loaded_from(void* module, const char* file);
  void module_unloaded(void* module);
  // Collects all loaded code. False if something could not be read or written, which was reported.
  bool collect();
  // At the end of the process: modules that were never unloaded are reported by name.
  void finish();

 private:
  struct Piece {
    std::string processor;
    std::vector<Unit> units;
  };
  struct FatBinary {
    std::vector<Piece> pieces;
    std::map<std::string, void*> shadows;  // by name of variable
  };
  struct Module {
    std::vector<Unit> units;
  };
  bool usable() const;
  bool read(void** handle, const FatBinary& binary);
  bool read(void* module, const Module& units);
  void add_module(void* module, std::vector<Unit> units);
  void at_exit_once();

  std::mutex mutex_;
  Session session_;
  std::map<void**, FatBinary> binaries_;
  std::map<void*, Module> modules_;
  std::set<int> devices_;
  std::atomic<int> registered_in_ = 0, used_in_ = 0;  // processes
  bool registered_at_exit_ = false;
};

}  // namespace kernloop::pgo::hip
