#include "trace/dialect.h"

#include <algorithm>

namespace kernloop::trace {

namespace {

using Failure = std::optional<std::string>;

constexpr std::array<uint32_t, 2> kWarps = {32, 64};
constexpr uint32_t kMostThreadsOfUnit = 1024;  // limit of a block, on every device

// Sums and products of numbers from a file: overflow is detected.
class Number {
 public:
  Number(uint64_t value) : value_(value) {}  // NOLINT: implicit by design
  Number operator+(Number other) const {
    Number sum(0);
    sum.wrapped_ = __builtin_add_overflow(value_, other.value_, &sum.value_) || wrapped_ || other.wrapped_;
    return sum;
  }
  Number operator*(Number other) const {
    Number product(0);
    product.wrapped_ = __builtin_mul_overflow(value_, other.value_, &product.value_) || wrapped_ || other.wrapped_;
    return product;
  }
  bool is(uint64_t other) const { return !wrapped_ && value_ == other; }
  bool wrapped() const { return wrapped_; }
  uint64_t value() const { return value_; }
  std::string text() const { return wrapped_ ? "beyond 2^64" : std::to_string(value_); }

 private:
  uint64_t value_;
  bool wrapped_ = false;
};

uint64_t rounded_up(uint64_t threads, uint64_t warp) {
  return (threads + warp - 1) / warp;
}

std::string field(size_t section, const char* name) {
  return "section[" + std::to_string(section) + "]." + name;
}

// Lays the sections of one dialect out, one after the other.
class Reading {
 public:
  Reading(const Table& table, const std::vector<Map>* maps, Dialect dialect, const Layout& geometry)
      : table_(table), maps_(maps), layout_(geometry), at_(kHeaderBytes + kSectionBytes * table.sections.size()) {
    layout_.dialect = dialect;
  }

  Fit run() {
    for (size_t i = 0; i < table_.sections.size(); ++i) {
      Failure failure = map_fits(i);
      if (!failure) failure = next(i);
      if (failure) return {layout_.dialect, std::nullopt, *failure};
    }
    if (!at_.is(table_.file_bytes)) {
      const std::string last = table_.sections.empty() ? "numProbes" : field(table_.sections.size() - 1, "size");
      return {
          layout_.dialect, std::nullopt,
          last + ": the sections end at byte " + at_.text() + ", the file has " + std::to_string(table_.file_bytes)};
    }
    return {layout_.dialect, std::move(layout_), reason()};
  }

 private:
  const Map* map(size_t i) const { return maps_ ? &(*maps_)[i] : nullptr; }

  // Checked before any section: a map without fields has no records to read.
  Failure map_fits(size_t i) const {
    if (const Map* named = map(i); named && named->record_bytes() == 0)
      return field(i, "size") + ": its map has no fields";
    return std::nullopt;
  }

  Failure next(size_t i) {
    Section section;
    section.recorded_offset = table_.sections[i].offset;
    section.offset = at_.value();
    Failure failure = layout_.dialect == Dialect::kWarpDiv ? warp_div(i, section)
                      : layout_.dialect == Dialect::kUnit  ? unit(i, section)
                                                           : total(i, section);
    if (failure) return failure;
    if (section.unit_bytes && map(i)) failure = unit_is_of_map(i, *section.unit_bytes);
    if (failure) return failure;
    const Number end = at_ + section.bytes;
    if (end.wrapped() || end.value() > table_.file_bytes) {
      return field(i, "size") + ": it ends at byte " + end.text() + ", the file has " +
             std::to_string(table_.file_bytes);
    }
    // Offsets that the writer got wrong: by its own rule, and no other.
    if (!recorded_.is(section.recorded_offset)) {
      return field(i, "offset") + " is " + std::to_string(section.recorded_offset) + ", what comes before ends at " +
             recorded_.text();
    }
    recorded_ = recorded_ + recorded_step_;
    at_ = end;
    layout_.sections.push_back(section);
    return std::nullopt;
  }

  // A unit is a warp: the driver allocates for every started warp, the probe counts whole ones.
  void set_warps(Section& section, uint64_t warp) const {
    section.level = Level::kWarp;
    section.units_written = rounded_up(layout_.threads, warp);
    section.is_ragged = layout_.threads % warp != 0;
    // With one block there is no next block to be overwritten.
    section.units_read = layout_.threads / warp;
    section.units = section.is_ragged && layout_.blocks > 1 ? section.units_read : section.units_written;
  }

  void set_threads(Section& section) const {
    section.level = Level::kThread;
    section.units = section.units_written = section.units_read = layout_.threads;
  }

