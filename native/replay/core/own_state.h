// What a variant may keep from launch to launch: the writable bytes of its image that nothing captured lies in, named
// by a symbol or not. The app's next launch finds there what the one before left. So launches that are judged or
// measured begin with these bytes as loaded, and what a launch leaves in them is judged as well.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "replay/core/device.h"
#include "replay/core/layout.h"

namespace kernloop::replay {

struct OwnState {
  struct Piece {
    AddressRange range;
    Buffer loaded;  // relocations included
    // ROCm's device library keeps the heap of new and malloc there. It goes on from launch to launch, new each time;
    // what it leads to is memory of the HIP runtime, which is neither put back nor seen.
    bool is_device_heap = false;
  };
  std::vector<Piece> pieces;
  std::vector<std::string> names;         // variables in these
  std::vector<std::string> out_of_reach;  // what the runtime gives no address of: it is not put back, and not seen

  // Which of two contents are the same: without what the device's heap knows.
  std::vector<Digest> digests_of(const std::vector<Buffer>& contents) const;
  bool is_empty() const { return pieces.empty() && out_of_reach.empty(); }
};

// Of the variant `info`, just loaded as `code`. `taken`: where captured variables and those of a lens lie.
Result<OwnState> find_own_state(const codeobject::CodeObjectInfo& info, const codeobject::CodeObjectInfo& captured,
                                const LoadedCode& code, std::vector<AddressRange> taken, DeviceReplay& device);

// `is_kept`: the device has put it back already.
Status restore_own_state(const OwnState& state, const std::function<bool(const AddressRange&)>& is_kept,
                         DeviceReplay& device);

// Piece by piece.
Result<std::vector<Buffer>> read_own_state(const OwnState& state, DeviceReplay& device);
Status write_own_state(const OwnState& state, const std::vector<Buffer>& contents, DeviceReplay& device);
uint64_t changed_bytes(const OwnState& state, const std::vector<Buffer>& contents);

// What is told of it with a result; null where nothing is to be told. `launches`: that were made in a row.
Json state_facts(const OwnState& state, uint64_t changed_bytes, uint64_t launches);

}  // namespace kernloop::replay
