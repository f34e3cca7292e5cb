#include "replay/core/launch/program.h"

#include <algorithm>
#include <cstring>

#include "codeobject/bundle.h"
#include "replay/core/launch/kernarg.h"
#include "replay/core/launch/launch_check.h"

namespace kernloop::replay {

namespace {

using archive::CodeObject;
using archive::Manifest;
using archive::ModuleVariable;
using codeobject::CodeObjectInfo;

AddressRange captured_range(const LoadedCodeObject& object) {
  return {object.captured->load_base, object.captured_info.memory_bytes};
}

bool overlaps(const AddressRange& a, const AddressRange& b) {
  return a.base < b.end() && b.base < a.end();
}

// A variant takes the captured address if every captured variable has the same offset in it: then data pointers in
// captured memory stay valid. Elsewhere a stale pointer faults loudly instead of meeting other code.
bool fits_in_place(const Manifest& manifest, const LoadedCodeObject& object, const std::vector<LoadedCodeObject>& all) {
  bool any = false;
  for (const ModuleVariable& variable : manifest.module_variables) {
    if (variable.code_object != object.captured->sha256) continue;
    const codeobject::Variable* now = object.info.find_variable(variable.name);
    if (!now || now->size != variable.size || now->address != variable.address - object.captured->load_base)
      return false;
    any = true;
  }
  const AddressRange range{object.captured->load_base, object.info.memory_bytes};
  for (const LoadedCodeObject& other : all) {
    if (other.captured != object.captured && overlaps(range, captured_range(other))) return false;
  }
  return any;
}

class Loader {
 public:
  Loader(ContentCache& cache, DeviceReplay& device, const VariantOptions& variant, EventSink& sink)
      : cache_(cache), manifest_(cache.reader().manifest()), device_(device), variant_(variant), sink_(sink) {}

  Result<Program> load() {
    if (auto done = read_code_objects(); !done) return done.error();
    if (auto done = place_lens(); !done) return done.error();
    if (auto done = place_code_objects(); !done) return done.error();
    if (auto done = prepare_launch(); !done) return done.error();
    for (const ModuleVariable& variable : manifest_.module_variables) {
      if (auto done = bind_variable(variable); !done) return done.error();
    }
    find_stale_ranges();
    find_moved_functions();
    relocate_kernargs();
    if (auto done = bind_lens(); !done) return done.error();
    if (auto done = find_state(); !done) return done.error();
    return std::move(program_);
  }

 private:
  LoadedCodeObject& object_of(const Digest& digest) {
    for (LoadedCodeObject& object : program_.code_objects) {
      if (object.captured->sha256 == digest) return object;
    }
    return program_.code_objects.front();  // the manifest was validated: not reached
  }

  Status read_code_objects() {
    for (const CodeObject& captured : manifest_.code_objects) {
      auto bytes = cache_.reader().read_code_object(captured);
      if (!bytes) return bytes.error();
      auto info = codeobject::parse_code_object(*bytes, "captured code object " + captured.sha256.hex());
      if (!info) return info.error();
      LoadedCodeObject object{&captured, *info, *info, false, {}};
      images_.push_back(std::move(*bytes));
      captured_images_.push_back(images_.back());
      if (variant_.file && captured.sha256 == manifest_.kernel.code_object) {
        auto selected =
            codeobject::select_code_object(*variant_.file, manifest_.device.isa, symbol(), variant_.file_name);
        if (!selected) return selected.error();
        auto variant_info = codeobject::parse_code_object(selected->bytes, variant_.file_name);
        if (!variant_info) return variant_info.error();
        object.info = std::move(*variant_info);
        object.is_variant = true;
        images_.back().assign(selected->bytes.begin(), selected->bytes.end());
      }
      program_.code_objects.push_back(std::move(object));
    }
    return Unit{};
  }

  // Before any code is loaded: HIP takes addresses that are not reserved by then.
  Status place_lens() {
    if (!variant_.lens) return Unit{};
    std::vector<AddressRange> code;
    for (const LoadedCodeObject& object : program_.code_objects) code.push_back(captured_range(object));
    auto buffers = place_buffers(variant_.lens->buffers, manifest_, code, device_);
    if (!buffers) return buffers.error();
    program_.lens.emplace().buffers = std::move(*buffers);
    return Unit{};
  }

