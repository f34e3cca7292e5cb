#include "replay/core/memory/snapshot.h"

#include <algorithm>
#include <utility>

#include "archive/manifest/dropped.h"
#include "replay/core/memory/stale_pointers.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

// Kept parts of the targets, as regions of their own.
std::vector<archive::Region> kept_of(const std::vector<Target>& targets, const std::vector<archive::Region>& regions) {
  std::vector<archive::Region> kept;
  for (size_t i = 0; i < regions.size(); ++i) {
    for (const AddressRange& range : targets[i].kept({0, regions[i].size})) {
      archive::Region& part = kept.emplace_back();
      part.base = regions[i].base + range.base;
      part.size = range.size;
      part.memory_class = regions[i].memory_class;
      part.fine_grained = regions[i].fine_grained;
      part.api = regions[i].api;
    }
  }
  return kept;
}

bool is_searched_for(const Program& program) {
  return !program.stale_ranges.empty() || !program.moved_functions.empty();
}

void search_for_function(Program& program, const Target& target, uint64_t address, Bytes content, bool is_post) {
  if (program.code_address) return;
  if (const auto found = first_pointer_into(program.moved_functions, address, content)) {
    const char* kind = target.is_variable ? "module variable " : "region ";
    program.code_address = {kind + target.name, address - target.address + found->offset, found->value, is_post};
  }
}

void search(Program& program, const Target& target, uint64_t address, Bytes pre) {
  program.stale_in_memory += count_pointers_into(program.stale_ranges, address, pre);
  search_for_function(program, target, address, pre, false);
}

}  // namespace

Status Snapshot::map(const std::optional<std::filesystem::path>& dropped) {
  const archive::Manifest& manifest = cache_.reader().manifest();
  std::optional<std::vector<std::vector<archive::DroppedBytes>>> also;
  if (dropped) {
    auto read = archive::read_dropped(*dropped, manifest);
    if (!read) return read.error();
    also = std::move(*read);
  }
  for (size_t i = 0; i < manifest.regions.size(); ++i) {
    const archive::Region& region = manifest.regions[i];
    Target& target =
        regions_.emplace_back(Target{false, region.id, region.base, region.size, pre_of(region), post_of(region)});
    for (const archive::DroppedBytes& range : also ? (*also)[i] : archive::dropped_of(region))
      target.dropped.push_back({range.offset, range.bytes});
  }
  auto layout = lay_out(kept_of(regions_, manifest.regions), [this](const archive::Region& region) {
    const archive::RegionClass home = device_.home_of(region);
    return Home{home, device_.granule(home), home == archive::RegionClass::kHost ? region.fine_grained : std::nullopt};
  });
  if (!layout) return layout.error();
  layout_ = std::move(*layout);
  if (auto prepared = device_.prepare(layout_.mappings); !prepared) return prepared;
  for (const Mapping& mapping : layout_.mappings) {
    if (auto mapped = device_.map(mapping); !mapped) return mapped;
  }
  return keep_closed();
}

// Closed in pieces that a device reserves as a whole: if a device gave away part of a piece, memory could be mapped
// there again.
Status Snapshot::keep_closed() {
  constexpr uint64_t kPieceBytes = 32u << 20;
  std::vector<AddressRange> mapped, dropped;
  for (const Mapping& mapping : layout_.mappings) mapped.push_back(mapping.range);
  const std::vector<archive::Region>& regions = cache_.reader().manifest().regions;
  for (size_t i = 0; i < regions.size(); ++i) {
    const Target& region = regions_[i];
    const uint64_t granule = device_.granule(device_.home_of(regions[i]));
    for (const AddressRange& range : region.dropped) {
      const uint64_t begin = (region.address + range.base) / granule * granule;
      const uint64_t end = (region.address + range.end() + granule - 1) / granule * granule;
      dropped.push_back({begin, end - begin});
    }
  }
  closed_ = without(merge_ranges(std::move(dropped)), merge_ranges(std::move(mapped)));
  for (const AddressRange& range : closed_) {
    for (uint64_t at = range.base; at < range.end();) {
      const uint64_t end = std::min(range.end(), (at / kPieceBytes + 1) * kPieceBytes);
      auto kept = device_.keep_unmapped({at, end - at});
      if (!kept) return kept.error();
      if (!*kept) {
        return Error{"ADDRESS_TAKEN",
                     "what the capture was shrunk by cannot be kept free of other memory: something lies at " +
                         to_hex_number(at),
                     "run it again, or capture without --shrink"};
      }
      at = end;
    }
  }
  return Unit{};
}