  Failure set_bytes(size_t i, Section& section, uint64_t unit_bytes) const {
    const Number bytes = Number(layout_.blocks) * section.units_written * unit_bytes;
    if (bytes.wrapped()) return field(i, "size") + " times the units of the grid is beyond 2^64 bytes";
    section.unit_bytes = unit_bytes;
    section.bytes = bytes.value();
    return std::nullopt;
  }

  Failure warp_div(size_t i, Section& section) {
    const uint32_t size = table_.sections[i].low(), warp = table_.sections[i].high();
    if (warp == 0 || warp > kMostThreadsOfUnit) {
      return field(i, "warpDiv") + " is " + std::to_string(warp) + ", no number of threads of a warp";
    }
    if (warp == 1) {
      set_threads(section);
    } else if (std::find(kWarps.begin(), kWarps.end(), warp) != kWarps.end()) {
      set_warps(section, warp);
    } else {
      // Ours: Neutrino's reader divides the threads of a block by it and finds every warp.
      section.level = Level::kWarp;
      section.units = section.units_written = section.units_read = layout_.threads / warp;
      if (section.units != rounded_up(layout_.threads, kWarps[0]) &&
          section.units != rounded_up(layout_.threads, kWarps[1])) {
        return field(i, "warpDiv") + " is " + std::to_string(warp) + ": blocks of " + std::to_string(layout_.threads) +
               " threads have no such warps";
      }
    }
    // One thread is its warp.
    if (layout_.threads == 1 && map(i)) section.level = map(i)->level;
    if (map(i) && map(i)->level != *section.level) {
      return field(i, "warpDiv") + " is " + std::to_string(warp) + ", and map " + map(i)->name + " is of every " +
             (map(i)->level == Level::kWarp ? "warp" : "thread");
    }
    if (Failure failure = set_bytes(i, section, size)) return failure;
    const Number threads = Number(layout_.blocks) * layout_.threads * size;
    if (threads.wrapped()) return field(i, "size") + " times the threads of the grid is beyond 2^64 bytes";
    const bool is_neutrinos =
        section.is_ragged || warp == 1 || std::find(kWarps.begin(), kWarps.end(), warp) != kWarps.end();
    recorded_step_ = is_neutrinos ? threads.value() / warp : section.bytes;
    return std::nullopt;
  }

  Failure unit(size_t i, Section& section) {
    const uint64_t size = table_.sections[i].first;
    if (map(i)) {
      map(i)->level == Level::kWarp ? set_warps(section, kWarps[0]) : set_threads(section);
      if (Failure failure = set_bytes(i, section, size)) return failure;
    } else if (Failure failure = find_level(i, section, size)) {
      return failure;
    }
    recorded_step_ = section.bytes;
    return std::nullopt;
  }

  // The level is not recorded: what follows tells how many units there are.
  Failure find_level(size_t i, Section& section, uint64_t size) const {
    const bool is_last = i + 1 == table_.sections.size();
    const uint64_t end = is_last ? table_.file_bytes : table_.sections[i + 1].offset;
    set_threads(section);
    if (Failure failure = set_bytes(i, section, size)) return failure;
    if ((at_ + section.bytes).is(end)) {
      if (layout_.threads == 1) section.level.reset();
      return std::nullopt;
    }
    set_warps(section, kWarps[0]);
    if (Failure failure = set_bytes(i, section, size)) return failure;
    if ((at_ + section.bytes).is(end)) return std::nullopt;
    return field(i, "size") + " is " + std::to_string(size) +
           " a thread or warp, and neither as many as the grid has end at byte " + std::to_string(end);
  }

  Failure total(size_t i, Section& section) {
    const bool is_hip = layout_.dialect == Dialect::kHipTotal;
    const uint64_t size = is_hip ? table_.sections[i].low() : table_.sections[i].first;
    recorded_step_ = size;
    section.bytes = size;
    if (!map(i)) return std::nullopt;
    if (map(i)->level == Level::kThread) {
      set_threads(section);
      return divide(i, section, is_hip);
    }
    Failure failure;
    const bool both = map(i)->unit_bytes.has_value();
    for (const uint32_t warp : is_hip ? std::array<uint32_t, 2>{64, 32} : kWarps) {
      set_warps(section, warp);
      section.bytes = size;
      failure = divide(i, section, is_hip);
      if (!failure && (!both || !unit_is_of_map(i, *section.unit_bytes))) return std::nullopt;
    }
    return failure ? failure : unit_is_of_map(i, *section.unit_bytes);
  }

