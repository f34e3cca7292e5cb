// The kernels' metadata of an AMD code object (MessagePack in a note), inside of an otherwise good file.
#include "codeobject/amd_comparison.h"
#include "codeobject/code_object.h"
#include "codeobject/msgpack.h"
#include "elf/image.h"
#include "fuzz/target.h"

#include <elf.h>

#include <cstring>

namespace kernloop::fuzz {
namespace {

constexpr char kOwner[] = "AMDGPU";
constexpr uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA

const Input& good_file() {
  static const Input file = test_data("codeobject/test/data/baseline.hsaco");
  return file;
}

void append(Input& to, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  to.insert(to.end(), bytes, bytes + size);
}

// The note is moved to the end of the file, and so are the note segments and sections.
Input with_metadata(Bytes metadata) {
  Input file = good_file();
  file.resize((file.size() + 7) & ~size_t{7});
  const uint64_t at = file.size();
  const uint32_t header[3] = {sizeof kOwner, static_cast<uint32_t>(metadata.size()), kMetadataNote};
  append(file, header, sizeof header);
  append(file, "AMDGPU\0", 8);
  append(file, metadata.data(), metadata.size());
  file.resize((file.size() + 3) & ~size_t{3});
  const uint64_t size = file.size() - at;
  Elf64_Ehdr elf;
  std::memcpy(&elf, file.data(), sizeof elf);
  for (int i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr segment;
    uint8_t* place = file.data() + elf.e_phoff + i * sizeof segment;
    std::memcpy(&segment, place, sizeof segment);
    if (segment.p_type != PT_NOTE) continue;
    segment.p_offset = at, segment.p_filesz = segment.p_memsz = size;
    std::memcpy(place, &segment, sizeof segment);
  }
  for (int i = 0; i < elf.e_shnum; ++i) {
    Elf64_Shdr section;
    uint8_t* place = file.data() + elf.e_shoff + i * sizeof section;
    std::memcpy(&section, place, sizeof section);
    if (section.sh_type != SHT_NOTE) continue;
    section.sh_offset = at, section.sh_size = size;
    std::memcpy(place, &section, sizeof section);
  }
  return file;
}

std::vector<Input> seeds() {
  std::vector<Input> found;
  for (const Input& file : test_data_with("codeobject/test/data", ".hsaco")) {
    const auto image = elf::Image::parse(file, "seed");
    const auto notes = image->notes();
    for (const elf::Note& note : *notes) {
      if (note.type == kMetadataNote) found.emplace_back(note.description.begin(), note.description.end());
    }
  }
  require(codeobject::parse_code_object(with_metadata(found.at(0)), "seed").ok(), "the file around it is good");
  return found;
}

const Registration kMetadata({"metadata",
                              [](Bytes bytes) {
                                (void)codeobject::msgpack::parse(bytes, "input");
                                const Input file = with_metadata(bytes);
                                (void)codeobject::compare_amd(file, "input");
                                const auto object = codeobject::parse_code_object(file, "input");
                                if (!object) return;
                                for (const codeobject::Kernel& kernel : object->kernels) {
                                  for (const codeobject::KernelArgument& argument : kernel.args) {
                                    require(uint64_t{argument.offset} + argument.size <= kernel.kernarg_bytes,
                                            "arguments lie in the kernarg segment");
                                  }
                                }
                              },
                              seeds});

}  // namespace
}  // namespace kernloop::fuzz
