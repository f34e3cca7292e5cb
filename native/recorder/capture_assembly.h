// One capture as it arrives: streams contents into the archive, then makes the manifest from the agent's messages.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/capture/capture_writer.h"
#include "protocol/messages.h"
#include "recorder/agent_link.h"
#include "recorder/kernels.h"
#include "recorder/output_folder.h"

namespace kernloop::recorder {

// Facts that the device reported, for those that the configuration leaves open.
struct DeviceFacts {
  std::string name, isa;
  uint32_t wavefront_size = 0;
};

struct CaptureResult {
  archive::Geometry geometry;
  uint64_t bytes_raw = 0, bytes_stored = 0, regions = 0, bytes_tracked = 0;
  std::optional<uint64_t> wave_instructions;
};

// Progress of a capture: its bytes before the launch are taken, then compared with those after it.
struct CaptureProgress {
  bool is_after = false;
  uint64_t bytes = 0;
  std::optional<uint64_t> total;  // if known
};

class CaptureAssembly {
 public:
  // `kernel` has a code object; `process` goes into observed.json.
  static Result<std::unique_ptr<CaptureAssembly>> begin(const Config& config, OutputFolder& folder,
                                                        const KernelRecord& kernel, const DeviceFacts& device,
                                                        const protocol::BeginMessage& begin, archive::Json process);

  const protocol::BeginMessage& message() const { return begin_; }
  archive::Geometry geometry() const;
  // Tells the agent what to read besides the regions that it finds.
  protocol::BeginReply reply() const;

  // Frames, in the order of the protocol. An Error AGENT_PROTOCOL: the agent is not to be trusted any further; any
  // other: this capture has failed (disk full, …).
  Status kernarg(const protocol::KernargMessage& message);
  Status scope(const protocol::ScopeMessage& message);
  void total(const protocol::TotalMessage& message) { announced_ = message.bytes; }
  Status region(const protocol::RegionMessage& message);
  Status pre(const protocol::BulkHeader& header, BulkBytes bytes);
  Status post(const protocol::BulkHeader& header, BulkBytes bytes);
  Status outside(const protocol::RegionMessage& message);
  Status violation(const protocol::RegionMessage& message);
  // Writes the manifest and moves the capture into place.
  Result<CaptureResult> commit(const protocol::CommitMessage& message);

  // After commit() of a dry run: regions, how they were reached, and the sizes that they would take.
  archive::Json plan() const;

  const std::vector<protocol::RegionMessage>& violations() const { return violations_; }
  CaptureProgress progress() const;
  // Bytes of memory before the launch received so far.
  uint64_t pre_bytes() const { return pre_bytes_; }

 private:
  struct Part {
    protocol::RegionMessage message;
    std::unique_ptr<archive::ContentStream> stream;  // while pre arrives
    uint64_t received = 0;
    uint64_t begin = 0;  // the bytes of those before
    archive::PendingContent pre, post;
    bool complete() const { return received == message.size; }
  };
  CaptureAssembly(const Config& config, OutputFolder& folder, const KernelRecord& kernel, const DeviceFacts& device,
                  const protocol::BeginMessage& begin, archive::Json process);

  bool was_asked_for(const protocol::RegionMessage& variable) const;
  std::vector<const Part*> parts_by_address() const;
  std::map<const Part*, std::string> part_names() const;
  Status finish_pre(Part& part);
  Status flush_post();
  Result<archive::Manifest> manifest(const protocol::CommitMessage& message);
  void describe_device(archive::Manifest& manifest) const;
  void add_regions(archive::Manifest& manifest) const;
  void add_kernarg(archive::Manifest& manifest) const;
  archive::Json observed(const protocol::CommitMessage& message) const;

  const Config& config_;
  OutputFolder& folder_;
  const KernelRecord kernel_;
  const DeviceFacts device_;
  const protocol::BeginMessage begin_;
  const archive::Json process_;
  const std::vector<ModulePiece> pieces_;
  std::unique_ptr<archive::CaptureWriter> writer_;

  std::vector<uint8_t> kernarg_;
  protocol::ScopeMessage scope_;
  std::vector<Part> parts_;
  std::vector<protocol::RegionMessage> outside_, violations_;
  // The chunk of post that is arriving.
  uint32_t post_region_ = 0;
  uint64_t post_offset_ = 0;
  archive::ChunkBuffer post_chunk_;
  uint64_t pre_bytes_ = 0, compared_bytes_ = 0;
  std::optional<uint64_t> announced_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace kernloop::recorder
