// NT_AMDGPU_METADATA, the note with the launch metadata of AMD's code objects (version 3 and later).
#pragma once

#include <string>

#include "codeobject/msgpack.h"
#include "elf/image.h"

namespace kernloop::codeobject {

// Throws Malformed if the code object has none, or one that cannot be read.
msgpack::Value read_metadata_note(const elf::Image& image, const std::string& what);

}  // namespace kernloop::codeobject
