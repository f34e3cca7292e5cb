#include "codeobject/metadata_note.h"

#include "base/malformed.h"

namespace kernloop::codeobject {

msgpack::Value read_metadata_note(const elf::Image& image, const std::string& what) {
  constexpr uint32_t kNoteAmdgpuMetadata = 32;
  const auto notes = image.notes();
  if (!notes) throw Malformed{notes.error().message};
  for (const elf::Note& note : *notes) {
    if (note.type != kNoteAmdgpuMetadata || note.name != "AMDGPU") continue;
    auto metadata = msgpack::parse(note.description, what + ": its metadata note");
    if (!metadata) throw Malformed{metadata.error().message};
    return std::move(*metadata);
  }
  throw Malformed{"it has no AMDGPU metadata (code object version 3 or later is needed)"};
}

}  // namespace kernloop::codeobject
