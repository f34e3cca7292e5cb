#include "replay/core/launch/overrides.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/numbers.h"
#include "replay/core/launch/kernarg.h"

namespace kernloop::replay {

namespace {

using codeobject::Kernel;
using codeobject::KernelArgument;

// Limits beyond any device; launch_check.h checks those of the code object and of this device.
constexpr uint64_t kMaxBlockThreads = 1024;              // limit of AMD and NVIDIA GPUs alike
constexpr uint64_t kMaxWorkItems = UINT32_MAX;           // per dimension: more does not fit an AQL packet
constexpr uint32_t kMaxGroupBytes = 1024 * 1024;         // beyond any device's
constexpr uint32_t kGroupBytesWithoutAsking = 48 << 10;  // CUDA C++ Programming Guide, "Shared Memory"

template <typename T>
std::optional<Buffer> bytes_of(std::optional<T> value) {
  if (!value) return std::nullopt;
  Buffer bytes(sizeof(T));
  std::memcpy(bytes.data(), &*value, sizeof(T));
  return bytes;
}

// Whole numbers may be given in hex: their bits.
template <typename T>
std::optional<Buffer> integer_bytes(const std::string& text) {
  const auto hex = from_hex_number(text);
  if (!hex) return bytes_of(number_of<T>(text));
  if (*hex > std::numeric_limits<std::make_unsigned_t<T>>::max()) return std::nullopt;
  return bytes_of(std::optional(static_cast<T>(*hex)));
}

std::optional<Buffer> value_bytes(ElementType type, const std::string& text) {
  switch (type) {
    case ElementType::kF32:
      return bytes_of(number_of<float>(text));
    case ElementType::kF64:
      return bytes_of(number_of<double>(text));
    case ElementType::kI8:
      return integer_bytes<int8_t>(text);
    case ElementType::kU8:
      return integer_bytes<uint8_t>(text);
    case ElementType::kI16:
      return integer_bytes<int16_t>(text);
    case ElementType::kU16:
      return integer_bytes<uint16_t>(text);
    case ElementType::kI32:
      return integer_bytes<int32_t>(text);
    case ElementType::kU32:
      return integer_bytes<uint32_t>(text);
    case ElementType::kI64:
      return integer_bytes<int64_t>(text);
    case ElementType::kU64:
      return integer_bytes<uint64_t>(text);
    case ElementType::kF16:
    case ElementType::kBf16:
    case ElementType::kF8E4M3:
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3Fnuz:
    case ElementType::kF8E5M2Fnuz:
      return std::nullopt;  // read as bits: u16, u8
  }
  return std::nullopt;
}

// Type to read an argument as; a pointer has no element type.
struct ScalarType {
  bool is_pointer = false;
  ElementType element = ElementType::kU64;

