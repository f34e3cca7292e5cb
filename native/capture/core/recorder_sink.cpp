#include "capture/core/recorder_sink.h"

#include <algorithm>

namespace kernloop::capture {

Error shortened(Error refusal) {
  refusal.code.resize(std::min<size_t>(refusal.code.size(), kMaxTextBytes));
  refusal.message.resize(std::min<size_t>(refusal.message.size(), kMaxReasonBytes));
  refusal.hint.resize(std::min<size_t>(refusal.hint.size(), kMaxTextBytes));
  return refusal;
}

bool RecorderSink::kernarg(std::span<const uint8_t> bytes) {
  return client_.send(FrameType::kKernarg, KernargMessage{capture_, {bytes.begin(), bytes.end()}}.encode());
}

bool RecorderSink::send_region(FrameType type, uint32_t region, const Allocation& allocation, const Origin& origin) {
  RegionMessage message;
  message.capture = capture_;
  message.region = region;
  message.base = allocation.base;
  message.size = allocation.size;
  message.memory_class = allocation.memory_class;
  message.api = allocation.api;
  message.ordinal = allocation.ordinal;
  message.origin = origin;
  message.address_told = allocation.address_told;
  message.fine_grained = allocation.fine_grained;
  return client_.send(type, message.encode());
}

bool RecorderSink::send_bulk(FrameType type, uint32_t id, uint64_t offset, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<size_t>(bytes.size(), kMaxBulkBytes));
    const Encoded head = BulkHeader{capture_, id, offset}.encode();
    if (!client_.send(type, head, piece)) return false;
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
  return true;
}

bool RecorderSink::region(uint32_t region, const Allocation& allocation, const Origin& origin) {
  return send_region(FrameType::kRegion, region, allocation, origin);
}
bool RecorderSink::pre(uint32_t region, uint64_t offset, std::span<const uint8_t> bytes) {
  return send_bulk(FrameType::kPre, region, offset, bytes);
}
bool RecorderSink::post(uint32_t region, uint64_t offset, std::span<const uint8_t> bytes) {
  return send_bulk(FrameType::kPost, region, offset, bytes);
}
bool RecorderSink::scope(uint64_t tracked_regions, uint64_t tracked_bytes) {
  return client_.send(FrameType::kScope, ScopeMessage{capture_, tracked_regions, tracked_bytes}.encode());
}
bool RecorderSink::total(uint64_t bytes) {
  return client_.send(FrameType::kTotal, TotalMessage{capture_, bytes}.encode());
}
bool RecorderSink::outside_changed(const Allocation& allocation) {
  return send_region(FrameType::kOutside, 0, allocation);
}
bool RecorderSink::violation(const Allocation& allocation) {
  return send_region(FrameType::kViolation, 0, allocation);
}

bool RecorderSink::commit(const RunReport& report) {
  CommitMessage message;
  message.capture = capture_;
  message.duration_ns = report.duration_ns;
  message.has_wave_instructions = report.wave_instructions.has_value();
  message.wave_instructions = report.wave_instructions.value_or(0);
  return client_.send(FrameType::kCommit, message.encode());
}

bool RecorderSink::abort(const Error& refusal) {
  const Error text = shortened(refusal);
  return client_.send(FrameType::kAbort, AbortMessage{capture_, text.code, text.message, text.hint}.encode());
}

}  // namespace kernloop::capture
