#include "codeobject/cubin.h"

#include <elf.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/malformed.h"
#include "codeobject/cubin_attributes.h"
#include "codeobject/cubin_code.h"
#include "codeobject/cubin_target.h"

namespace kernloop::codeobject {

namespace {

using cubin::Attribute;
using cubin::AttributeRecord;

constexpr uint8_t kEntry = 0x10, kManaged = 0x04;  // STO_CUDA_ENTRY, STO_CUDA_MANAGED in st_other
constexpr unsigned kSectionShift = 40;             // in Variable::address
constexpr uint64_t kMaxVariableBytes = uint64_t{1} << kSectionShift;
constexpr uint32_t kReservedSharedBytes = 1024;
constexpr uint32_t kWarpThreads = 32;
constexpr uint32_t kUnknownStack = 0xffffffff;
// For all functions and variables together. Names may share their bytes in a file, but not here.
constexpr uint64_t kMaxNameBytes = 64u << 20;
constexpr uint64_t kMaxCallSteps = 50'000'000;
constexpr std::string_view kVariableSections[] = {".nv.global", ".nv.global.init", ".nv.constant3"};

// By name, in one step: a cubin has several sections a kernel.
class Sections {
 public:
  explicit Sections(const elf::Image& image) {
    std::vector<Bytes> read;
    for (const elf::Section& section : image.sections()) {
      if (!names_.emplace(section.name, &section).second && !section.name.empty()) repeated_.insert(section.name);
      const bool is_read = section.name.starts_with(".nv.info") || section.name.starts_with(".text.");
      if (is_read && !section.bytes.empty()) read.push_back(section.bytes);
    }
    // Sections of the same bytes would make a small file take long.
    std::sort(read.begin(), read.end(), [](Bytes a, Bytes b) { return a.data() < b.data(); });
    for (size_t i = 1; i < read.size(); ++i) {
      if (read[i - 1].data() + read[i - 1].size() > read[i].data()) throw Malformed{"its sections overlap"};
    }
  }

  const elf::Section* find(const std::string& name) const {
    const auto found = names_.find(name);
    if (found == names_.end()) return nullptr;
    if (repeated_.contains(name)) throw Malformed{"it has two sections named " + name};
    return found->second;
  }

 private:
  std::map<std::string_view, const elf::Section*> names_;
  std::set<std::string_view> repeated_;
};

std::array<uint32_t, 3> dimensions_of(const AttributeRecord& record) {
  return {record.word(0), record.word(1), record.word(2)};
}

uint32_t product(const std::array<uint32_t, 3>& dimensions) {
  const uint64_t plane = uint64_t{dimensions[0]} * dimensions[1];
  const uint64_t most = std::numeric_limits<uint32_t>::max();
  return plane > most || plane * dimensions[2] > most ? static_cast<uint32_t>(most)
                                                      : static_cast<uint32_t>(plane * dimensions[2]);
}

class Reader {
 public:
  Reader(const elf::Image& image, CodeObjectInfo& info) : image_(image), info_(info), sections_(image) {}

  void read() {
    // The linker's inputs have no final parameters, stack sizes or addresses.
    if (image_.type() != ET_EXEC)
      throw Malformed{"it is relocatable device code (nvcc -rdc=true), which needs a device link: nvlink, nvcc -dlink"};
    target_ = cubin::read_target(image_);
    info_.target = target_.name();
    auto symbols = image_.symbols(SHT_SYMTAB);
    if (!symbols) throw Malformed{symbols.error().message};
    symbols_ = std::move(*symbols);
    call_graph_ = cubin::read_call_graph(image_);
    reserves_shared_ = std::any_of(symbols_.begin(), symbols_.end(), [](const elf::Symbol& symbol) {
      return symbol.name.starts_with(".nv.reservedSmem");
    });
    read_functions();
    read_common_attributes();
    for (const auto& [number, kernel] : kernels_) finish(number, info_.kernels[kernel]);
    read_variables();
    std::sort(info_.kernels.begin(), info_.kernels.end(), [](auto& a, auto& b) { return a.name < b.name; });
    std::sort(info_.variables.begin(), info_.variables.end(), [](auto& a, auto& b) { return a.name < b.name; });
  }

 private:
  struct Function {
    std::set<std::string> externs;
    std::optional<cubin::ImageUse> images;
  };

