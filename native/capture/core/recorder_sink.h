// A capture's bytes as frames to the recorder.
#pragma once

#include "capture/core/recorder_client.h"
#include "capture/core/sink.h"

namespace kernloop::capture {

class RecorderSink : public CaptureSink {
 public:
  RecorderSink(RecorderClient& client, uint32_t capture) : client_(client), capture_(capture) {}

  bool kernarg(std::span<const uint8_t> bytes) override;
  bool region(uint32_t region, const Allocation& allocation, const Origin& origin = {}) override;
  bool pre(uint32_t region, uint64_t offset, std::span<const uint8_t> bytes) override;
  bool post(uint32_t region, uint64_t offset, std::span<const uint8_t> bytes) override;
  bool scope(uint64_t tracked_regions, uint64_t tracked_bytes) override;
  bool total(uint64_t bytes) override;
  bool outside_changed(const Allocation& allocation) override;
  bool violation(const Allocation& allocation) override;
  bool commit(const RunReport& report) override;
  bool abort(const Error& refusal) override;

 private:
  bool send_region(FrameType type, uint32_t region, const Allocation& allocation, const Origin& origin = {});
  bool send_bulk(FrameType type, uint32_t id, uint64_t offset, std::span<const uint8_t> bytes);
  RecorderClient& client_;
  const uint32_t capture_;
};

// Texts from elsewhere (a device's fault report) may be longer than a message takes.
Error shortened(Error refusal);

}  // namespace kernloop::capture