uint64_t Snapshot::dropped_bytes() const {
  uint64_t bytes = 0;
  for (const Target& region : regions_) bytes += region.dropped_bytes();
  return bytes;
}

Status Snapshot::restore(Program& program, EventSink& sink) {
  const bool first = !restored_once_;
  KeptMemory* const memory = device_.kept_memory();
  if (!first && memory != nullptr) {
    if (auto restored = memory->restore(); !restored) return restored;
  }
  std::vector<Program*> uncounted;
  for (Program* attended : attended_) {
    if (!std::exchange(attended->is_counted, true) && is_searched_for(*attended)) uncounted.push_back(attended);
  }
  if (auto restored = restore_targets(regions_, first, uncounted); !restored) return restored;
  // Code objects come with their variables initialised: only regions start as fresh memory.
  const bool counts = !program.is_restored && is_searched_for(program);
  if (auto restored =
          restore_targets(program.variables, false, counts ? std::vector{&program} : std::vector<Program*>());
      !restored)
    return restored;
  for (const KeptVariable& variable : program.kept) {
    if (auto written = device_.write(variable.address, variable.content); !written) return written;
  }
  const auto kept = [this](const AddressRange& range) { return is_kept(range); };
  if (auto restored = restore_own_state(program.own_state, kept, device_); !restored) return restored;
  if (program.lens) {
    if (auto restored = restore_lens(*program.lens, !program.is_restored, kept, device_); !restored) return restored;
  }
  for (const AddressRange& padding : layout_.padding) {
    if (!fills_padding_ || (!is_repoisoned_ && is_kept(padding))) continue;
    if (auto poisoned = device_.fill(padding.base, padding.size, poison_); !poisoned) return poisoned;
  }
  if (program.is_restored) return Unit{};
  if (auto checked = check_code_addresses(program); !checked) return checked;
  // The archive is read once: further launches use the device's copies.
  std::vector<AddressRange> ranges;
  if (first) {
    for (const Mapping& mapping : layout_.mappings) ranges.push_back(mapping.range);
  }
  for (const Target& variable : program.variables) ranges.push_back({variable.address, variable.size});
  for (const OwnState::Piece& piece : program.own_state.pieces) ranges.push_back(piece.range);
  if (program.lens) {
    for (const Target& part : program.lens->targets()) ranges.push_back({part.address, part.size});
  }
  restored_once_ = program.is_restored = true;
  if (repeats_) {
    if (auto kept = keep(ranges); !kept) return kept;
  }
  report(program, sink);
  return Unit{};
}

Status Snapshot::restore_written(Program& program, EventSink& sink) {
  KeptMemory* const memory = device_.kept_memory();
  if (memory != nullptr && !program.launch.is_compared && program.kept.empty()) {
    auto restored = memory->restore_written();
    if (!restored) return restored.error();
    if (*restored) return Unit{};
  }
  return restore(program, sink);
}

void Snapshot::attend(Program& program) {
  attended_.push_back(&program);
  if (!program.lens) return;
  for (const AddressRange& range : program.lens->padding()) layout_.padding.push_back(range);
  std::sort(layout_.padding.begin(), layout_.padding.end(), [](auto& a, auto& b) { return a.base < b.base; });
}

void Snapshot::forget_programs() {
  attended_.clear();
  std::erase_if(kept_, [&](const AddressRange& kept) {
    return std::none_of(layout_.mappings.begin(), layout_.mappings.end(), [&](const Mapping& mapping) {
      return kept.base >= mapping.range.base && kept.end() <= mapping.range.end();
    });
  });
}

// Counts the pointers that are stale to the programs of `counting` on the way.
Status Snapshot::restore_targets(const std::vector<Target>& targets, bool fresh,
                                 const std::vector<Program*>& counting) {
  for (const Target& target : targets) {
    RestoreVisitor count;
    if (!counting.empty()) {
      count = [&](uint64_t address, Bytes pre) {
        for (Program* program : counting) search(*program, target, address, pre);
      };
    }
    const std::vector<AddressRange> kept = target.kept({0, target.size});
    const bool is_all_kept = std::all_of(kept.begin(), kept.end(), [&](const AddressRange& range) {
      return is_kept({target.address + range.base, range.size});
    });
    if (is_all_kept) continue;
    if (auto restored = restore_target(device_, cache_, target, fresh, count); !restored) return restored;
  }
  return Unit{};
}

