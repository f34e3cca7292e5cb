// ELF files, code objects of AMD GPUs, cubins, and the bundles that they come in.
#include "codeobject/code_object.h"

#include "codeobject/amd_comparison.h"
#include "codeobject/bundle.h"
#include "codeobject/cubin_comparison.h"
#include "elf/image.h"
#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

using namespace codeobject;

constexpr uint64_t kMaxContent = 1u << 20;
constexpr uint32_t kSymbolTable = 2, kRelocations = 4, kDynamicSymbols = 11;  // SHT_SYMTAB, SHT_RELA, SHT_DYNSYM

bool lies_in(Bytes part, Bytes whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void read_elf(Bytes bytes) {
  const auto image = elf::Image::parse(bytes, "input");
  if (!image) return;
  for (const elf::Section& section : image->sections())
    require(lies_in(section.bytes, bytes), "sections lie in the file");
  for (const elf::Segment& segment : image->segments())
    require(lies_in(segment.bytes, bytes), "segments lie in the file");
  (void)image->symbols(kSymbolTable);
  for (const elf::Section& section : image->sections()) {
    if (section.type == kRelocations) (void)image->relocations(section);
    if (section.type != kDynamicSymbols) continue;
    const auto symbols = image->symbols(section);
    if (!symbols) continue;
    for (const elf::Symbol& symbol : *symbols)
      require(symbol.name.empty() ||
                  lies_in(Bytes(reinterpret_cast<const uint8_t*>(symbol.name.data()), symbol.name.size()), bytes),
              "names lie in the file");
  }
  const auto notes = image->notes();
  if (!notes) return;
  for (const elf::Note& note : *notes) require(lies_in(note.description, bytes), "notes lie in the file");
}

void read_code_object(Bytes bytes) {
  const auto object = parse_code_object(bytes, "input");
  if (!object) {
    require(!object.error().message.empty(), "an error says what is wrong");
    return;
  }
  for (const Kernel& kernel : object->kernels) {
    require(object->find_kernel(kernel.name) != nullptr, "a kernel is found by its name");
    for (const KernelArgument& argument : kernel.args) {
      require(uint64_t{argument.offset} + argument.size <= kernel.kernarg_bytes,
              "arguments lie in the kernarg segment");
    }
  }
  for (const Variable& variable : object->variables) {
    if (variable.size > kMaxContent) continue;
    const auto content = initial_content(bytes, variable);
    require(!content || content->size() == variable.size, "an initial value of the variable's size");
  }
}

void compare_code_object(Bytes bytes) {
  constexpr uint64_t kMaxImageBytes = uint64_t{1} << 40;
  if (const auto facts = compare_amd(bytes, "input")) {
    for (const auto& [name, code] : facts->kernels) {
      require(code.range.begin <= code.range.end && code.range.begin < kMaxImageBytes, "code is in the image");
      require(!code.sha256 || code.range.begin < code.range.end, "a digest is of instructions");
    }
  }
  (void)cubin_functions(bytes, "input");
  if (const auto ptx = cubin_ptx(bytes, "input"); ptx && *ptx)
    require((*ptx)->size() <= 2 * bytes.size(), "PTX is text of the file");
}

void read_and_compare(Bytes bytes) {
  read_code_object(bytes);
  compare_code_object(bytes);
}

std::vector<Input> amd_seeds() {
  auto seeds = test_data_with("codeobject/test/data", ".hsaco");
  seeds.push_back(test_data("recorder/test/data/tiny.hsaco"));
  return seeds;
}

std::vector<Input> cubin_seeds() {
  auto seeds = test_data_with("codeobject/test/data/cubin", ".cubin");
  seeds.push_back(test_data("fakes/cuda/test/data/do_nothing.sm_90.cubin"));
  return seeds;
}

std::vector<Input> bundle_seeds() {
  return {test_data("codeobject/test/data/small.hipfb"),       test_data("codeobject/test/data/small.o"),
          test_data("codeobject/test/data/small.v2.ccob"),     test_data("codeobject/test/data/small.v3.ccob"),
          test_data("codeobject/test/data/cubin/tiny.fatbin"), test_data("codeobject/test/data/cubin/tiny.o")};
}

const Registration kElf({"elf", read_elf, amd_seeds});
const Registration kAmd({"code_object", read_and_compare, amd_seeds});
const Registration kCubin({"cubin", read_and_compare, cubin_seeds});
const Registration kBundle({"bundle",
                            [](Bytes bytes) {
                              const auto listed = list_code_objects(bytes, "input");
                              if (listed) {
                                for (const BundledCodeObject& object : *listed)
                                  require(lies_in(object.bytes, object.decompressed ? *object.decompressed : bytes),
                                          "code objects lie in the file, or in what was decompressed");
                              }
                              (void)select_code_object(bytes, "amdgcn-amd-amdhsa--gfx90a", "saxpy", "input");
                              (void)select_code_object(bytes, "sm_90", "saxpy", "input");
                            },
                            bundle_seeds});

}  // namespace
}  // namespace kernloop::fuzz