  static Malformed bad(const Kernel& kernel, const std::string& why) {
    return Malformed{"kernel " + kernel.name + ": " + why};
  }

  void account(std::string_view name) {
    if (name.size() > name_bytes_left_) throw Malformed{"its names are impossibly long"};
    name_bytes_left_ -= name.size();
  }

  void read_functions() {
    std::set<std::string_view> names;
    for (uint32_t number = 0; number < symbols_.size(); ++number) {
      const elf::Symbol& symbol = symbols_[number];
      if (symbol.type != STT_FUNC || symbol.section == SHN_UNDEF || symbol.section >= image_.sections().size())
        continue;
      const elf::Section& text = image_.sections()[symbol.section];
      // Functions that the compiler placed into a kernel's own section are covered by that kernel.
      if (symbol.name.size() + 6 == text.name.size()) account(symbol.name);
      const bool owns_section = text.name.size() == symbol.name.size() + 6 && text.name.starts_with(".text.") &&
                                text.name.ends_with(symbol.name);
      const bool is_kernel = (symbol.other & kEntry) != 0;
      if (is_kernel && (!owns_section || symbol.name.empty()))
        throw Malformed{"it has a kernel without a section of its own"};
      if (!owns_section) continue;
      const std::string name(symbol.name);
      if (!names.insert(symbol.name).second) throw Malformed{"function " + name + " occurs twice"};
      Function& function = functions_[number];
      function.images = cubin::find_image_instructions(text.bytes, target_.architecture);
      std::vector<AttributeRecord> records;
      const std::string attributes = ".nv.info." + name;
      if (const elf::Section* section = sections_.find(attributes))
        records = cubin::read_attributes(section->bytes, attributes);
      for (const AttributeRecord& record : records) {
        if (record.attribute == Attribute::kExterns) read_externs(record, function);
      }
      if (is_kernel) {
        kernels_[number] = info_.kernels.size();
        info_.kernels.push_back(read_kernel(name, records));
      }
    }
  }

  void read_externs(const AttributeRecord& record, Function& function) {
    for (uint32_t number : record.words) {
      if (number >= symbols_.size()) throw Malformed{"an attribute names a symbol that does not exist"};
      if (symbols_[number].section != SHN_UNDEF) continue;  // a kernel, to be launched
      account(symbols_[number].name);
      function.externs.emplace(symbols_[number].name);
    }
  }

  Kernel read_kernel(const std::string& name, const std::vector<AttributeRecord>& records) {
    Kernel kernel;
    kernel.name = kernel.symbol = name;
    kernel.demangled = demangle(name);
    kernel.wavefront_size = kWarpThreads;
    CubinKernelFacts& facts = kernel.cubin.emplace();
    std::map<uint32_t, KernelArgument> by_ordinal;
    std::optional<uint32_t> bank_size;
    for (const AttributeRecord& record : records) {
      switch (record.attribute) {
        case Attribute::kKparamInfo:
        case Attribute::kKparamInfoV2:
          if (!by_ordinal.emplace(record.word(1) & 0xffff, argument_of(record)).second)
            throw bad(kernel, "two parameters with the same number");
          break;
        case Attribute::kCbankParamSize:
          kernel.kernarg_bytes = record.value;
          break;
        case Attribute::kParamCbank:
          facts.parameter_base = record.word(1) & 0xffff;
          bank_size = record.word(1) >> 16;
          break;
        case Attribute::kMaxRegisters:
          facts.register_limit = record.value;
          break;
        case Attribute::kBarriers:
          facts.barriers = record.value;
          break;
        case Attribute::kMaxThreads:
          facts.max_threads = dimensions_of(record);
          break;
        case Attribute::kRequiredThreads:
          facts.required_threads = dimensions_of(record);
          break;
        case Attribute::kCtaPerCluster:
          facts.cluster_blocks = dimensions_of(record);
          break;
        case Attribute::kMaxClusterRank:
          facts.max_cluster_blocks = record.word(0);
          break;
        case Attribute::kExplicitCluster:
          facts.needs_cluster_dimensions = true;
          break;
        case Attribute::kBlocksAreClusters:
          facts.grid_counts_clusters = true;
          break;
        default:
          break;
      }
    }
    if (bank_size.value_or(0) != kernel.kernarg_bytes) throw bad(kernel, "two sizes of its parameters");
    set_arguments(kernel, by_ordinal);
    kernel.max_flat_workgroup_size =
        facts.required_threads[0] != 0 ? product(facts.required_threads) : product(facts.max_threads);
    read_shared(kernel);
    return kernel;
  }