Status Snapshot::keep(const std::vector<AddressRange>& ranges) {
  KeptMemory* const memory = device_.kept_memory();
  if (memory == nullptr) return Unit{};
  for (const AddressRange& range : ranges) {
    auto kept = memory->keep(range);
    if (!kept) return kept.error();
    if (*kept) kept_.push_back(range);
  }
  return Unit{};
}

bool Snapshot::is_kept(const AddressRange& range) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [&](const AddressRange& kept) { return range.base >= kept.base && range.end() <= kept.end(); });
}

// If there is none in *pre*, the dispatch has written it.
Status Snapshot::find_written_address(Program& program) const {
  const uint64_t chunk_bytes = cache_.reader().manifest().chunk_bytes;
  for (const std::vector<Target>* targets : {&regions_, &std::as_const(program.variables)}) {
    for (const Target& target : *targets) {
      const auto &pre = target.pre.content->chunks, &post = target.post.content->chunks;
      for (size_t i = 0; i < post.size() && !program.code_address; ++i) {
        if (pre[i] == post[i]) continue;
        const auto content = cache_.chunk(target.post, i);
        if (!content) return content.error();
        search_for_function(program, target, target.address + i * chunk_bytes, *content, true);
      }
    }
  }
  return Unit{};
}

Status Snapshot::check_code_addresses(Program& program) const {
  if (!program.code_address) {
    if (const auto found = first_pointer_into(program.moved_functions, 0, program.launch.kernarg))
      program.code_address = {"the memory of the arguments", found->offset, found->value};
  }
  if (!program.code_address && program.launch.is_compared && !program.moved_functions.empty()) {
    if (auto searched = find_written_address(program); !searched) return searched;
  }
  if (!program.code_address) return Unit{};
  const auto& [where, offset, value, is_written] = *program.code_address;
  std::string symbol = "captured code";
  for (const LoadedCodeObject& object : program.code_objects) {
    const uint64_t place = value - object.captured->load_base;
    if (value < object.captured->load_base || place >= object.captured_info.memory_bytes) continue;
    auto code = cache_.reader().read_code_object(*object.captured);
    if (!code) return code.error();
    if (const std::string name = codeobject::symbol_at(*code, place); !name.empty()) symbol = name;
  }
  const char* consequence = is_written ? ": a replay would store another one"
                                       : ": a kernel that calls through it would fault, or execute other code";
  return Error{"CODE_ADDRESS_IN_MEMORY",
               where + (is_written ? " after the dispatch" : "") + " holds the address of " + symbol + " at offset " +
                   to_hex_number(offset) + ", which this device has loaded at another address" + consequence,
               "replay on the software GPU, which loads code where the app had it (--device softgpu)"};
}

void Snapshot::report(const Program& program, EventSink& sink) const {
  uint64_t bytes = 0;
  for (const Target& target : regions_) bytes += target.size;
  for (const Target& target : program.variables) bytes += target.size;
  const uint64_t dropped = dropped_bytes();
  uint64_t host_bytes = 0;
  for (const archive::Region& region : cache_.reader().manifest().regions) {
    if (device_.is_host(region.base)) host_bytes += region.size;
  }
  Json event = {{"event", ReplayEvent::restored},
                {"regions", regions_.size()},
                {"variables", program.variables.size()},
                {"bytes", bytes - dropped},
                {"relocated_kernargs", program.relocated_kernargs}};
  if (dropped > 0) event["dropped_bytes"] = dropped;
  if (host_bytes > 0) event["host_bytes"] = host_bytes;
  sink.emit(event);
  const uint64_t in_kernargs = count_pointers_into(program.stale_ranges, 0, program.launch.kernarg);
  if (program.stale_in_memory + in_kernargs > 0) {
    sink.emit(
        {{"event", ReplayEvent::stale_code_pointers}, {"kernargs", in_kernargs}, {"memory", program.stale_in_memory}});
  }
}

}  // namespace kernloop::replay
