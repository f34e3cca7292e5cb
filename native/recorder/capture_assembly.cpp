#include "recorder/capture_assembly.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "recorder/protocol_error.h"

namespace kernloop::recorder {
namespace {

using archive::Json;
using protocol::MemoryClass;

constexpr size_t kMaxParts = 1u << 20;
static_assert(protocol::kSnapshotChunkBytes == archive::kChunkBytes);

Bytes as_bytes(std::span<const uint8_t> bytes) {
  return bytes;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

uint64_t value_at(const std::vector<uint8_t>& bytes, uint64_t offset, uint64_t size) {
  uint64_t value = 0;
  for (uint64_t i = 0; i < size; ++i) value |= uint64_t{bytes[offset + i]} << (8 * i);
  return value;
}

}  // namespace

CaptureAssembly::CaptureAssembly(const Config& config, OutputFolder& folder, const KernelRecord& kernel,
                                 const DeviceFacts& device, const protocol::BeginMessage& begin, Json process)
    : config_(config),
      folder_(folder),
      kernel_(kernel),
      device_(device),
      begin_(begin),
      process_(std::move(process)),
      pieces_(module_pieces(kernel)) {}

Result<std::unique_ptr<CaptureAssembly>> CaptureAssembly::begin(const Config& config, OutputFolder& folder,
                                                                const KernelRecord& kernel, const DeviceFacts& device,
                                                                const protocol::BeginMessage& begin, Json process) {
  std::unique_ptr<CaptureAssembly> assembly(
      new CaptureAssembly(config, folder, kernel, device, begin, std::move(process)));
  if (assembly->pieces_.size() > protocol::kMaxModuleVariables) {
    return Error{"TOO_MANY_VARIABLES",
                 "the code object of " + kernel.demangled + " has " + std::to_string(assembly->pieces_.size()) +
                     " module variables, more than the " + std::to_string(protocol::kMaxModuleVariables) +
                     " that a capture can hold",
                 "capture a kernel of a smaller code object"};
  }
  if (assembly->reply().encode().size() > protocol::kMaxDatagramBytes) {
    return Error{"TOO_MANY_VARIABLES",
                 "the names of the " + std::to_string(assembly->pieces_.size()) + " module variables of " +
                     kernel.demangled + "'s code object are longer than an agent can be told",
                 "capture a kernel of a smaller code object"};
  }
  folder.discard();  // an attempt whose scope was too small
  auto writer = archive::CaptureWriter::create(
      {folder.partial(), config.store, config.inline_limit_bytes, {config.pipeline_threads, config.pipeline_bytes}});
  if (!writer) return writer.error();
  assembly->writer_ = std::move(*writer);
  return assembly;
}

archive::Geometry CaptureAssembly::geometry() const {
  const protocol::LaunchGeometry& launch = begin_.geometry;
  archive::Geometry geometry;
  geometry.grid_blocks = launch.grid_blocks;
  geometry.block_threads = launch.block_threads;
  geometry.grid_work_items = launch.grid_work_items;
  geometry.group_segment_bytes = launch.group_segment_bytes;
  geometry.private_segment_bytes = launch.private_segment_bytes;
  geometry.dimensions = launch.dimensions;
  for (const protocol::LaunchAttribute& attribute : begin_.launch_attributes) {
    if (is_compiled_in(*kernel_.metadata, attribute)) continue;
    geometry.attributes[attribute.name] = attribute.value;
  }
  return geometry;
}

protocol::BeginReply CaptureAssembly::reply() const {
  protocol::BeginReply reply;
  reply.granted = true;
  reply.kernarg_bytes = kernel_.metadata->kernarg_bytes;
  for (const codeobject::KernelArgument& argument : kernel_.metadata->args) {
    if (is_process_bound(argument.value_kind)) reply.ignored_kernarg.push_back({argument.offset, argument.size});
  }
  for (const ModulePiece& piece : pieces_) {
    const std::string name = piece.range.base == 0 ? piece.name : std::string();
    reply.module_variables.push_back({name, piece.range.base, piece.range.size});
  }
  return reply;
}

Status CaptureAssembly::kernarg(const protocol::KernargMessage& message) {
  // Empty: an AQL packet without a kernarg address.
  if (message.bytes.size() != kernel_.metadata->kernarg_bytes && !message.bytes.empty())
    return protocol_error("size of the kernel arguments");
  kernarg_ = message.bytes;
  kernarg_.resize(kernel_.metadata->kernarg_bytes);
  return Unit{};
}

Status CaptureAssembly::scope(const protocol::ScopeMessage& message) {
  scope_ = message;
  if (begin_.scope == protocol::ScopeMode::kAll) writer_->expect(message.tracked_bytes);
  return Unit{};
}

Status CaptureAssembly::region(const protocol::RegionMessage& message) {
  if (message.region != parts_.size() || parts_.size() >= kMaxParts) return protocol_error("region numbers");
  if (!parts_.empty() && !parts_.back().complete()) return protocol_error("a region before the end of the one before");
  if (message.memory_class == MemoryClass::kModule && !was_asked_for(message))
    return protocol_error("a module variable that was not asked for");
  Part part;
  part.message = message;
  part.begin = pre_bytes_;
  part.stream = std::make_unique<archive::ContentStream>(*writer_);
  parts_.push_back(std::move(part));
  return Unit{};
}

bool CaptureAssembly::was_asked_for(const protocol::RegionMessage& variable) const {
  if (variable.ordinal >= pieces_.size()) return false;
  const protocol::ByteRange& asked = pieces_[variable.ordinal].range;
  return asked.size == variable.size && (asked.base == 0 || asked.base == variable.base);
}

Status CaptureAssembly::pre(const protocol::BulkHeader& header, BulkBytes bytes) {
  if (parts_.empty() || header.id != parts_.size() - 1) return protocol_error("bytes of another region than the last");
  Part& part = parts_.back();
  if (header.offset != part.received || bytes.size() == 0 || bytes.size() > part.message.size - part.received) {
    return protocol_error("bytes of a region out of order");
  }
  pre_bytes_ += bytes.size();
  part.received += bytes.size();
  const auto take = [&](std::span<uint8_t> into) { bytes.take(into); };
  if (auto appended = part.stream->append(bytes.size(), take); !appended) return appended.error();
  return part.complete() ? finish_pre(part) : Status(Unit{});
}

Status CaptureAssembly::outside(const protocol::RegionMessage& message) {
  if (outside_.size() >= kMaxParts) return protocol_error("too many regions outside of the scope");
  outside_.push_back(message);
  return Unit{};
}

Status CaptureAssembly::violation(const protocol::RegionMessage& message) {
  if (violations_.size() >= kMaxParts) return protocol_error("too many violations of the scope");
  violations_.push_back(message);
  return Unit{};
}

Status CaptureAssembly::finish_pre(Part& part) {
  auto content = part.stream->finish();
  if (!content) return content.error();
  part.stream.reset();
  part.pre = *content;
  part.post = std::move(*content);  // until a change arrives
  return Unit{};
}

Status CaptureAssembly::post(const protocol::BulkHeader& header, BulkBytes bytes) {
  if (header.id >= parts_.size() || !parts_[header.id].complete())
    return protocol_error("post bytes of an unknown region");
  const Part& part = parts_[header.id];
  if (header.offset > part.message.size || bytes.size() == 0 || bytes.size() > part.message.size - header.offset) {
    return protocol_error("post bytes beyond their region");
  }
  const size_t arrived = post_chunk_.bytes().size();
  const bool continues = arrived != 0 && header.id == post_region_ && header.offset == post_offset_ + arrived;
  if (!continues) {
    if (header.offset % archive::kChunkBytes != 0 || arrived != 0) return protocol_error("post bytes out of order");
    post_region_ = header.id;
    post_offset_ = header.offset;
    if (!post_chunk_) post_chunk_ = writer_->buffer();
  }
  const uint64_t whole = std::min<uint64_t>(archive::kChunkBytes, part.message.size - post_offset_);
  if (bytes.size() > whole - post_chunk_.bytes().size()) return protocol_error("post bytes beyond their chunk");
  compared_bytes_ = part.begin + header.offset + bytes.size();
  bytes.take(post_chunk_.extend(bytes.size()));
  return post_chunk_.bytes().size() == whole ? flush_post() : Status(Unit{});
}

Status CaptureAssembly::flush_post() {
  auto ticket = writer_->put(std::exchange(post_chunk_, archive::ChunkBuffer()));
  if (!ticket) return ticket.error();
  parts_[post_region_].post.chunks[post_offset_ / archive::kChunkBytes] = *ticket;
  return Unit{};
}

// Unchanged memory sends nothing after the launch: the bytes that arrive show how far the comparison is.
CaptureProgress CaptureAssembly::progress() const {
  if (compared_bytes_ != 0) return {true, compared_bytes_, pre_bytes_};
  const bool is_known = announced_ && *announced_ >= pre_bytes_;
  return {false, pre_bytes_, is_known ? announced_ : std::nullopt};
}

Result<CaptureResult> CaptureAssembly::commit(const protocol::CommitMessage& message) {
  if (!parts_.empty() && !parts_.back().complete()) return protocol_error("a commit before the end of the last region");
  if (!post_chunk_.empty()) return protocol_error("a commit in the middle of a chunk");
  if (!violations_.empty()) return protocol_error("a commit of a capture whose scope was violated");
  if (auto settled = writer_->settle(); !settled) return settled.error();
  auto made = manifest(message);
  if (!made) return made.error();
  if (auto finished = writer_->finish(*made, observed(message)); !finished) return finished.error();
  if (auto published = folder_.publish(); !published) return published.error();
  CaptureResult result;
  result.geometry = made->geometry;
  result.bytes_raw = writer_->bytes_raw();
  result.bytes_stored = writer_->bytes_stored();
  result.regions = made->regions.size();
  result.bytes_tracked = made->scope.tracked_bytes;
  result.wave_instructions = made->execution.wave_instructions;
  return result;
}

Result<archive::Manifest> CaptureAssembly::manifest(const protocol::CommitMessage& message) {
  archive::Manifest manifest;
  manifest.tool.version = config_.tool_version;
  manifest.app = config_.app;
  describe_device(manifest);

  const CodeObject& object = *kernel_.object;
  manifest.kernel.name = kernel_.demangled;
  manifest.kernel.symbol = kernel_.symbol;
  manifest.kernel.code_object = object.info->sha256;
  manifest.kernel.kernarg_bytes = kernel_.metadata->kernarg_bytes;
  manifest.kernel.group_segment_bytes = kernel_.metadata->group_segment_bytes;
  manifest.kernel.private_segment_bytes = kernel_.metadata->private_segment_bytes;
  manifest.dispatch = {begin_.ordinal, begin_.index, begin_.queue, Json::object()};

  manifest.geometry = geometry();

  manifest.scope.mode = begin_.scope == protocol::ScopeMode::kAll ? "all" : "reachable";
  manifest.scope.widened = begin_.widened;
  manifest.scope.tracked_regions = scope_.tracked_regions;
  manifest.scope.tracked_bytes = scope_.tracked_bytes;
  add_regions(manifest);
  add_kernarg(manifest);

  auto content = writer_->put(as_bytes(object.bytes));
  if (!content) return content.error();
  manifest.code_objects.push_back(
      {object.info->sha256, object.bytes.size(), kernel_.load_base, std::move(*content), Json::object()});
  if (message.has_wave_instructions) manifest.execution.wave_instructions = message.wave_instructions;
  return manifest;
}

// The stage describes the device that it chose; facts that it leaves open come from the device itself.
void CaptureAssembly::describe_device(archive::Manifest& manifest) const {
  archive::Device& device = manifest.device;
  for (const auto& [name, value] : config_.device.items()) {
    if (name == "kind" && value.is_string()) {
      device.kind = value;
    } else if (name == "identity" && value.is_string()) {
      device.identity = value;
    } else if (name == "isa" && value.is_string()) {
      device.isa = value;
    } else if (name == "name" && value.is_string()) {
      device.name = value;
    } else if (name == "wavefront_size" && value.is_number_unsigned()) {
      device.wavefront_size = value;
    } else {
      device.extra[name] = value;
    }
  }
  if (device.isa.empty()) device.isa = device_.isa;
  if (device.name.empty()) device.name = device_.name;
  if (device.wavefront_size == 0) device.wavefront_size = device_.wavefront_size;
}

// Sorted: independent of the order in which they were found.
std::vector<const CaptureAssembly::Part*> CaptureAssembly::parts_by_address() const {
  std::vector<const Part*> sorted;
  for (const Part& part : parts_) sorted.push_back(&part);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->message.base < b->message.base; });
  return sorted;
}