  // Words: an index (0); ordinal and offset, 16 bits each; then, from the lowest bit on,
  //   first version:  8 bits alignment of what a pointer points to, 4 its space, 6 others, 14 size
  //   second version: 16 bits size, 8 alignment of what a pointer points to, 4 its space
  static KernelArgument argument_of(const AttributeRecord& record) {
    const bool second = record.attribute == Attribute::kKparamInfoV2;
    const uint32_t description = record.word(2);
    KernelArgument argument;
    argument.offset = record.word(1) >> 16;
    argument.size = second ? description & 0xffff : description >> 18;
    argument.value_kind = "by_value";
    argument.address_space = space_of(description >> (second ? 24 : 8) & 0xf);
    return argument;
  }

  // PTX's .ptr of a parameter. nvcc emits it only from sm_100 on, Triton always: without it, a parameter may still be a
  // pointer.
  static const char* space_of(uint32_t space) {
    return space == 2 ? "shared" : space == 4 ? "global" : space == 5 ? "generic" : "";
  }

  static void set_arguments(Kernel& kernel, const std::map<uint32_t, KernelArgument>& by_ordinal) {
    uint32_t end = 0;
    for (const auto& [ordinal, argument] : by_ordinal) {
      if (ordinal != kernel.args.size()) throw bad(kernel, "a parameter is missing");
      if (argument.offset < end) throw bad(kernel, "its parameters overlap");
      if (argument.offset > kernel.kernarg_bytes || argument.size > kernel.kernarg_bytes - argument.offset)
        throw bad(kernel, "a parameter ends beyond the constant bank that holds them");
      end = argument.offset + argument.size;
      kernel.args.push_back(argument);
    }
  }

  void read_shared(Kernel& kernel) {
    const elf::Section* section = sections_.find(".nv.shared." + kernel.name);
    if (!section || section->size == 0) return;
    // From sm_90 on the section begins with the system's reserved part; ptxas -v and the driver leave that out.
    const uint64_t reserved = reserves_shared_ && target_.architecture >= 90 ? kReservedSharedBytes : 0;
    if (section->size < reserved || section->size > std::numeric_limits<uint32_t>::max())
      throw bad(kernel, "its shared memory has an impossible size");
    kernel.cubin->reserved_shared_bytes = static_cast<uint32_t>(reserved);
    kernel.group_segment_bytes = static_cast<uint32_t>(section->size - reserved);
  }

  // .nv.info: attributes of all functions, each with its symbol.
  void read_common_attributes() {
    std::set<uint32_t> with_stack;
    const elf::Section* section = sections_.find(".nv.info");
    if (!section && !kernels_.empty()) throw Malformed{"it has no .nv.info section"};
    if (!section) return;
    for (const AttributeRecord& record : cubin::read_attributes(section->bytes, ".nv.info")) {
      if (record.words.size() != 2) continue;
      const auto found = kernels_.find(record.word(0));
      if (found == kernels_.end()) continue;
      Kernel& kernel = info_.kernels[found->second];
      if (record.attribute == Attribute::kRegisters) kernel.cubin->registers = record.word(1);
      if (record.attribute == Attribute::kFrameSize) kernel.cubin->frame_bytes = record.word(1);
      if (record.attribute == Attribute::kMinStackSize && record.word(1) != kUnknownStack) {
        kernel.private_segment_bytes = record.word(1);
        with_stack.insert(found->first);
      }
    }
    for (const auto& [number, index] : kernels_) {
      if (with_stack.contains(number)) continue;
      // Recursion, as nvlink tells it. ptxas alone says 0.
      info_.kernels[index].uses_dynamic_stack = true;
      info_.kernels[index].private_segment_bytes = info_.kernels[index].cubin->frame_bytes;
    }
  }