  std::string name() const { return is_pointer ? "ptr" : name_of(element); }
  size_t size() const { return is_pointer ? 8 : size_of(element); }
};

std::optional<ScalarType> type_named(const std::string& name) {
  if (name == "ptr") return ScalarType{true, {}};
  const auto element = element_type_of(name);
  return element ? std::optional(ScalarType{false, *element}) : std::nullopt;
}

std::optional<ScalarType> type_spelled(const std::string& cpp_type) {
  if (cpp_type.find('*') != cpp_type.npos) return ScalarType{true, {}};
  const auto element = pointee_type(cpp_type + "*");
  return element ? std::optional(ScalarType{false, *element}) : std::nullopt;
}

Json change(Json from, Json to) {
  return {{"from", std::move(from)}, {"to", std::move(to)}};
}

class Overrider {
 public:
  Overrider(const archive::Manifest& manifest, const Kernel& kernel, Launch& launch)
      : manifest_(manifest), kernel_(kernel), launch_(launch) {
    std::copy_if(kernel.args.begin(), kernel.args.end(), std::back_inserter(arguments_),
                 [](const KernelArgument& argument) { return !argument.value_kind.starts_with("hidden_"); });
    std::sort(arguments_.begin(), arguments_.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
  }

  Result<Json> apply(const Overrides& overrides) {
    if (auto done = set_geometry(overrides); !done) return done.error();
    if (overrides.dynamic_group_bytes) {
      if (auto done = set_dynamic_group(*overrides.dynamic_group_bytes, overrides.are_of_variant); !done)
        return done.error();
    }
    if (overrides.grid_blocks || overrides.block_threads || overrides.dynamic_group_bytes)
      describe_geometry(kernel_, launch_);
    for (const ArgumentOverride& argument : overrides.arguments) {
      if (auto done = set_argument(argument); !done) return done.error();
    }
    return std::move(changes_);
  }

 private:
  Status set_geometry(const Overrides& overrides) {
    if (!overrides.grid_blocks && !overrides.block_threads) return Unit{};
    if (overrides.grid_blocks) {
      changes_["grid_blocks"] = change(launch_.grid_blocks, *overrides.grid_blocks);
      launch_.grid_blocks = *overrides.grid_blocks;
    }
    if (overrides.block_threads) {
      changes_["block_threads"] = change(launch_.block_threads, *overrides.block_threads);
      launch_.block_threads = *overrides.block_threads;
    }
    uint64_t threads = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      threads *= launch_.block_threads[axis];
      if (threads > kMaxBlockThreads)
        return refused("blocks of more than " + std::to_string(kMaxBlockThreads) + " threads",
                       "no device has larger ones");
      const uint64_t items = uint64_t{launch_.grid_blocks[axis]} * launch_.block_threads[axis];
      if (items > kMaxWorkItems) {
        return refused("a grid of " + std::to_string(items) + " threads in dimension " + "xyz"[axis],
                       std::to_string(kMaxWorkItems) + " is the most that a launch can have there");
      }
      // Whole blocks: a partial last one was the choice of the app's grid.
      launch_.grid_work_items[axis] = items;
      if (items > 1) launch_.dimensions = std::max(launch_.dimensions, static_cast<uint16_t>(axis + 1));
    }
    return Unit{};
  }

  Status set_dynamic_group(uint32_t bytes, bool is_of_variant) {
    const uint32_t fixed = launch_.group_segment_bytes - launch_.dynamic_group_segment_bytes;
    if (bytes > kMaxGroupBytes)
      return refused(std::to_string(bytes) + " bytes of dynamic shared memory", "no device has as much");
    changes_["dynamic_group_segment_bytes"] = change(launch_.dynamic_group_segment_bytes, bytes);
    launch_.dynamic_group_segment_bytes = bytes;
    launch_.group_segment_bytes = fixed + bytes;
    // An app must ask the driver for the shared memory that such a kernel needs; the captured app asked for what its
    // own kernel did.
    if (is_of_variant && kernel_.cubin && fixed + bytes > kGroupBytesWithoutAsking) {
      uint64_t& allowed = launch_.attributes["max_dynamic_shared_bytes"];
      allowed = std::max<uint64_t>(allowed, bytes);
    }
    return Unit{};
  }

  Error refused(const std::string& what, const std::string& why) const {
    return {"LAUNCH_REFUSED", kernel_.name + " cannot be launched with " + what, why};
  }

  Status set_argument(const ArgumentOverride& wanted) {
    const auto found = find(wanted.argument);
    if (!found) return found.error();
    const KernelArgument& argument = arguments_[*found];
    const auto type = type_of(wanted, *found);
    if (!type) return type.error();
    std::optional<Buffer> bytes;
    if (type->is_pointer) {
      bytes = bytes_of(from_hex_number(wanted.value));
    } else {
      bytes = value_bytes(type->element, wanted.value);
    }
    if (!bytes) {
      return Error{
          "ARGUMENT_VALUE",
          "\"" + wanted.value + "\" is no value of " + type->name() + ", which argument " + describe(*found) + " is",
          type->is_pointer ? "give the address as 0x…"
          : is_float(type->element) && size_of(type->element) == 2
              ? "give its bits: --arg " + wanted.argument + ":u16=0x…"
              : "give a number in its range"};
    }
    uint8_t* slot = launch_.kernarg.data() + argument.offset;
    const Buffer before(slot, slot + argument.size);
    std::copy(bytes->begin(), bytes->end(), slot);
    changes_["arguments"].push_back({{"index", *found},
                                     {"name", argument.name},
                                     {"type", type->name()},
                                     {"offset", argument.offset},
                                     {"from", shown(*type, before)},
                                     {"to", shown(*type, *bytes)}});
    return Unit{};
  }

