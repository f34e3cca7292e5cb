// What a process has collected, a sum a translation unit, and its files. A unit's file is whole after every write: it
// holds what modules that are gone had counted, and what live ones had when they were last read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pgo/collect/file_pattern.h"
#include "pgo/format/device_image.h"

namespace kernloop::pgo {

// Where a unit's counters lie: a module, or a program's own code on one of several devices.
using Instance = std::pair<const void*, int>;

class UnitStore {
 public:
  explicit UnitStore(FilePattern pattern) : pattern_(std::move(pattern)) {}

  // What an instance counted until now, in place of what it had before. Where that was more the device was reset
  // between, and counting began again: then it is added.
  void set_live(Instance instance, const UnitProfile& unit);
  // An instance is gone: what it counted stays. Whoever comes at its place begins from 0.
  void retire(Instance instance);
  void retire_all(const void* handle);

  // False where a file could not be written, which was said.
  bool write();

 private:
  struct Entry {
    UnitProfile gone;  // of one shape with everything else of the entry
    std::map<Instance, UnitProfile> live;
    UnitProfile written;  // with %m: what of it is already in the file
    bool changed = true;  // since it was written
    std::string cuid;     // in the file's name: with a number where others have the same
  };
  Entry& entry_of(const UnitProfile& unit);
  bool write(Entry& entry);
  bool write_to_pool(Entry& entry, const UnitProfile& total, const std::string& path);

  FilePattern pattern_;
  std::vector<Entry> entries_;
};

}  // namespace kernloop::pgo
