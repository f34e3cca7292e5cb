// Interface between the capture core and a device. The front ends implement it; tests use a fake.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/core/allocation_map.h"
#include "capture/core/checksum.h"
#include "capture/core/deadline.h"

namespace kernloop::capture {

struct RunReport {
  uint64_t duration_ns = 0;
  std::optional<uint64_t> wave_instructions;  // softgpu only
};

// One dispatch that waits at the head of its queue. drain() comes first; reads come before the dispatch runs or after
// it has ended; a step that refuses is the last one.
class DeviceCapture {
 public:
  virtual ~DeviceCapture() = default;

  // Returns when everything handed to the device before has completed, on every queue and copy engine.
  virtual std::optional<Error> drain(Deadline deadline) = 0;
  // After reads: refuses if something ran beside the dispatch that drain() found waiting for the end of the capture.
  virtual std::optional<Error> check_alone() { return std::nullopt; }
  // Whether work on the device may wait for work that a held call has yet to hand over. drain() is then called several
  // times, and in between the calls pass.
  virtual bool may_wait_for_held_calls() const { return false; }

  // False for memory that the dispatch cannot access, which a read may not touch either: it is left out.
  virtual bool has_access(const Allocation&) const { return true; }

  // Bytes of an allocation (or of a module variable) as the device sees them.
  virtual std::optional<Error> read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) = 0;
  // The kernel arguments of the waiting dispatch.
  virtual std::optional<Error> read_kernarg(std::span<uint8_t> into) = 0;

  // Notes on arguments that a replay may not reproduce. Those that mean something to the app's process only are zeros.
  virtual void look_at_arguments(std::span<const uint8_t>, const AllocationList&) {}

  // Address of a module variable that is only known by name. 0, without a refusal: the loaded module has no writable
  // variable of that name (only the compiler's own constants), and it is left out.
  virtual std::optional<Error> find_variable(const ModuleVariable& variable, uint64_t* address);

  // Whether the app asked for an address in the range, without which it cannot set the variable; none if nobody
  // watched.
  virtual std::optional<bool> was_address_told(const ByteRange&) const { return std::nullopt; }

  // Before a region of the capture is read for the first time: sets Allocation::fine_grained.
  virtual void look_at_region(Allocation&) {}

  // Whether checksums() is much cheaper than read(): memory that is only compared is then never read to the host, and
  // only changed parts of post are.
  virtual bool has_device_checksums() const { return false; }
  // One checksum for each kSnapshotChunkBytes of the allocation, the last of the rest. The function is free: equal
  // bytes must give equal checksums while the process lives. Default: through read().
  virtual std::optional<Error> checksums(const Allocation& of, std::vector<Checksum>* per_snapshot_chunk);

  // Adds the indices in `all` of every allocation that the bytes may point to, by the rules of pointer_scan.h, in any
  // order, repeated or not. `*searched` false: not done here, the core searches the bytes as it reads them.
  virtual std::optional<Error> find_pointers(const Allocation& in, const AllocationList& all, std::vector<size_t>* hits,
                                             bool* searched);

  // Addresses in these bytes of the allocation that are no plain pointers. The bytes of one come in order.
  virtual void find_opaque(const Allocation&, uint64_t /*offset*/, std::span<const uint8_t> /*bytes*/,
                           std::vector<uint64_t>* /*addresses*/) {}

  // Whether find_opaque() may yet find any.
  virtual bool may_hold_opaque() { return false; }

  // The last call, while the app's calls are still held: resources whose release may wait for the device are released
  // here.
  virtual void finish() noexcept {}

 private:
  std::vector<uint8_t> buffer_;
};

}  // namespace kernloop::capture