  // Adds the facts of all functions that the kernel may reach.
  void finish(uint32_t number, Kernel& kernel) {
    CubinKernelFacts& facts = *kernel.cubin;
    cubin::ImageUse images;
    bool known = true;
    std::set<std::string> externs;
    for (uint32_t reached : call_graph_.reachable(number, call_steps_left_)) {
      facts.calls_indirectly |= call_graph_.indirect_callers.contains(reached);
      facts.launches_kernels |= call_graph_.launchers.contains(reached);
      const auto found = functions_.find(reached);
      if (found == functions_.end()) {
        if (reached < symbols_.size() && symbols_[reached].section == SHN_UNDEF)
          externs.emplace(symbols_[reached].name);
        continue;
      }
      externs.insert(found->second.externs.begin(), found->second.externs.end());
      known &= found->second.images.has_value();
      images.textures |= found->second.images && found->second.images->textures;
      images.surfaces |= found->second.images && found->second.images->surfaces;
    }
    if (known) facts.uses_textures = images.textures, facts.uses_surfaces = images.surfaces;
    for (const std::string& name : externs) {
      facts.uses_device_heap |= name == "malloc" || name == "free" || name == "__nv_aligned_device_malloc";
      facts.uses_printf |= name == "vprintf";
      facts.uses_assert |= name == "__assertfail" || name == "__assert_fail";
      facts.launches_kernels |= name.starts_with("__cuda_syscall_cnp");
    }
    facts.externs.assign(externs.begin(), externs.end());
  }

  static bool is_compiler_made(std::string_view name) {
    return name.starts_with("$") || name.starts_with("__unnamed_") || name.starts_with("__cudart_");
  }

  void read_variables() {
    std::set<std::string_view> names;
    for (const elf::Symbol& symbol : symbols_) {
      if (symbol.type != STT_OBJECT || symbol.section == SHN_UNDEF || symbol.section >= image_.sections().size() ||
          symbol.size == 0 || symbol.name.empty())
        continue;
      const elf::Section& section = image_.sections()[symbol.section];
      if (std::find(std::begin(kVariableSections), std::end(kVariableSections), section.name) ==
          std::end(kVariableSections))
        continue;
      account(symbol.name);
      const std::string name(symbol.name);
      if (section.size >= kMaxVariableBytes || symbol.value > section.size || symbol.size > section.size - symbol.value)
        throw Malformed{"variable " + name + " lies outside of its section"};
      const bool made = is_compiler_made(name);
      if (!names.insert(symbol.name).second) {
        if (made) continue;  // linked from several translation units
        throw Malformed{"variable " + name + " occurs twice"};
      }
      info_.variables.push_back({name, (uint64_t{symbol.section} << kSectionShift) + symbol.value, symbol.size,
                                 std::string(section.name), !made && (section.flags & SHF_WRITE) != 0, !made,
                                 (symbol.other & kManaged) != 0});
    }
  }

  const elf::Image& image_;
  CodeObjectInfo& info_;
  Sections sections_;
  cubin::Target target_;
  std::vector<elf::Symbol> symbols_;
  cubin::CallGraph call_graph_;
  std::map<uint32_t, Function> functions_;  // by symbol number
  std::map<uint32_t, size_t> kernels_;      // symbol number → index in info_.kernels
  bool reserves_shared_ = false;
  uint64_t name_bytes_left_ = kMaxNameBytes, call_steps_left_ = kMaxCallSteps;
};

}  // namespace

Result<CodeObjectInfo> parse_cubin(const elf::Image& image, Bytes bytes, const std::string& what) {
  try {
    CodeObjectInfo info;
    info.sha256 = sha256(bytes);
    Reader(image, info).read();
    return info;
  } catch (const Malformed& problem) {
    return Error{"CODE_OBJECT_INVALID", what + ": " + problem.why,
                 "give a complete cubin, as nvcc -cubin, nvlink or cuobjdump -xelf wrote it"};
  }
}

Result<std::vector<uint8_t>> initial_content_in_cubin(const elf::Image& image, const Variable& variable) {
  const uint64_t index = variable.address >> kSectionShift, offset = variable.address & (kMaxVariableBytes - 1);
  if (index >= image.sections().size() || image.sections()[index].name != variable.section ||
      offset > image.sections()[index].size || variable.size > image.sections()[index].size - offset) {
    return Error{"CODE_OBJECT_INVALID", "variable " + variable.name + " is not of this cubin",
                 "give the cubin that it was read from"};
  }
  const elf::Section& section = image.sections()[index];
  std::vector<uint8_t> content(variable.size, 0);
  if (section.type != SHT_NOBITS)
    std::copy_n(section.bytes.begin() + static_cast<ptrdiff_t>(offset), variable.size, content.begin());
  return content;
}

}  // namespace kernloop::codeobject
