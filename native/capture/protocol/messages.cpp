#include "capture/protocol/messages.h"

#include <algorithm>
#include <bit>

#include "capture/protocol/wire.h"

namespace kernloop::capture {
namespace {

constexpr uint32_t kMaxRanges = 4096;
constexpr uint32_t kMaxObjects = 1024;

Encoded finish(const WireWriter& out) {
  return Encoded(out.bytes().begin(), out.bytes().end());
}

template <typename T>
std::optional<T> accept(const WireReader& in, T message) {
  if (!in.complete()) return std::nullopt;
  return message;
}

// An enum is only ever one of its values.
template <typename E>
E get_enum(WireReader& in, E last, bool* ok) {
  const auto raw = in.get<uint8_t>();
  if (raw > static_cast<uint8_t>(last)) *ok = false;
  return static_cast<E>(raw);
}

bool get_bool(WireReader& in, bool* ok) {
  const auto raw = in.get<uint8_t>();
  if (raw > 1) *ok = false;
  return raw == 1;
}

void put_ranges(WireWriter& out, const std::vector<ByteRange>& ranges) {
  out.put(static_cast<uint32_t>(ranges.size()));
  for (const ByteRange& range : ranges) out.put(range.base).put(range.size);
}

std::vector<ByteRange> get_ranges(WireReader& in, bool* ok) {
  std::vector<ByteRange> ranges;
  const auto count = in.get<uint32_t>();
  if (count > kMaxRanges) {
    *ok = false;
    return ranges;
  }
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    ByteRange range;
    range.base = in.get<uint64_t>();
    range.size = in.get<uint64_t>();
    ranges.push_back(range);
  }
  return ranges;
}

void put_variables(WireWriter& out, const std::vector<ModuleVariable>& variables) {
  out.put(static_cast<uint32_t>(variables.size()));
  for (const ModuleVariable& variable : variables) {
    out.put(std::string_view(variable.name)).put(variable.address).put(variable.size);
  }
}

std::vector<ModuleVariable> get_variables(WireReader& in, bool* ok) {
  std::vector<ModuleVariable> variables;
  const auto count = in.get<uint32_t>();
  if (count > kMaxModuleVariables) *ok = false;
  for (uint32_t i = 0; *ok && i < count && in.ok(); ++i) {
    ModuleVariable variable;
    variable.name = in.text(kMaxSymbolBytes);
    variable.address = in.get<uint64_t>();
    variable.size = in.get<uint64_t>();
    variables.push_back(std::move(variable));
  }
  return variables;
}

void put_geometry(WireWriter& out, const LaunchGeometry& geometry) {
  for (uint32_t value : geometry.grid_blocks) out.put(value);
  for (uint64_t value : geometry.grid_work_items) out.put(value);
  for (uint32_t value : geometry.block_threads) out.put(value);
  out.put(geometry.group_segment_bytes).put(geometry.private_segment_bytes).put(geometry.dimensions);
}

LaunchGeometry get_geometry(WireReader& in) {
  LaunchGeometry geometry;
  for (uint32_t& value : geometry.grid_blocks) value = in.get<uint32_t>();
  for (uint64_t& value : geometry.grid_work_items) value = in.get<uint64_t>();
  for (uint32_t& value : geometry.block_threads) value = in.get<uint32_t>();
  geometry.group_segment_bytes = in.get<uint32_t>();
  geometry.private_segment_bytes = in.get<uint32_t>();
  geometry.dimensions = in.get<uint32_t>();
  return geometry;
}

void put_attributes(WireWriter& out, const std::vector<LaunchAttribute>& attributes) {
  out.put(static_cast<uint32_t>(attributes.size()));
  for (const LaunchAttribute& attribute : attributes) out.put(std::string_view(attribute.name)).put(attribute.value);
}

std::vector<LaunchAttribute> get_attributes(WireReader& in, bool* ok) {
  std::vector<LaunchAttribute> attributes;
  const auto count = in.get<uint32_t>();
  if (count > kMaxLaunchAttributes) *ok = false;
  for (uint32_t i = 0; *ok && i < count && in.ok(); ++i) {
    LaunchAttribute attribute;
    attribute.name = in.text(kMaxTextBytes);
    attribute.value = in.get<uint64_t>();
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

void put_selection(WireWriter& out, const SelectionRequest& selection) {
  out.put(static_cast<uint32_t>(selection.ordinals.size()));
  for (const OrdinalRange& range : selection.ordinals) out.put(range.first).put(range.last);
  out.put(selection.each).put(selection.limit).put(selection.after).put(selection.to_end);
  out.put(selection.scope).put(selection.byte_budget);
}

SelectionRequest get_selection(WireReader& in, bool* ok) {
  SelectionRequest selection;
  selection.ordinals.clear();
  const auto count = in.get<uint32_t>();
  if (count > kMaxOrdinalRanges) *ok = false;
  for (uint32_t i = 0; *ok && i < count && in.ok(); ++i) {
    OrdinalRange range;
    range.first = in.get<uint64_t>();
    range.last = in.get<uint64_t>();
    selection.ordinals.push_back(range);
  }
  selection.each = get_enum(in, Each::kKernel, ok);
  selection.limit = in.get<uint64_t>();
  selection.after = in.get<uint64_t>();
  selection.to_end = get_bool(in, ok);
  selection.scope = get_enum(in, ScopeMode::kAll, ok);
  selection.byte_budget = in.get<uint64_t>();
  return selection;
}

void put_known(WireWriter& out, const std::optional<uint32_t>& value) {
  out.put(value.has_value()).put(value.value_or(0));
}

std::optional<uint32_t> get_known(WireReader& in, bool* ok) {
  const bool known = get_bool(in, ok);
  const auto value = in.get<uint32_t>();
  return known ? std::optional(value) : std::nullopt;
}

void put_resources(WireWriter& out, const LaunchResources& resources) {
  put_known(out, resources.registers_per_thread);
  put_known(out, resources.static_shared_bytes);
  put_known(out, resources.dynamic_shared_bytes);
  put_known(out, resources.local_bytes_per_thread);
  put_known(out, resources.resident_blocks_per_multiprocessor);
  out.put(resources.occupancy_percent.has_value())
      .put(std::bit_cast<uint64_t>(resources.occupancy_percent.value_or(0)));
}

LaunchResources get_resources(WireReader& in, bool* ok) {
  LaunchResources resources;
  resources.registers_per_thread = get_known(in, ok);
  resources.static_shared_bytes = get_known(in, ok);
  resources.dynamic_shared_bytes = get_known(in, ok);
  resources.local_bytes_per_thread = get_known(in, ok);
  resources.resident_blocks_per_multiprocessor = get_known(in, ok);
  const bool known = get_bool(in, ok);
  const auto percent = std::bit_cast<double>(in.get<uint64_t>());
  if (!(percent >= 0 && percent <= 100)) *ok = false;
  if (known) resources.occupancy_percent = percent;
  return resources;
}

}  // namespace

std::array<uint32_t, 3> blocks_of(const std::array<uint64_t, 3>& work_items, const std::array<uint32_t, 3>& block) {
  std::array<uint32_t, 3> blocks;
  for (size_t i = 0; i < 3; ++i) {
    const uint64_t threads = std::max<uint32_t>(block[i], 1);
    blocks[i] = static_cast<uint32_t>(work_items[i] / threads + (work_items[i] % threads != 0));
  }
  return blocks;
}

Encoded Hello::encode() const {
  WireWriter out;
  out.put(kHelloMagic).put(kProtocol).put(std::string_view(executable)).put(std::string_view(runtime)).put(parent_pid);
  out.put(static_cast<uint32_t>(command.size()));
  for (const std::string& argument : command) out.put(std::string_view(argument));
  return finish(out);
}

std::optional<Hello> Hello::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  Hello message;
  if (in.get<uint32_t>() != kHelloMagic || in.get<uint32_t>() != kProtocol) return std::nullopt;
  message.executable = in.text(kMaxTextBytes);
  message.runtime = in.text(kMaxTextBytes);
  message.parent_pid = in.get<uint32_t>();
  const auto arguments = in.get<uint32_t>();
  if (arguments > kMaxCommandArguments) return std::nullopt;
  for (uint32_t i = 0; i < arguments && in.ok(); ++i) message.command.push_back(in.text(kMaxCommandBytes));
  return accept(in, message);
}

Encoded Welcome::encode() const {
  WireWriter out;
  out.put(kHelloMagic).put(kProtocol).put(std::string_view(refusal)).put(mode).put(drain_limit_ms).put(run_limit_ms);
  out.put(static_cast<uint32_t>(selections.size()));
  for (const SelectionRequest& selection : selections) put_selection(out, selection);
  return finish(out);
}

std::optional<Welcome> Welcome::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  bool ok = true;
  Welcome message;
  if (in.get<uint32_t>() != kHelloMagic || in.get<uint32_t>() != kProtocol) return std::nullopt;
  message.refusal = in.text(kMaxTextBytes);
  message.mode = get_enum(in, Mode::kProfile, &ok);
  message.drain_limit_ms = in.get<uint64_t>();
  message.run_limit_ms = in.get<uint64_t>();
  const auto count = in.get<uint32_t>();
  if (count > kMaxSelections) return std::nullopt;
  for (uint32_t i = 0; i < count && ok; ++i) message.selections.push_back(get_selection(in, &ok));
  return ok ? accept(in, message) : std::nullopt;
}