void CaptureAssembly::add_regions(archive::Manifest& manifest) const {
  for (const Part* part : parts_by_address()) {
    const protocol::RegionMessage& message = part->message;
    if (message.memory_class == MemoryClass::kModule) {
      manifest.module_variables.push_back({kernel_.object->info->sha256, pieces_[message.ordinal].name, message.base,
                                           message.size, writer_->names(part->pre), writer_->names(part->post),
                                           message.address_told, Json::object()});
      continue;
    }
    archive::Region region;
    region.id = "r" + std::to_string(manifest.regions.size());
    region.base = message.base;
    region.size = message.size;
    region.memory_class =
        message.memory_class == MemoryClass::kHost ? archive::RegionClass::kHost : archive::RegionClass::kDevice;
    region.api = message.api;
    region.allocation_ordinal = message.ordinal;
    region.pre = writer_->names(part->pre);
    region.post = writer_->names(part->post);
    region.fine_grained = message.fine_grained;
    manifest.regions.push_back(std::move(region));
  }
}

void CaptureAssembly::add_kernarg(archive::Manifest& manifest) const {
  manifest.kernarg.bytes = kernarg_;
  for (const codeobject::KernelArgument& argument : kernel_.metadata->args) {
    if (argument.offset > kernarg_.size() || argument.size > kernarg_.size() - argument.offset) continue;
    archive::KernargSlot slot;
    slot.offset = argument.offset;
    slot.size = argument.size;
    slot.kind = argument.value_kind;
    slot.name = argument.name;
    if (!argument.type_name.empty()) slot.type_name = argument.type_name;
    if (is_process_bound(argument.value_kind)) {
      slot.policy = archive::SlotPolicy::kZero;
      std::fill_n(manifest.kernarg.bytes.begin() + argument.offset, argument.size, uint8_t{0});
    }
    if (argument.size <= 8)
      slot.value = to_hex_number(value_at(manifest.kernarg.bytes, argument.offset, argument.size));
    if (argument.size == 8) {
      const uint64_t address = value_at(manifest.kernarg.bytes, argument.offset, 8) & ((uint64_t{1} << 48) - 1);
      for (const archive::Region& region : manifest.regions) {
        if (address - region.base < region.size) slot.region = region.id;
      }
    }
    manifest.kernarg.slots.push_back(std::move(slot));
  }
}

Json CaptureAssembly::observed(const protocol::CommitMessage& message) const {
  utsname host{};
  uname(&host);
  Json json = {{"schema", "kernloop.observed/1"},
               {"captured_at", utc_now()},
               {"host", {{"system", host.sysname}, {"release", host.release}, {"machine", host.machine}}},
               {"process", process_}};
  // On the software GPU a duration is no GPU time.
  if (!message.has_wave_instructions) json["duration_ns"] = message.duration_ns;
  json["changed_outside_scope"] = Json::array();
  for (const protocol::RegionMessage& region : outside_) {
    json["changed_outside_scope"].push_back({{"base", to_hex_number(region.base)},
                                             {"size", region.size},
                                             {"class", "host"},
                                             {"api", region.api},
                                             {"allocation_ordinal", region.ordinal}});
  }
  return json;
}

}  // namespace kernloop::recorder
