// What the capture core needs from a device. The hsa front end implements it; tests use a fake.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "capture/core/allocation.h"
#include "capture/core/deadline.h"

namespace kernloop::capture {

// Why a capture was given up; `code` is stable and upper-case.
struct Refusal {
  std::string code, reason, hint;
};

struct RunReport {
  uint64_t duration_ns = 0;
  std::optional<uint64_t> wave_instructions;  // softgpu only
};

// One dispatch that waits at the head of its queue. Calls come in this order, each at most once except read():
// drain, read…, run, read…; a step that refuses is the last one.
class DeviceCapture {
 public:
  virtual ~DeviceCapture() = default;

  // Returns when everything handed to the device before has completed, on every queue and copy engine.
  virtual std::optional<Refusal> drain(Deadline deadline) = 0;

  // Bytes of an allocation (or of a module variable) as the device sees them.
  virtual std::optional<Refusal> read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) = 0;
  // The kernel arguments of the waiting dispatch.
  virtual std::optional<Refusal> read_kernarg(std::span<uint8_t> into) = 0;

  // Lets the dispatch run, alone, and waits for it. On a refusal it may still be running; the front end then sees to
  // its end.
  virtual std::optional<Refusal> run(Deadline deadline, RunReport* report) = 0;
};

}  // namespace kernloop::capture
