// Profiles that a process has collected, one sum per translation unit, and their files. A unit's file is whole after
// every write: it holds the counts of unloaded modules, and those of live ones when they were last read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pgo/collect/file_pattern.h"
#include "pgo/format/device_image.h"

namespace kernloop::pgo {

// Owner of a unit's counters: a module, or a program's own code on one of several devices.
using Instance = std::pair<const void*, int>;

class UnitStore {
 public:
  explicit UnitStore(FilePattern pattern) : pattern_(std::move(pattern)) {}

  // Replaces an instance's earlier counts by those until now. If the earlier ones are higher, the device was reset in
  // between, and counting began again: then the new counts are added.
  void set_live(Instance instance, const UnitProfile& unit);
  // Keeps the counts of an instance that is gone. Its successor at the same address begins from 0.
  void retire(Instance instance);
  void retire_all(const void* handle);

  // False if a file could not be written, which was reported.
  bool write();

 private:
  struct Entry {
    UnitProfile gone;  // same shape as everything else of the entry
    std::map<Instance, UnitProfile> live;
    UnitProfile written;  // with %m: the part that is already in the file
    bool changed = true;  // since it was written
    std::string cuid;     // in the file's name: with a number if others have the same
  };
  Entry& entry_of(const UnitProfile& unit);
  bool write(Entry& entry);
  bool write_to_pool(Entry& entry, const UnitProfile& total, const std::string& path);

  FilePattern pattern_;
  std::vector<Entry> entries_;
};

}  // namespace kernloop::pgo
