#include "pgo/collect/unit_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "pgo/collect/log.h"
#include "pgo/format/files.h"

namespace kernloop::pgo {

namespace fs = std::filesystem;

namespace {

UnitProfile without_counts(UnitProfile unit) {
  const UnitProfile all = unit;
  subtract(unit, all);
  unit.saturated = 0;
  return unit;
}

bool any_less(const UnitProfile& now, const UnitProfile& before) {
  for (size_t i = 0; i < now.counters.size(); ++i) {
    if (now.counters[i] < before.counters[i]) return true;
  }
  return false;
}

// Others wait here, so that runs that end together are all added.
class PoolLock {
 public:
  explicit PoolLock(const fs::path& path)
      : fd_(::open((path.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~PoolLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace

UnitStore::Entry& UnitStore::entry_of(const UnitProfile& unit) {
  unsigned others = 0;
  for (Entry& entry : entries_) {
    UnitProfile same = entry.gone;
    if (entry.gone.waves.cuid != unit.waves.cuid) continue;
    if (add(same, unit)) return entry;
    ++others;
  }
  Entry entry;
  entry.gone = entry.written = without_counts(unit);
  entry.cuid = unit.waves.cuid + (others ? "-" + std::to_string(others + 1) : "");
  entries_.push_back(std::move(entry));
  return entries_.back();
}

void UnitStore::set_live(Instance instance, const UnitProfile& unit) {
  Entry& entry = entry_of(unit);
  const auto before = entry.live.find(instance);
  if (before != entry.live.end() && any_less(unit, before->second)) retire(instance);
  entry.live[instance] = unit;
  entry.changed = true;
}

void UnitStore::retire(Instance instance) {
  for (Entry& entry : entries_) {
    const auto found = entry.live.find(instance);
    if (found == entry.live.end()) continue;
    add(entry.gone, found->second);
    entry.live.erase(found);
  }
}

void UnitStore::retire_all(const void* handle) {
  std::set<Instance> instances;
  for (const Entry& entry : entries_) {
    for (const auto& [instance, unit] : entry.live) {
      if (instance.first == handle) instances.insert(instance);
    }
  }
  for (const Instance& instance : instances) retire(instance);
}

bool UnitStore::write() {
  bool all = true;
  for (Entry& entry : entries_) {
    if (!entry.changed) continue;
    entry.changed = !write(entry);
    all &= !entry.changed;
  }
  return all;
}

bool UnitStore::write(Entry& entry) {
  UnitProfile total = entry.gone;
  for (const auto& [instance, unit] : entry.live) add(total, unit);
  if (total.saturated)
    warn("counters of unit " + entry.cuid + " do not fit into 64 bits, and stay at the largest number");
  UnitProfile named = total;
  named.waves.cuid = entry.cuid;
  const fs::path base = pattern_.path_for(signature_of(total), static_cast<uint64_t>(::getpid()));
  const fs::path path = unit_path(base, named);
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  if (pattern_.pool) return write_to_pool(entry, total, path);
  const auto written = write_unit(path, total);
  if (!written) return warn(written.error()), false;
  note("wrote " + path.string() + " (" + std::to_string(total.counters.size()) + " counters)");
  return true;
}

bool UnitStore::write_to_pool(Entry& entry, const UnitProfile& total, const std::string& path) {
  const PoolLock lock(path);
  if (!lock) return warn("cannot lock " + path + ".lock: the run is not added to it"), false;
  UnitProfile sum = total;
  subtract(sum, entry.written);
  if (fs::exists(path)) {
    const auto beside = [&](const char* extension) {
      auto bytes = read_file(fs::path(path).replace_extension(extension));
      return bytes ? std::move(*bytes) : Buffer{};
    };
    const auto raw = read_file(path);
    if (!raw || !add_written(sum, *raw, beside(".unifcnts"), beside(".wavecnts"))) {
      warn(Error{"PGO_POOL_FOREIGN", path + " is not a profile of this unit, and is left as it is",
                 "remove it and the files beside it, or give LLVM_PROFILE_FILE another name"});
      return false;
    }
  }
  const auto written = write_unit(path, sum);
  if (!written) return warn(written.error()), false;
  entry.written = total;
  note("added to " + path);
  return true;
}

}  // namespace kernloop::pgo