Encoded QueueMessage::encode() const {
  WireWriter out;
  out.put(index).put(std::string_view(agent_name)).put(std::string_view(isa)).put(wavefront_size);
  return finish(out);
}

std::optional<QueueMessage> QueueMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  QueueMessage message;
  message.index = in.get<uint32_t>();
  message.agent_name = in.text(kMaxTextBytes);
  message.isa = in.text(kMaxTextBytes);
  message.wavefront_size = in.get<uint32_t>();
  return accept(in, message);
}

Encoded CodeObjectMessage::encode() const {
  WireWriter out;
  out.put(object).put(size);
  return finish(out);
}

std::optional<CodeObjectMessage> CodeObjectMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  CodeObjectMessage message;
  message.object = in.get<uint32_t>();
  message.size = in.get<uint64_t>();
  return accept(in, message);
}

Encoded BulkHeader::encode() const {
  WireWriter out;
  out.put(capture).put(id).put(offset);
  return finish(out);
}

std::optional<BulkHeader> BulkHeader::decode(std::span<const uint8_t> bytes, std::span<const uint8_t>* bulk) {
  WireReader in(bytes);
  BulkHeader message;
  message.capture = in.get<uint32_t>();
  message.id = in.get<uint32_t>();
  message.offset = in.get<uint64_t>();
  if (!in.ok()) return std::nullopt;
  *bulk = in.rest();
  return message;
}

