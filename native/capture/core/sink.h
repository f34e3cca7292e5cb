// Destination of a capture's bytes: the recorder, through the ring; tests collect them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/core/device_capture.h"

namespace kernloop::capture {

// Every call returns false when the recorder is gone or does not take data any more: the capture is given up then.
class CaptureSink {
 public:
  virtual ~CaptureSink() = default;
  virtual bool kernarg(std::span<const uint8_t> bytes) = 0;
  virtual bool region(uint32_t region, const Allocation& allocation, const Origin& origin) = 0;
  // In order, without gaps.
  virtual bool pre(uint32_t region, uint64_t offset, std::span<const uint8_t> bytes) = 0;
  // Whole chunks that differ from pre, in ascending order.
  virtual bool post(uint32_t region, uint64_t offset, std::span<const uint8_t> bytes) = 0;
  virtual bool scope(uint64_t tracked_regions, uint64_t tracked_bytes) = 0;
  // Total bytes of pre: sent as soon as it is known, if that is before they have all come.
  virtual bool total(uint64_t bytes) = 0;
  // Memory outside the scope that changed meanwhile: host memory, which the CPU may have changed.
  virtual bool outside_changed(const Allocation& allocation) = 0;
  // Device memory outside the scope that changed: the capture is refused.
  virtual bool violation(const Allocation& allocation) = 0;
  virtual bool commit(const RunReport& report) = 0;
  virtual bool abort(const Error& refusal) = 0;
};

}  // namespace kernloop::capture
