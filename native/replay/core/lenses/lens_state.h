// A lens on the device: found or allocated when the variant is loaded, and restored to that state before every launch.
#pragma once

#include "archive/manifest/manifest.h"
#include "codeobject/code_object.h"
#include "replay/core/device/device.h"
#include "replay/core/lenses/lens.h"
#include "verdict/compare.h"
#include "verdict/target.h"

namespace kernloop::replay {

struct LensVariable {
  std::string name;
  uint64_t address = 0;
  bool is_writable = false;  // else it is only read back
  Buffer initial;            // content after loading, relocations included
};

struct PlacedBuffer {
  LensBuffer buffer;
  uint64_t address = 0;  // ends with its mapping, except for alignment
  AddressRange mapping;  // whole granules; nothing is mapped beside them
};

struct LensState {
  std::vector<LensVariable> variables;
  std::vector<Margin> margins;  // if code is one image
  std::vector<PlacedBuffer> buffers;
  std::vector<LensParameter> parameters;

  uint64_t bytes() const;
  std::vector<Target> targets() const;        // to be named and read: buffers as regions; without pre and post
  std::vector<AddressRange> padding() const;  // parts of the mappings that belong to no buffer
};

// Places the buffers where nothing was captured and no captured argument points: the kernel's effects on memory of the
// app that is not restored must not reach them. ADDRESS_TAKEN, OUT_OF_MEMORY.
Result<std::vector<PlacedBuffer>> place_buffers(const std::vector<LensBuffer>& buffers,
                                                const archive::Manifest& manifest,
                                                const std::vector<AddressRange>& captured_code, DeviceReplay& device);

// Module variables of `variant` that the lens names; never those of the captured code, which are restored and compared.
// `restored`: addresses of the latter. LENS_INVALID.
Result<std::vector<LensVariable>> find_lens_variables(const std::vector<LensSelector>& selectors,
                                                      const codeobject::CodeObjectInfo& captured,
                                                      const codeobject::CodeObjectInfo& variant, const LoadedCode& code,
                                                      const std::vector<Target>& restored, DeviceReplay& device);

// Bytes beside these variables in the image of the variant, at `base`.
Result<std::vector<Margin>> find_margins(const std::vector<LensVariable>& variables,
                                         const codeobject::CodeObjectInfo& variant, uint64_t base,
                                         DeviceReplay& device);

// The values of the parameters in this launch, in their order.
std::vector<uint64_t> parameter_values(const LensState& lens, uint64_t launch);

// Puts the lens back as after loading. `is_fresh`: there was no launch before. `is_kept`: the device has put the range
// back already.
Status restore_lens(const LensState& lens, bool is_fresh, const std::function<bool(const AddressRange&)>& is_kept,
                    DeviceReplay& device);

// Content of the variables after the previous launch, put back by the second call: in the app, too, a variable keeps
// its value from launch to launch.
Result<std::vector<Buffer>> read_variables(const LensState& lens, DeviceReplay& device);
Status write_variables(const LensState& lens, const std::vector<Buffer>& contents, DeviceReplay& device);

}  // namespace kernloop::replay
