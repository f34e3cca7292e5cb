#include "replay/core/launch/own_state.h"

#include "base/digest.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

// hipcc's identity of a compilation unit: its name differs from build to build, and no kernel uses it.
bool is_identity(const codeobject::Variable& variable) {
  return variable.name.starts_with("__hip_cuid_");
}

const std::string kHeapWords = "the heap of new and malloc on the device";

Status add_piece(const AddressRange& range, OwnState& state, DeviceReplay& device) {
  OwnState::Piece& piece = state.pieces.emplace_back(OwnState::Piece{range, Buffer(range.size)});
  return device.read(range.base, piece.loaded);
}

// Finds each symbol at its own address. Symbols without an address, or whose address the runtime does not report, are
// out of reach.
Status find_by_name(const codeobject::CodeObjectInfo& info, const LoadedCode& code,
                    const std::vector<AddressRange>& taken, OwnState& state, DeviceReplay& device) {
  std::vector<AddressRange> named, nameless;
  for (const codeobject::Variable& variable : info.variables) {
    if (!variable.writable) continue;
    named.push_back({variable.address, variable.size});
    if (is_identity(variable)) continue;
    const auto address = device.variable_address(code, variable);
    if (!address) {
      state.out_of_reach.push_back(variable.is_device_heap ? kHeapWords : variable.name);
      continue;
    }
    for (const AddressRange& range : without({{*address, variable.size}}, taken)) {
      if (auto added = add_piece(range, state, device); !added) return added;
    }
  }
  for (const codeobject::WritableBytes& bytes : info.writable) {
    if (!bytes.is_relocated) nameless.push_back({bytes.address, bytes.size});
  }
  if (const uint64_t bytes = total_bytes(without(nameless, merge_ranges(std::move(named)))); bytes > 0)
    state.out_of_reach.push_back(std::to_string(bytes) + " bytes that no symbol names");
  return Unit{};
}

}  // namespace

Result<OwnState> find_own_state(const codeobject::CodeObjectInfo& info, const codeobject::CodeObjectInfo& captured,
                                const LoadedCode& code, std::vector<AddressRange> taken, DeviceReplay& device) {
  OwnState state;
  taken = merge_ranges(std::move(taken));
  if (code.base) {
    for (const codeobject::Variable& variable : info.variables) {
      const AddressRange range{*code.base + variable.address, variable.size};
      if (!variable.is_device_heap || !intersection({range}, taken).empty()) continue;
      if (auto added = add_piece(range, state, device); !added) return added.error();
      state.pieces.back().is_device_heap = true;
      state.out_of_reach.push_back(kHeapWords);
      taken.push_back(range);
      taken = merge_ranges(std::move(taken));
    }
    std::vector<AddressRange> pages;
    for (const codeobject::WritableBytes& bytes : info.writable)
      pages.push_back({*code.base + bytes.pages_address, bytes.pages_size});
    for (const AddressRange& range : without(merge_ranges(std::move(pages)), taken)) {
      if (auto added = add_piece(range, state, device); !added) return added.error();
    }
  } else if (auto found = find_by_name(info, code, taken, state, device); !found) {
    return found.error();
  }
  for (const codeobject::Variable& variable : info.variables) {
    if (variable.writable && !variable.is_device_heap && !is_identity(variable) &&
        !captured.find_variable(variable.name))
      state.names.push_back(variable.name);
  }
  return state;
}

Status restore_own_state(const OwnState& state, const std::function<bool(const AddressRange&)>& is_kept,
                         DeviceReplay& device) {
  for (const OwnState::Piece& piece : state.pieces) {
    if (is_kept(piece.range)) continue;
    if (auto written = device.write(piece.range.base, piece.loaded); !written) return written;
  }
  return Unit{};
}

Result<std::vector<Buffer>> read_own_state(const OwnState& state, DeviceReplay& device) {
  std::vector<Buffer> contents;
  for (const OwnState::Piece& piece : state.pieces) {
    contents.emplace_back(piece.range.size);
    if (auto read = device.read(piece.range.base, contents.back()); !read) return read.error();
  }
  return contents;
}

Status write_own_state(const OwnState& state, const std::vector<Buffer>& contents, DeviceReplay& device) {
  for (size_t i = 0; i < contents.size(); ++i) {
    if (auto written = device.write(state.pieces[i].range.base, contents[i]); !written) return written;
  }
  return Unit{};
}

uint64_t changed_bytes(const OwnState& state, const std::vector<Buffer>& contents) {
  uint64_t changed = 0;
  for (size_t i = 0; i < contents.size(); ++i) {
    if (state.pieces[i].is_device_heap) continue;
    for (size_t at = 0; at < contents[i].size(); ++at) changed += contents[i][at] != state.pieces[i].loaded[at];
  }
  return changed;
}

std::vector<Digest> OwnState::digests_of(const std::vector<Buffer>& contents) const {
  std::vector<Digest> digests;
  for (size_t i = 0; i < contents.size(); ++i) {
    if (!pieces[i].is_device_heap) digests.push_back(sha256(contents[i]));
  }
  return digests;
}

Json state_facts(const OwnState& state, uint64_t changed_bytes, uint64_t launches) {
  if (changed_bytes == 0 && state.out_of_reach.empty()) return nullptr;
  return {{"changed_bytes", changed_bytes},
          {"variables", state.names},
          {"out_of_reach", state.out_of_reach},
          {"launches", launches}};
}

}  // namespace kernloop::replay
