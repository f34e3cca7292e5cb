#include "replay/core/lenses/lens_state.h"

#include <algorithm>
#include <cstring>

namespace kernloop::replay {

namespace {

// Far from addresses that runtimes hand out: a stale address of the app's does not point here.
constexpr uint64_t kAperture = 0x2a5e'0000'0000, kApertureEnd = 0x3000'0000'0000;
constexpr uint64_t kWindow = uint64_t{32} << 20;  // CUDA's reservation
constexpr uint64_t kAlignment = 256;              // alignment of a buffer, equal to that of the app's runtime
constexpr int kMostRefusals = 64;
constexpr uint64_t kPageBytes = 4096;  // page of a loaded image

uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool meet(const AddressRange& a, const AddressRange& b) {
  return a.base < b.end() && b.base < a.end();
}

// All that a captured address may mean.
std::vector<AddressRange> addresses_of(const archive::Manifest& manifest,
                                       const std::vector<AddressRange>& captured_code) {
  std::vector<AddressRange> ranges = captured_code;
  for (const archive::Region& region : manifest.regions) ranges.push_back({region.base, region.size});
  for (const archive::ModuleVariable& variable : manifest.module_variables)
    ranges.push_back({variable.address, variable.size});
  const Buffer& arguments = manifest.kernarg.bytes;
  for (size_t at = 0; at + sizeof(uint64_t) <= arguments.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    if (word >= kAperture && word < kApertureEnd) ranges.push_back({word, 1});
  }
  return ranges;
}

class Placer {
 public:
  Placer(std::vector<AddressRange> taken, DeviceReplay& device) : taken_(std::move(taken)), device_(device) {}

  Result<PlacedBuffer> place(const LensBuffer& buffer) {
    const uint64_t granule = device_.granule(archive::RegionClass::kDevice);
    const uint64_t used = round_up(buffer.bytes, kAlignment), size = round_up(used, granule);
    const uint64_t window_bytes = round_up(size + 2 * granule, kWindow);
    for (int refusals = 0; refusals < kMostRefusals;) {
      const AddressRange window{next_, window_bytes};
      if (window.end() > kApertureEnd) break;
      next_ = window.end();
      const auto in_the_way =
          std::find_if(taken_.begin(), taken_.end(), [&](const AddressRange& range) { return meet(range, window); });
      if (in_the_way != taken_.end()) {
        next_ = std::min(kApertureEnd, round_up(in_the_way->end(), kWindow));
        continue;
      }
      const AddressRange mapping{window.base + granule, size};
      const auto mapped = device_.map_apart(window, mapping);
      if (!mapped) return mapped.error();
      if (*mapped) return PlacedBuffer{buffer, mapping.end() - used, mapping};
      ++refusals;
    }
    return Error{
        "ADDRESS_TAKEN",
        "no address was to be had for the " + std::to_string(buffer.bytes) + " bytes of the lens's buffer " + buffer.id,
        "run it again, with smaller buffers if it stays so"};
  }