  // After captured arguments were relocated: the lens's appended values are no captured addresses, even if they equal
  // one.
  Status bind_lens() {
    if (!program_.lens) return Unit{};
    const LoadedCodeObject& object = object_of(manifest_.kernel.code_object);
    std::vector<Target> restored = program_.variables;
    for (const KeptVariable& kept : program_.kept)
      restored.push_back({true, kept.name, kept.address, kept.content.size(), {}, {}});
    auto variables = find_lens_variables(variant_.lens->variables, object.captured_info, object.info, object.code,
                                         restored, device_);
    if (!variables) return variables.error();
    program_.lens->variables = std::move(*variables);
    if (object.code.base) {
      auto margins = find_margins(program_.lens->variables, object.info, *object.code.base, device_);
      if (!margins) return margins.error();
      program_.lens->margins = std::move(*margins);
    }
    program_.lens->parameters = variant_.lens->parameters;
    set_lens_parameters(program_, 0);
    return Unit{};
  }

  Status place_code_objects() {
    CodePlacement* const placement = device_.code_placement();
    std::vector<std::optional<uint64_t>> addresses;
    for (const LoadedCodeObject& object : program_.code_objects) {
      const bool in_place =
          placement != nullptr && (!object.is_variant || fits_in_place(manifest_, object, program_.code_objects));
      addresses.push_back(in_place ? std::optional(object.captured->load_base) : std::nullopt);
      if (in_place || placement == nullptr) continue;
      // Otherwise the runtime may choose the very address that stale pointers lead to.
      const uint64_t granule = device_.granule(archive::RegionClass::kDevice);
      const uint64_t base = object.captured->load_base / granule * granule;
      const uint64_t end = (captured_range(object).end() + granule - 1) / granule * granule;
      if (auto kept = placement->keep_out(base, end - base); !kept) return kept;
    }
    // Objects with an address of their own go first: the others take the remaining addresses.
    for (const bool placed : {true, false}) {
      for (size_t i = 0; i < addresses.size(); ++i) {
        if (addresses[i].has_value() != placed) continue;
        // A variant that writes to its constants is wrong, though hardware would let it.
        if (SoftwareExecution* software = device_.software_execution()) {
          if (auto set = software->open_constants(!program_.code_objects[i].is_variant); !set) return set.error();
        }
        auto code = device_.load(images_[i], program_.code_objects[i].info, addresses[i]);
        if (!code) return code.error();
        program_.code_objects[i].code = *code;
      }
    }
    return Unit{};
  }

  Status prepare_launch() {
    LoadedCodeObject& object = object_of(manifest_.kernel.code_object);
    const codeobject::Kernel* captured = object.captured_info.find_kernel(manifest_.kernel.symbol);
    if (!captured) return missing(object.captured_info, manifest_.kernel.symbol, "the captured code object");
    const codeobject::Kernel* kernel = object.info.find_kernel(symbol());
    if (!kernel)
      return missing(object.info, symbol(), object.is_variant ? variant_.file_name : "the captured code object");
    std::vector<uint32_t> appended;
    if (variant_.lens) {
      for (const LensParameter& parameter : variant_.lens->parameters) appended.push_back(parameter.bytes);
    }
    auto kernarg = build_kernarg(manifest_, *captured, *kernel, appended);
    if (!kernarg) return kernarg.error();

    auto address = device_.kernel_address(object.code, *kernel);
    if (!address) return address.error();
    program_.launch = launch_as_captured(manifest_.geometry, *captured, *kernel);
    program_.launch.kernel = *address;
    program_.launch.kernarg = std::move(*kernarg);
    program_.kernel = *kernel;
    program_.captured_kernel = *captured;
    program_.is_variant = object.is_variant;
    return Unit{};
  }

