// Report of a dry run on a capture.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "recorder/capture_assembly.h"

namespace kernloop::recorder {
namespace {

using archive::Json;
using protocol::MemoryClass;
using protocol::Reached;

// For one region: bytes that change, and how its bytes are stored.
struct Tally {
  uint64_t changed = 0, zero = 0, repeated = 0, stored = 0;
};

// Chunks of a capture, each stored once.
class ChunkCount {
 public:
  explicit ChunkCount(const archive::CaptureWriter& writer) : writer_(writer) {}

  Tally tally(const archive::Content& pre, const archive::Content& post, uint64_t content_bytes) {
    Tally tally;
    for (size_t i = 0; i < pre.chunks.size(); ++i) {
      const uint64_t bytes = std::min<uint64_t>(archive::kChunkBytes, content_bytes - i * archive::kChunkBytes);
      add(pre.chunks[i], bytes, tally);
      if (post.chunks[i] == pre.chunks[i]) continue;
      tally.changed += bytes;
      add(post.chunks[i], bytes, tally);
    }
    return tally;
  }

 private:
  void add(const archive::ChunkName& chunk, uint64_t bytes, Tally& tally) {
    if (!chunk) {
      tally.zero += bytes;
    } else if (!seen_.insert(*chunk).second) {
      tally.repeated += bytes;
    } else {
      tally.stored += writer_.bytes_stored(*chunk);
    }
  }

  const archive::CaptureWriter& writer_;
  std::set<Digest> seen_;
};

const char* word_of(Reached reached) {
  switch (reached) {
    case Reached::kArguments:
      return "arguments";
    case Reached::kRegion:
      return "region";
    case Reached::kVariable:
      return "variable";
    case Reached::kAll:
      return "all";
    case Reached::kWidened:
      return "widened";
  }
  return "";
}

}  // namespace

// Names as in the manifest of the capture.
std::map<const CaptureAssembly::Part*, std::string> CaptureAssembly::part_names() const {
  std::map<const Part*, std::string> names;
  size_t regions = 0;
  for (const Part* part : parts_by_address()) {
    const bool is_variable = part->message.memory_class == MemoryClass::kModule;
    names[part] = is_variable ? pieces_[part->message.ordinal].name : std::to_string(regions++).insert(0, 1, 'r');
  }
  return names;
}

Json CaptureAssembly::plan() const {
  const std::map<const Part*, std::string> names = part_names();
  ChunkCount chunks(*writer_);
  Json regions = Json::array();
  uint64_t scope_bytes = 0;
  for (const Part* part : parts_by_address()) {
    const protocol::RegionMessage& message = part->message;
    const Tally tally = chunks.tally(writer_->names(part->pre), writer_->names(part->post), message.size);
    scope_bytes += message.size;
    Json row = {{"id", names.at(part)},
                {"base", to_hex_number(message.base)},
                {"bytes", message.size},
                {"class", message.memory_class == MemoryClass::kHost ? "host" : "device"},
                {"api", message.api},
                {"reached", word_of(message.origin.reached)},
                {"bytes_changed", tally.changed},
                {"bytes_zero", tally.zero},
                {"bytes_repeated", tally.repeated},
                {"bytes_stored", tally.stored}};
    if (message.origin.reached == Reached::kRegion && message.origin.region < parts_.size())
      row["from"] = names.at(&parts_[message.origin.region]);
    regions.push_back(std::move(row));
  }
  const auto elapsed = std::chrono::steady_clock::now() - begun_;
  return {{"regions", std::move(regions)},
          {"scope_bytes", scope_bytes},
          {"elapsed_ms", std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count()}};
}

}  // namespace kernloop::recorder
