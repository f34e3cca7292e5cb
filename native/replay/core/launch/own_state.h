// State that a variant may keep from launch to launch: the writable bytes of its image that no captured variable
// covers, named by a symbol or not. The app's next launch finds there what the previous one left. Launches that are
// judged or measured therefore begin with these bytes as loaded, and their content after a launch is judged as well.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "replay/core/device/device.h"
#include "replay/core/device/layout.h"

namespace kernloop::replay {

struct OwnState {
  struct Piece {
    AddressRange range;
    Buffer loaded;  // relocations included
    // ROCm's device library keeps the heap of new and malloc there. It persists from launch to launch and differs each
    // time; the memory that it points to belongs to the HIP runtime, and is neither put back nor seen.
    bool is_device_heap = false;
  };
  std::vector<Piece> pieces;
  std::vector<std::string> names;         // variables in these
  std::vector<std::string> out_of_reach;  // variables without a known address: they are not put back, and not seen

  // Digests that identify a content, without the state of the device's heap.
  std::vector<Digest> digests_of(const std::vector<Buffer>& contents) const;
  bool is_empty() const { return pieces.empty() && out_of_reach.empty(); }
};

// State of the variant `info`, just loaded as `code`. `taken`: ranges of captured variables and of a lens's variables.
Result<OwnState> find_own_state(const codeobject::CodeObjectInfo& info, const codeobject::CodeObjectInfo& captured,
                                const LoadedCode& code, std::vector<AddressRange> taken, DeviceReplay& device);

// `is_kept`: the device has put it back already.
Status restore_own_state(const OwnState& state, const std::function<bool(const AddressRange&)>& is_kept,
                         DeviceReplay& device);

// Piece by piece.
Result<std::vector<Buffer>> read_own_state(const OwnState& state, DeviceReplay& device);
Status write_own_state(const OwnState& state, const std::vector<Buffer>& contents, DeviceReplay& device);
uint64_t changed_bytes(const OwnState& state, const std::vector<Buffer>& contents);

// Facts reported with a result; null if there is nothing to report. `launches`: number of launches made in a row.
Json state_facts(const OwnState& state, uint64_t changed_bytes, uint64_t launches);

}  // namespace kernloop::replay
