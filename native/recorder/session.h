// One connected process, from its greeting to its end. Runs on a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "recorder/agent_link.h"
#include "recorder/capture_assembly.h"
#include "recorder/profile.h"
#include "recorder/selection_board.h"
#include "recorder/totals.h"

namespace kernloop::recorder {

// State shared by all sessions.
struct Shared {
  const Config& config;
  Events& events;
  SelectionBoard& board;
  Profile& profile;
  Totals& totals;
  // Readable once the recorder is to end: drain, or stop at once.
  int wake = -1;
  std::atomic<bool> draining{false};
  std::atomic<bool> stopping{false};
};

class Session {
 public:
  Session(Shared& shared, std::unique_ptr<AgentLink> link)
      : shared_(shared), link_(std::move(link)), kernels_(shared.config) {}
  void run();
  // Refuses what is in work.
  void give_up(const Error& why);

 private:
  bool welcome();
  void consume();
  Status handle(protocol::FrameType type, std::span<const uint8_t> payload);
  Status on_kernel(const protocol::KernelMessage& message);
  Status on_begin(const protocol::BeginMessage& message);
  // Null: another process has it, or it is finished.
  OutputFolder* begin_selection(const protocol::BeginMessage& message, const KernelRecord& kernel);
  Status on_object_bytes(std::span<const uint8_t> payload);
  Status on_bulk(protocol::FrameType type, std::span<const uint8_t> head);
  Status on_commit(const protocol::CommitMessage& message);
  void on_abort(const protocol::AbortMessage& message);
  void warn_of_device_heap(const KernelRecord& kernel);
  void warn_of_unknown_code(const KernelRecord& kernel);
  void on_queue(const protocol::QueueMessage& message);
  // Null: the capture has failed here already, and its further frames are ignored.
  CaptureAssembly* find(uint32_t capture);
  // Passes a part of a capture to it. Its failure ends that capture; only a violation of the protocol is returned.
  template <typename Use>
  Status feed(uint32_t capture, Use&& use);
  Status fail(uint32_t capture, const Error& why);
  void report_progress(const CaptureAssembly& assembly);
  void count();

  Shared& shared_;
  const std::unique_ptr<AgentLink> link_;
  Kernels kernels_;
  std::map<uint32_t, DeviceFacts> devices_;  // by queue
  uint64_t queues_ = 0;
  std::map<uint32_t, std::unique_ptr<CaptureAssembly>>
      assemblies_;  // in progress: several threads of the app may be in one
  std::chrono::steady_clock::time_point last_progress_{};
  bool goodbye_ = false;
};

}  // namespace kernloop::recorder