Encoded KernelMessage::encode() const {
  WireWriter out;
  out.put(request)
      .put(kernel)
      .put(kernel_object)
      .put(std::string_view(symbol))
      .put(static_cast<uint32_t>(objects.size()));
  for (uint32_t object : objects) out.put(object);
  return finish(out);
}

std::optional<KernelMessage> KernelMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  KernelMessage message;
  message.request = in.get<uint32_t>();
  message.kernel = in.get<uint32_t>();
  message.kernel_object = in.get<uint64_t>();
  message.symbol = in.text(kMaxSymbolBytes);
  const auto count = in.get<uint32_t>();
  if (count > kMaxObjects) return std::nullopt;
  for (uint32_t i = 0; i < count && in.ok(); ++i) message.objects.push_back(in.get<uint32_t>());
  return accept(in, message);
}

Encoded KernelReply::encode() const {
  WireWriter out;
  out.put(request).put(selections).put(gates).put(identity);
  return finish(out);
}

std::optional<KernelReply> KernelReply::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  KernelReply message;
  message.request = in.get<uint32_t>();
  message.selections = in.get<uint64_t>();
  message.gates = in.get<uint64_t>();
  message.identity = in.get<uint32_t>();
  return accept(in, message);
}

Encoded MatchMessage::encode() const {
  WireWriter out;
  out.put(request).put(static_cast<uint32_t>(symbols.size()));
  for (const std::string& symbol : symbols) out.put(std::string_view(symbol));
  return finish(out);
}

std::optional<MatchMessage> MatchMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  MatchMessage message;
  message.request = in.get<uint32_t>();
  const auto count = in.get<uint32_t>();
  if (count > kMaxMatchSymbols) return std::nullopt;
  for (uint32_t i = 0; i < count && in.ok(); ++i) message.symbols.push_back(in.text(kMaxSymbolBytes));
  return accept(in, message);
}

Encoded MatchReply::encode() const {
  WireWriter out;
  out.put(request).put(static_cast<uint32_t>(selections.size()));
  for (uint64_t mask : selections) out.put(mask);
  return finish(out);
}

std::optional<MatchReply> MatchReply::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  MatchReply message;
  message.request = in.get<uint32_t>();
  const auto count = in.get<uint32_t>();
  if (count > kMaxMatchSymbols) return std::nullopt;
  for (uint32_t i = 0; i < count && in.ok(); ++i) message.selections.push_back(in.get<uint64_t>());
  return accept(in, message);
}

Encoded BeginMessage::encode() const {
  WireWriter out;
  out.put(request).put(capture).put(selection).put(kernel).put(ordinal).put(index).put(queue).put(scope).put(widened);
  put_geometry(out, geometry);
  put_attributes(out, launch_attributes);
  return finish(out);
}

std::optional<BeginMessage> BeginMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  bool ok = true;
  BeginMessage message;
  message.request = in.get<uint32_t>();
  message.capture = in.get<uint32_t>();
  message.selection = in.get<uint32_t>();
  message.kernel = in.get<uint32_t>();
  message.ordinal = in.get<uint64_t>();
  message.index = in.get<uint64_t>();
  message.queue = in.get<uint32_t>();
  message.scope = get_enum(in, ScopeMode::kAll, &ok);
  message.widened = get_bool(in, &ok);
  message.geometry = get_geometry(in);
  message.launch_attributes = get_attributes(in, &ok);
  return ok ? accept(in, message) : std::nullopt;
}