  Failure divide(size_t i, Section& section, bool is_hip) const {
    const Number units = Number(layout_.blocks) * section.units_written;
    if (units.wrapped() || units.value() == 0) return field(i, "size") + ": the grid has " + units.text() + " units";
    const std::string bytes = std::to_string(section.bytes);
    if (is_hip && map(i)->unit_bytes) {
      // 32 bits hold only the low part of 4 GiB and more.
      const Number whole = units * *map(i)->unit_bytes;
      if (!whole.wrapped() && static_cast<uint32_t>(whole.value()) == section.bytes) section.bytes = whole.value();
    }
    if (section.bytes % units.value() != 0) {
      return field(i, "size") + " is " + bytes + ", which is no multiple of the " + units.text() + " units of the grid";
    }
    section.unit_bytes = section.bytes / units.value();
    return std::nullopt;
  }

  Failure unit_is_of_map(size_t i, uint64_t bytes) const {
    const Map& named = *map(i);
    if (named.unit_bytes && *named.unit_bytes != bytes) {
      return field(i, "size") + " gives " + std::to_string(bytes) + " bytes a " +
             (named.level == Level::kWarp ? "warp" : "thread") + ", map " + named.name + " has " +
             std::to_string(*named.unit_bytes);
    }
    return std::nullopt;
  }

  std::string reason() const {
    const std::string counted = std::to_string(layout_.sections.size()) + " sections of " +
                                std::to_string(layout_.blocks) + " blocks of " + std::to_string(layout_.threads) +
                                " threads";
    const std::string wrong =
        layout_.has_wrong_offsets() ? ", recorded offsets are wrong in the way that its writer gets them wrong" : "";
    return counted + " end where the file does, at byte " + std::to_string(table_.file_bytes) + wrong;
  }

  const Table& table_;
  const std::vector<Map>* maps_;
  Layout layout_;
  Number at_;              // begin of the next section's data
  Number recorded_ = at_;  // its begin according to the writer
  uint64_t recorded_step_ = 0;
};

// Geometry, common to every dialect.
Failure geometry_of(const Table& table, const std::vector<Map>* maps, Layout& layout) {
  layout.header = table.header;
  Number blocks(1), threads(1);
  static constexpr std::array<const char*, 3> kGrid = {"gridDimX", "gridDimY", "gridDimZ"};
  static constexpr std::array<const char*, 3> kBlock = {"blockDimX", "blockDimY", "blockDimZ"};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (table.header.grid[axis] == 0) return std::string(kGrid[axis]) + " is 0";
    if (table.header.block[axis] == 0) return std::string(kBlock[axis]) + " is 0";
    blocks = blocks * table.header.grid[axis];
    threads = threads * table.header.block[axis];
  }
  if (threads.wrapped() || threads.value() > kMostThreadsOfUnit) {
    return "blockDimX, Y and Z make " + threads.text() + " threads, more than a block has";
  }
  if ((blocks * threads).wrapped()) return std::string("gridDimX, Y and Z make more than 2^64 threads");
  layout.blocks = blocks.value();
  layout.threads = threads.value();
  if (maps && maps->size() != table.sections.size()) {
    return "numProbes is " + std::to_string(table.sections.size()) + ", the probe file has " +
           std::to_string(maps->size()) + " maps";
  }
  return std::nullopt;
}

bool same_section(const Section& a, const Section& b) {
  return a.offset == b.offset && a.bytes == b.bytes && a.unit_bytes == b.unit_bytes && a.units == b.units &&
         a.level == b.level;
}

bool same_records(const Layout& a, const Layout& b) {
  return std::equal(a.sections.begin(), a.sections.end(), b.sections.begin(), b.sections.end(), same_section);
}

}  // namespace

std::vector<Fit> fits_of(const Table& table, const std::vector<Map>* maps) {
  std::vector<Fit> fits;
  Layout geometry;
  const Failure failure = geometry_of(table, maps, geometry);
  for (const Dialect dialect : kDialects) {
    fits.push_back(failure ? Fit{dialect, std::nullopt, *failure} : Reading(table, maps, dialect, geometry).run());
  }
  return fits;
}

Result<Layout> choose(const std::vector<Fit>& fits, std::optional<Dialect> wanted) {
  const Fit* chosen = nullptr;
  std::string reasons, names;
  bool differ = false;
  for (const Fit& fit : fits) {
    if (wanted && fit.dialect != *wanted) continue;
    if (!fit.layout) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(name_of(fit.dialect)) + ": " + fit.reason;
      continue;
    }
    if (chosen) differ = differ || !same_records(*chosen->layout, *fit.layout);
    if (!chosen) chosen = &fit;
    names += (names.empty() ? "" : ", ") + std::string(name_of(fit.dialect));
  }
  if (differ)
    return Error{"TRACE_AMBIGUOUS", "the file fits several dialects that mean different records: " + names,
                 "name one with --dialect"};
  if (chosen) return *chosen->layout;
  return Error{"TRACE_INVALID", "no dialect of trace files fits: " + reasons,
               "the file is cut off or damaged, or the probe.toml is not the one that it was made with"};
}

}  // namespace kernloop::trace