  Status bind_variable(const ModuleVariable& variable) {
    const LoadedCodeObject& object = object_of(variable.code_object);
    Target target{true, variable.name, 0, variable.size, pre_of(variable), post_of(variable)};
    if (!object.is_variant && object.code.base) {
      auto offset = offset_in_image(variable, object);
      if (!offset) return offset.error();
      target.address = *object.code.base + *offset;
      if (*object.code.base != object.captured->load_base) {
        auto kept = keep_addresses(variable, target);
        if (!kept) return kept.error();
        if (*kept) return Unit{};
      }
      program_.variables.push_back(std::move(target));
      return Unit{};
    }
    const codeobject::Variable* now = object.info.find_variable(variable.name);
    if (!now || now->size != variable.size) {
      if (object.is_variant) return report_missing(variable, now);
      if (!now && is_nameless(variable)) return report_nameless(variable);
      return Error{"CAPTURE_INVALID",
                   "its own code object has no module variable " + variable.name + " of " +
                       std::to_string(variable.size) + " bytes",
                   "capture again"};
    }
    auto address = device_.variable_address(object.code, *now);
    // The HIP runtime's own variable, which HIP does not find by name: the memory that it points to belongs to this
    // process, not to the app.
    if (!address && now->is_device_heap && variable.pre == variable.post) return Unit{};
    if (!address) return address.error();
    target.address = *address;
    if (object.is_variant) {
      auto kept = keep_initializer(variable, *now, target);
      if (!kept) return kept.error();
      if (*kept) return Unit{};
    }
    if (auto kept = keep_addresses(variable, target); !kept || *kept) return kept ? Status(Unit{}) : kept.error();
    program_.variables.push_back(std::move(target));
    return Unit{};
  }

  // Parts of sections that no symbol names are variables too, and are found only by their address.
  static Result<uint64_t> offset_in_image(const ModuleVariable& variable, const LoadedCodeObject& object) {
    const uint64_t offset = variable.address - object.captured->load_base;
    if (variable.address < object.captured->load_base || offset > object.captured_info.memory_bytes ||
        variable.size > object.captured_info.memory_bytes - offset) {
      return Error{"CAPTURE_INVALID", "module variable " + variable.name + " lies outside of its code object",
                   "capture again"};
    }
    return offset;
  }

  // Name that the recorder gives to bytes without a symbol: ".bss+0x4".
  static bool is_nameless(const ModuleVariable& variable) {
    return variable.name.starts_with(".") && variable.name.find("+0x") != std::string::npos;
  }

  // Bytes between variables (padding), or of variables without names, if the load address of the code is unknown.
  Status report_nameless(const ModuleVariable& variable) {
    if (variable.pre != variable.post) {
      return Error{"VARIABLE_MISSING",
                   "the captured kernel changed the module variable at " + variable.name +
                       ", which has no name that the runtime could find it by",
                   "replay with --launch direct"};
    }
    sink_.emit({{"event", ReplayEvent::variable_missing}, {"variable", variable.name}, {"bytes", variable.size}});
    return Unit{};
  }

  Status report_missing(const ModuleVariable& variable, const codeobject::Variable* now) {
    const std::string what =
        now ? "has " + std::to_string(now->size) + " bytes in the variant instead of " + std::to_string(variable.size)
            : "is not in the variant";
    // Removing a variable that the kernel left alone is a fair optimisation. Changing its size, or losing one that the
    // kernel writes, makes a comparison impossible.
    if (now || variable.pre != variable.post) {
      return Error{
          now ? "VARIABLE_SIZE" : "VARIABLE_MISSING",
          "module variable " + variable.name + " " + what + (now ? "" : ", and the captured kernel changed it"),
          "keep the module variables of the kernel as captured"};
    }
    sink_.emit({{"event", ReplayEvent::variable_missing}, {"variable", variable.name}, {"bytes", variable.size}});
    return Unit{};
  }

  // See KeptVariable.
  Result<bool> keep_initializer(const ModuleVariable& variable, const codeobject::Variable& now, const Target& target) {
    constexpr uint64_t kMaxBytes = 16u << 20;
    if (variable.pre != variable.post || variable.size > kMaxBytes) return false;
    const LoadedCodeObject& object = object_of(variable.code_object);
    const size_t index = static_cast<size_t>(&object - program_.code_objects.data());
    const codeobject::Variable* before = object.captured_info.find_variable(variable.name);
    if (!before) return false;
    const auto captured_initial = codeobject::initial_content(captured_images_[index], *before);
    const auto variant_initial = codeobject::initial_content(images_[index], now);
    if (!captured_initial || !variant_initial || *captured_initial == *variant_initial) return false;
    auto pre = cache_.reader().read_all(target.pre, kMaxBytes);
    if (!pre) return pre.error();
    if (*pre != *captured_initial) return false;  // the app set it: its value is the capture's, not the source's
    if (variable.address_told.value_or(false)) {  // it may have set it to that very value
      sink_.emit({{"event", ReplayEvent::variable_restored},
                  {"variable", variable.name},
                  {"reason", "the variant has another initializer, and the app may have set it"}});
      return false;
    }
    sink_.emit({{"event", ReplayEvent::variable_kept},
                {"variable", variable.name},
                {"is_known", variable.address_told.has_value()},
                {"reason", variable.address_told ? "the app never set it and the variant has another initializer"
                                                 : "the variant has another initializer, and nobody recorded whether "
                                                   "the app set it"}});
    program_.kept.push_back({variable.name, target.address, *variant_initial});
    return true;
  }