  Result<size_t> find(const std::string& wanted) const {
    std::vector<std::string> names;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!wanted.empty() && arguments_[i].name == wanted) return i;
      names.push_back(describe(i));
    }
    const auto index = number_of<size_t>(wanted);
    if (index && *index < arguments_.size()) return *index;
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    return Error{"ARGUMENT_UNKNOWN", "kernel " + kernel_.name + " has no argument \"" + wanted + "\"",
                 known.empty() ? "its code object tells of no arguments" : "it has " + known};
  }

  std::string describe(size_t index) const {
    const std::string& name = arguments_[index].name;
    return std::to_string(index) + (name.empty() ? "" : " (" + name + ")");
  }

  Result<ScalarType> type_of(const ArgumentOverride& wanted, size_t index) const {
    const KernelArgument& argument = arguments_[index];
    std::optional<ScalarType> type;
    if (!wanted.type.empty()) {
      type = type_named(wanted.type);
      if (!type) {
        return Error{"ARGUMENT_UNTYPED", "\"" + wanted.type + "\" is no type of an argument",
                     "one of ptr, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64"};
      }
    } else {
      type = told_type(argument, index);
    }
    if (!type) {
      return Error{"ARGUMENT_UNTYPED",
                   "neither the code object nor the kernel's name tells the type of argument " + describe(index) +
                       ", which has " + std::to_string(argument.size) + " bytes",
                   "name it: --arg " + wanted.argument + ":i32=" + wanted.value + " (or f32, u64, ptr, …)"};
    }
    if (type->size() == argument.size) return *type;
    return Error{"ARGUMENT_UNTYPED",
                 "argument " + describe(index) + " has " + std::to_string(argument.size) + " bytes, and a " +
                     type->name() + " has " + std::to_string(type->size()),
                 "structures cannot be overridden; name a type of the argument's size for the rest"};
  }

  std::optional<ScalarType> told_type(const KernelArgument& argument, size_t index) const {
    if (argument.value_kind == "global_buffer") return ScalarType{true, {}};
    if (!argument.type_name.empty()) {
      if (auto type = type_spelled(argument.type_name)) return type;
    }
    // Signature of the captured kernel; a variant's parameters were found to agree with it.
    const std::vector<std::string> signature = parameter_types(manifest_.kernel.name);
    if (signature.size() != arguments_.size()) return std::nullopt;
    return type_spelled(signature[index]);
  }

  static Json shown(const ScalarType& type, const Buffer& bytes) {
    if (!type.is_pointer) return number_to_json(type.element, load_number(type.element, bytes.data()));
    uint64_t address;
    std::memcpy(&address, bytes.data(), sizeof address);
    return to_hex_number(address);
  }

  const archive::Manifest& manifest_;
  const Kernel& kernel_;
  Launch& launch_;
  std::vector<KernelArgument> arguments_;  // explicit ones, as in the parameter list
  Json changes_ = Json::object();
};

}  // namespace

std::optional<std::array<uint32_t, 3>> parse_extent(const std::string& text) {
  std::array<uint32_t, 3> extent = {1, 1, 1};
  size_t axis = 0;
  for (size_t begin = 0; begin <= text.size(); ++axis) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto number = number_of<uint32_t>(text.substr(begin, end - begin));
    if (axis == extent.size() || !number || *number == 0) return std::nullopt;
    extent[axis] = *number;
    begin = end + 1;
  }
  return extent;
}

std::optional<ArgumentOverride> parse_argument_override(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size()) return std::nullopt;
  ArgumentOverride wanted{text.substr(0, equals), "", text.substr(equals + 1)};
  if (const size_t colon = wanted.argument.rfind(':'); colon != std::string::npos) {
    wanted.type = wanted.argument.substr(colon + 1);
    wanted.argument.resize(colon);
    if (wanted.type.empty() || wanted.argument.empty()) return std::nullopt;
  }
  return wanted;
}

Result<Json> apply_overrides(const Overrides& overrides, const archive::Manifest& manifest, const Kernel& kernel,
                             Launch& launch) {
  return Overrider(manifest, kernel, launch).apply(overrides);
}

}  // namespace kernloop::replay