Encoded BeginReply::encode() const {
  WireWriter out;
  out.put(request).put(granted).put(kernarg_bytes);
  put_ranges(out, ignored_kernarg);
  put_variables(out, module_variables);
  return finish(out);
}

std::optional<BeginReply> BeginReply::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  bool ok = true;
  BeginReply message;
  message.request = in.get<uint32_t>();
  message.granted = get_bool(in, &ok);
  message.kernarg_bytes = in.get<uint32_t>();
  message.ignored_kernarg = get_ranges(in, &ok);
  message.module_variables = get_variables(in, &ok);
  return ok && message.kernarg_bytes <= kMaxKernargBytes ? accept(in, message) : std::nullopt;
}

Encoded KernargMessage::encode() const {
  WireWriter out;
  out.put(capture).put(std::span<const uint8_t>(bytes));
  return finish(out);
}

std::optional<KernargMessage> KernargMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  KernargMessage message;
  message.capture = in.get<uint32_t>();
  const auto raw = in.bytes(kMaxKernargBytes);
  message.bytes.assign(raw.begin(), raw.end());
  return accept(in, message);
}

Encoded ScopeMessage::encode() const {
  WireWriter out;
  out.put(capture).put(tracked_regions).put(tracked_bytes);
  return finish(out);
}

std::optional<ScopeMessage> ScopeMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  ScopeMessage message;
  message.capture = in.get<uint32_t>();
  message.tracked_regions = in.get<uint64_t>();
  message.tracked_bytes = in.get<uint64_t>();
  return accept(in, message);
}

Encoded RegionMessage::encode() const {
  WireWriter out;
  out.put(capture).put(region).put(base).put(size).put(memory_class).put(std::string_view(api)).put(ordinal);
  out.put(origin.reached).put(origin.region);
  return finish(out);
}

std::optional<RegionMessage> RegionMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  bool ok = true;
  RegionMessage message;
  message.capture = in.get<uint32_t>();
  message.region = in.get<uint32_t>();
  message.base = in.get<uint64_t>();
  message.size = in.get<uint64_t>();
  message.memory_class = get_enum(in, MemoryClass::kModule, &ok);
  message.api = in.text(kMaxTextBytes);
  message.ordinal = in.get<uint64_t>();
  message.origin.reached = get_enum(in, Reached::kWidened, &ok);
  message.origin.region = in.get<uint32_t>();
  if (message.size == 0 || message.base + message.size < message.base) ok = false;
  return ok ? accept(in, message) : std::nullopt;
}

Encoded CommitMessage::encode() const {
  WireWriter out;
  out.put(capture).put(duration_ns).put(has_wave_instructions).put(wave_instructions);
  return finish(out);
}

std::optional<CommitMessage> CommitMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  bool ok = true;
  CommitMessage message;
  message.capture = in.get<uint32_t>();
  message.duration_ns = in.get<uint64_t>();
  message.has_wave_instructions = get_bool(in, &ok);
  message.wave_instructions = in.get<uint64_t>();
  return ok ? accept(in, message) : std::nullopt;
}

Encoded AbortMessage::encode() const {
  WireWriter out;
  out.put(capture).put(std::string_view(code)).put(std::string_view(reason)).put(std::string_view(hint));
  return finish(out);
}

std::optional<AbortMessage> AbortMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  AbortMessage message;
  message.capture = in.get<uint32_t>();
  message.code = in.text(kMaxTextBytes);
  message.reason = in.text(kMaxReasonBytes);
  message.hint = in.text(kMaxTextBytes);
  return accept(in, message);
}

Encoded ProfileMessage::encode() const {
  WireWriter out;
  out.put(kernel);
  put_geometry(out, geometry);
  put_resources(out, resources);
  out.put(is_wave_instructions).put(value);
  out.put(start_ns).put(end_ns).put(device).put(stream);
  return finish(out);
}

std::optional<ProfileMessage> ProfileMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  bool ok = true;
  ProfileMessage message;
  message.kernel = in.get<uint32_t>();
  message.geometry = get_geometry(in);
  message.resources = get_resources(in, &ok);
  message.is_wave_instructions = get_bool(in, &ok);
  message.value = in.get<uint64_t>();
  message.start_ns = in.get<uint64_t>();
  message.end_ns = in.get<uint64_t>();
  message.device = in.get<uint32_t>();
  message.stream = in.get<uint32_t>();
  return ok ? accept(in, message) : std::nullopt;
}

Encoded NoteMessage::encode() const {
  WireWriter out;
  out.put(std::string_view(code)).put(std::string_view(text));
  return finish(out);
}

std::optional<NoteMessage> NoteMessage::decode(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  NoteMessage message;
  message.code = in.text(kMaxTextBytes);
  message.text = in.text(kMaxReasonBytes);
  return accept(in, message);
}

}  // namespace kernloop::capture