  // Keeps addresses in memory, such as a table of functions, that did not change since the app loaded its code: the
  // same code at another address, or other code, has other addresses in it, which the runtime filled in.
  Result<bool> keep_addresses(const ModuleVariable& variable, const Target& target) {
    constexpr uint64_t kMaxBytes = 16u << 20;
    // Relocations of cubins are not known here.
    if (manifest_.device.kind == "cuda" || variable.pre != variable.post || variable.size > kMaxBytes) return false;
    const LoadedCodeObject& object = object_of(variable.code_object);
    const size_t index = static_cast<size_t>(&object - program_.code_objects.data());
    const codeobject::Variable* before = object.captured_info.find_variable(variable.name);
    if (!before || before->size != variable.size) return false;
    const auto loaded =
        codeobject::content_with_addresses(captured_images_[index], *before, object.captured->load_base);
    if (!loaded) return loaded.error();
    if (!*loaded) return false;
    auto pre = cache_.reader().read_all(target.pre, kMaxBytes);
    if (!pre) return pre.error();
    if (*pre != **loaded) return false;  // the app stored there: what that points to is not known
    Buffer now(variable.size);
    if (auto read = device_.read(target.address, now); !read) return read.error();
    program_.kept.push_back({variable.name, target.address, std::move(now)});
    return true;
  }

  Status find_state() {
    for (const LoadedCodeObject& object : program_.code_objects) {
      if (!object.is_variant) continue;
      std::vector<AddressRange> taken;
      for (const Target& variable : program_.variables) taken.push_back({variable.address, variable.size});
      for (const KeptVariable& kept : program_.kept) taken.push_back({kept.address, kept.content.size()});
      if (program_.lens) {
        for (const LensVariable& variable : program_.lens->variables)
          taken.push_back({variable.address, variable.initial.size()});
      }
      auto state = find_own_state(object.info, object.captured_info, object.code, std::move(taken), device_);
      if (!state) return state.error();
      program_.own_state = std::move(*state);
    }
    return Unit{};
  }

  void find_stale_ranges() {
    for (const LoadedCodeObject& object : program_.code_objects) {
      if (!object.code.base) {
        add_moved_variables(object);
        continue;
      }
      const bool moved = *object.code.base != object.captured->load_base;
      if (!moved && !object.is_variant) continue;
      std::vector<AddressRange> alive;
      for (const ModuleVariable& variable : manifest_.module_variables) {
        if (!moved && variable.code_object == object.captured->sha256)
          alive.push_back({variable.address, variable.size});
      }
      std::sort(alive.begin(), alive.end(), [](auto& a, auto& b) { return a.base < b.base; });
      AddressRange rest = captured_range(object);
      for (const AddressRange& range : alive) {
        if (range.base > rest.base) program_.stale_ranges.push_back({rest.base, range.base - rest.base});
        const uint64_t end = std::max(range.end(), rest.base);
        rest = {end, captured_range(object).end() > end ? captured_range(object).end() - end : 0};
      }
      if (rest.size > 0) program_.stale_ranges.push_back(rest);
    }
  }

  // A device that loads code where it was keeps the former places of other code empty (place_code_objects).
  void find_moved_functions() {
    if (device_.code_placement() != nullptr) return;
    for (const LoadedCodeObject& object : program_.code_objects) {
      if (object.code.base == object.captured->load_base && !object.is_variant) continue;
      for (const codeobject::ExecutableBytes& bytes : object.captured_info.executable)
        program_.moved_functions.push_back({object.captured->load_base + bytes.address, bytes.size});
      // Virtual functions.
      for (const codeobject::WritableBytes& bytes : object.captured_info.writable) {
        if (bytes.is_relocated)
          program_.moved_functions.push_back({object.captured->load_base + bytes.address, bytes.size});
      }
    }
  }