 private:
  const std::vector<AddressRange> taken_;
  DeviceReplay& device_;
  uint64_t next_ = kAperture;
};

bool is_selected(const LensSelector& selector, const std::string& name) {
  return selector.is_prefix ? name.starts_with(selector.text) : name == selector.text;
}

Error not_found(const LensSelector& selector, const codeobject::CodeObjectInfo& captured,
                const codeobject::CodeObjectInfo& variant) {
  if (!selector.is_prefix && variant.find_variable(selector.text) && captured.find_variable(selector.text)) {
    return lens_invalid(
        "module variable " + selector.text + " is one of the captured code, too",
        "it is restored and compared as ever, and belongs to no lens: name it otherwise in the variant");
  }
  std::vector<std::string> own;
  for (const codeobject::Variable& variable : variant.variables) {
    if (!captured.find_variable(variable.name)) own.push_back(variable.name);
  }
  std::string nearest;
  for (const std::string& name : codeobject::nearest_names(selector.text, own))
    nearest += (nearest.empty() ? "" : ", ") + name;
  return lens_invalid(
      "the variant has no module variable " + std::string(selector.is_prefix ? "that begins with " : "") +
          selector.text + " beside those of the captured code",
      nearest.empty() ? "it has none of its own: build it with the instrumentation" : "it has " + nearest);
}

}  // namespace

uint64_t LensState::bytes() const {
  uint64_t bytes = 0;
  for (const LensVariable& variable : variables) bytes += variable.initial.size();
  for (const PlacedBuffer& placed : buffers) bytes += placed.buffer.bytes;
  return bytes;
}

std::vector<Target> LensState::targets() const {
  std::vector<Target> targets;
  for (const LensVariable& variable : variables)
    targets.push_back({true, variable.name, variable.address, variable.initial.size(), {}, {}});
  for (const PlacedBuffer& placed : buffers)
    targets.push_back({false, placed.buffer.id, placed.address, placed.buffer.bytes, {}, {}});
  return targets;
}

std::vector<AddressRange> LensState::padding() const {
  std::vector<AddressRange> padding;
  for (const PlacedBuffer& placed : buffers) {
    const AddressRange before{placed.mapping.base, placed.address - placed.mapping.base};
    const uint64_t end = placed.address + placed.buffer.bytes;
    const AddressRange behind{end, placed.mapping.end() - end};
    for (const AddressRange& range : {before, behind}) {
      if (range.size > 0) padding.push_back(range);
    }
  }
  return padding;
}

Result<std::vector<PlacedBuffer>> place_buffers(const std::vector<LensBuffer>& buffers,
                                                const archive::Manifest& manifest,
                                                const std::vector<AddressRange>& captured_code, DeviceReplay& device) {
  Placer placer(addresses_of(manifest, captured_code), device);
  std::vector<PlacedBuffer> placed;
  for (const LensBuffer& buffer : buffers) {
    auto one = placer.place(buffer);
    if (!one) return one.error();
    placed.push_back(std::move(*one));
  }
  return placed;
}

Result<std::vector<LensVariable>> find_lens_variables(const std::vector<LensSelector>& selectors,
                                                      const codeobject::CodeObjectInfo& captured,
                                                      const codeobject::CodeObjectInfo& variant, const LoadedCode& code,
                                                      const std::vector<Target>& restored, DeviceReplay& device) {
  std::vector<const codeobject::Variable*> wanted;
  for (const LensSelector& selector : selectors) {
    bool any = false;
    for (const codeobject::Variable& variable : variant.variables) {
      if (!is_selected(selector, variable.name) || captured.find_variable(variable.name)) continue;
      any = true;
      if (std::find(wanted.begin(), wanted.end(), &variable) == wanted.end()) wanted.push_back(&variable);
    }
    if (!any) return not_found(selector, captured, variant);
  }
  uint64_t bytes = 0;
  std::vector<LensVariable> found;
  for (const codeobject::Variable* variable : wanted) {
    if (variable->managed) {
      return lens_invalid("module variable " + variable->name + " is managed memory, which the host may hold",
                          "declare it as __device__");
    }
    if (variable->size > kMaxLensVariableBytes - bytes) {
      return lens_invalid("the module variables of the lens have more than " + std::to_string(kMaxLensVariableBytes) +
                              " bytes, with " + variable->name,
                          "use buffers, or fewer slots");
    }
    bytes += variable->size;
    const uint64_t image = variant.memory_bytes;
    if (code.base && (variable->address > image || variable->size > image - variable->address)) {
      return lens_invalid("module variable " + variable->name + " reaches beyond the image of the variant",
                          "give a complete code object, as the compiler wrote it");
    }
    auto address = device.variable_address(code, *variable);
    if (!address) return address.error();
    const AddressRange range{*address, variable->size};
    for (const Target& target : restored) {
      if (meet(range, {target.address, target.size})) {
        return lens_invalid("module variable " + variable->name + " lies over " + target.name + " of the captured code",
                            "give it bytes of its own");
      }
    }
    LensVariable placed{variable->name, *address, variable->writable, Buffer(variable->size)};
    if (auto read = device.read(*address, placed.initial); !read) return read.error();
    found.push_back(std::move(placed));
  }
  return found;
}

Result<std::vector<Margin>> find_margins(const std::vector<LensVariable>& variables,
                                         const codeobject::CodeObjectInfo& variant, uint64_t base,
                                         DeviceReplay& device) {
  std::vector<AddressRange> margins;
  for (const LensVariable& variable : variables) {
    if (!variable.is_writable || variable.initial.empty()) continue;
    const AddressRange own{variable.address, variable.initial.size()};
    uint64_t from = own.base / kPageBytes * kPageBytes, to = round_up(own.end(), kPageBytes);
    for (const codeobject::Variable& other : variant.variables) {
      const AddressRange range{base + other.address, std::max<uint64_t>(other.size, 1)};
      if (range.base >= own.end()) to = std::min(to, range.base);
      if (range.base < own.base) from = std::max(from, std::min(range.end(), own.base));
    }
    margins.push_back({from, own.base - from});
    margins.push_back({own.end(), to - own.end()});
  }
  std::vector<Margin> read;
  for (const AddressRange& range : merge_ranges(std::move(margins))) {
    if (range.size == 0) continue;
    Margin margin{range, Buffer(range.size)};
    if (auto done = device.read(range.base, margin.initial); !done) return done.error();
    read.push_back(std::move(margin));
  }
  return read;
}

std::vector<uint64_t> parameter_values(const LensState& lens, uint64_t launch) {
  std::vector<uint64_t> values;
  for (const LensParameter& parameter : lens.parameters) {
    const std::vector<uint64_t>& given = parameter.values;
    values.push_back(parameter.buffer ? lens.buffers.at(*parameter.buffer).address
                                      : given.at(std::min<uint64_t>(launch, given.size() - 1)));
  }
  return values;
}

Status restore_lens(const LensState& lens, bool is_fresh, const std::function<bool(const AddressRange&)>& is_kept,
                    DeviceReplay& device) {
  for (const LensVariable& variable : lens.variables) {
    const uint64_t size = variable.initial.size();
    if (is_fresh || !variable.is_writable || size == 0 || is_kept({variable.address, size})) continue;
    if (auto written = device.write(variable.address, variable.initial); !written) return written;
  }
  for (const PlacedBuffer& placed : lens.buffers) {
    const LensBuffer& buffer = placed.buffer;
    const bool is_right = is_fresh && buffer.fill == 0 && device.fresh_memory_is_zero();
    if (is_right || is_kept({placed.address, buffer.bytes})) continue;
    if (auto filled = device.fill(placed.address, buffer.bytes, buffer.fill); !filled) return filled;
  }
  return Unit{};
}

Result<std::vector<Buffer>> read_variables(const LensState& lens, DeviceReplay& device) {
  std::vector<Buffer> contents;
  for (const LensVariable& variable : lens.variables) {
    contents.emplace_back(variable.initial.size());
    if (auto read = device.read(variable.address, contents.back()); !read) return read.error();
  }
  return contents;
}

Status write_variables(const LensState& lens, const std::vector<Buffer>& contents, DeviceReplay& device) {
  for (size_t i = 0; i < contents.size(); ++i) {
    const LensVariable& variable = lens.variables[i];
    if (!variable.is_writable || contents[i].empty()) continue;
    if (auto written = device.write(variable.address, contents[i]); !written) return written;
  }
  return Unit{};
}

}  // namespace kernloop::replay
