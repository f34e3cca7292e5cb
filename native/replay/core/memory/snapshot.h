// Captured memory on the device: mapped once, put back before every launch.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "replay/core/device/device.h"
#include "replay/core/device/layout.h"
#include "replay/core/launch/program.h"
#include "verdict/content_cache.h"
#include "verdict/events.h"
#include "verdict/target.h"

namespace kernloop::replay {

class Snapshot {
 public:
  // `poison` fills the bytes of granules that belong to no region. `repeats`: there will be more than one launch, so
  // the device may keep copies. Without `fills_padding`, bytes of no region are never written.
  Snapshot(ContentCache& cache, DeviceReplay& device, uint8_t poison, bool repeats, bool fills_padding = true)
      : cache_(cache), device_(device), poison_(poison), repeats_(repeats), fills_padding_(fills_padding) {}

  // Maps all regions at their addresses, without the parts that the capture lacks (archive/manifest/dropped.h) or
  // `dropped` names besides: their whole granules stay unmapped, so that every access there faults, and the rest is
  // padding.
  Status map(const std::optional<std::filesystem::path>& dropped = std::nullopt);

  const std::vector<Target>& regions() const { return regions_; }
  const std::vector<Mapping>& mappings() const { return layout_.mappings; }
  uint8_t poison() const { return poison_; }
  // From the next restore on.
  void set_poison(uint8_t poison) {
    is_repoisoned_ = is_repoisoned_ || poison != poison_;
    poison_ = poison;
  }
  const std::vector<AddressRange>& padding() const { return layout_.padding; }
  // Granules of regions in which nothing was captured and nothing is mapped.
  const std::vector<AddressRange>& closed() const { return closed_; }
  uint64_t dropped_bytes() const;

  // Registers loaded programs: captured pointers that they leave stale are counted while captured memory is restored.
  // Bytes beside their lenses' buffers in the same granules are padding, too.
  void attend(Program& program);
  // Their code goes, and with it the copies of their variables.
  void forget_programs();

  // Everything that a launch of `program` may read, as it was before the dispatch. The first time for a program, emits
  // `restored` and, if there are any, `stale_code_pointers`. CODE_ADDRESS_IN_MEMORY if the captured memory or arguments
  // hold addresses of functions, and the device has put these elsewhere. If memory is compared, this includes *post*.
  Status restore(Program& program, EventSink& sink);
  // The same after a launch that began with everything restored. If memory is not compared afterwards, the caches are
  // disturbed as little as the device can.
  Status restore_written(Program& program, EventSink& sink);

 private:
  Status keep_closed();
  Status restore_targets(const std::vector<Target>& targets, bool fresh, const std::vector<Program*>& counting);
  Status keep(const std::vector<AddressRange>& ranges);
  bool is_kept(const AddressRange& range) const;
  Status check_code_addresses(Program& program) const;
  Status find_written_address(Program& program) const;
  void report(const Program& program, EventSink& sink) const;

  ContentCache& cache_;
  DeviceReplay& device_;
  uint8_t poison_;
  const bool repeats_;
  const bool fills_padding_;
  Layout layout_;
  std::vector<Target> regions_;
  std::vector<AddressRange> closed_;
  std::vector<Program*> attended_;
  bool restored_once_ = false;
  bool is_repoisoned_ = false;  // the device's copies of padding may hold the previous poison
  std::vector<AddressRange> kept_;
};

}  // namespace kernloop::replay