  // The captured address of every variable that has moved or is gone.
  void add_moved_variables(const LoadedCodeObject& object) {
    for (const ModuleVariable& variable : manifest_.module_variables) {
      if (variable.code_object != object.captured->sha256) continue;
      const Target* now = target_of(variable);
      if (!now || now->address != variable.address) program_.stale_ranges.push_back({variable.address, variable.size});
    }
  }

  const Target* target_of(const ModuleVariable& variable) const {
    const auto found = std::find_if(program_.variables.begin(), program_.variables.end(),
                                    [&](const Target& target) { return target.pre.content == &variable.pre; });
    return found != program_.variables.end() ? &*found : nullptr;
  }

  // Relocates pointer arguments into module variables. Metadata that marks pointers is trusted; if it has only values
  // (by_value, or nothing at all), every aligned word counts. Pointers in memory cannot be distinguished from numbers
  // and are left.
  void relocate_kernargs() {
    const codeobject::Kernel& kernel = program_.kernel;
    if (kernel.args.empty()) relocate_words(0, program_.launch.kernarg.size());
    for (const codeobject::KernelArgument& argument : kernel.args) {
      if (argument.value_kind == "global_buffer" || argument.value_kind == "by_value")
        relocate_words(argument.offset, argument.size);
    }
  }

  void relocate_words(uint64_t offset, uint64_t size) {
    const uint64_t end = std::min<uint64_t>(offset + size, program_.launch.kernarg.size());
    for (uint64_t at = (offset + 7) / 8 * 8; at + 8 <= end; at += 8) relocate_word(program_.launch.kernarg.data() + at);
  }

  void relocate_word(uint8_t* slot) {
    uint64_t value;
    std::memcpy(&value, slot, sizeof value);
    const ModuleVariable* variable = variable_of(value);
    const Target* now = variable ? target_of(*variable) : nullptr;
    if (!now || now->address == variable->address) return;
    value = now->address + (value - variable->address);
    std::memcpy(slot, &value, sizeof value);
    ++program_.relocated_kernargs;
  }

  // The variable that a captured pointer points into, or just past, if nothing else begins there.
  const ModuleVariable* variable_of(uint64_t value) const {
    const ModuleVariable* ends_there = nullptr;
    for (const ModuleVariable& variable : manifest_.module_variables) {
      if (value >= variable.address && value - variable.address < variable.size) return &variable;
      if (variable.size > 0 && value - variable.address == variable.size) ends_there = &variable;
    }
    const bool in_region = std::any_of(manifest_.regions.begin(), manifest_.regions.end(), [&](const auto& region) {
      return value >= region.base && value - region.base < region.size;
    });
    return in_region ? nullptr : ends_there;
  }

  static Error missing(const CodeObjectInfo& info, const std::string& name, const std::string& where) {
    std::vector<std::string> names;
    for (const codeobject::Kernel& kernel : info.kernels) names.push_back(kernel.name);
    std::string nearest;
    for (const std::string& candidate : codeobject::nearest_names(name, names)) {
      nearest += (nearest.empty() ? "" : ", ") + candidate;
      if (const std::string plain = codeobject::demangle(candidate); plain != candidate) nearest += " = " + plain;
    }
    return {"SYMBOL_MISSING",
            where + " does not define kernel " + name + "; nearest: " + (nearest.empty() ? "none" : nearest),
            "keep the kernel's name, parameters and extern \"C\"-ness as captured, or name it with --symbol"};
  }

  const std::string& symbol() const { return variant_.symbol.empty() ? manifest_.kernel.symbol : variant_.symbol; }

  ContentCache& cache_;
  const Manifest& manifest_;
  DeviceReplay& device_;
  const VariantOptions& variant_;
  EventSink& sink_;
  Program program_;
  std::vector<Buffer> images_, captured_images_;
};

}  // namespace

void set_lens_parameters(Program& program, uint64_t launch) {
  if (program.lens) put_appended(program.kernel, parameter_values(*program.lens, launch), program.launch.kernarg);
}

Result<Program> load_program(ContentCache& cache, DeviceReplay& device, const VariantOptions& variant,
                             EventSink& sink) {
  return Loader(cache, device, variant, sink).load();
}

}  // namespace kernloop::replay
