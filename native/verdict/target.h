// One restored and compared object: a region, or a module variable at the address where its code object is loaded now.
#pragma once

#include <functional>
#include <string>

#include "verdict/content_cache.h"
#include "verdict/memory.h"
#include "verdict/values/address_range.h"
#include "verdict/values/tolerance.h"

namespace kernloop::replay {

struct Target {
  bool is_variable = false;
  std::string name;  // region id or variable name
  uint64_t address = 0;
  uint64_t size = 0;
  archive::ContentView pre, post;
  std::vector<AddressRange> ignored = {};         // offsets that are not compared: sorted, disjoint
  std::vector<ElementTolerance> tolerances = {};  // judged as numbers: sorted, disjoint, all inside
  std::vector<AddressRange> overwritten = {};     // offsets (overwritten.h): sorted, disjoint
  std::vector<AddressRange> untouched = {};       // offsets (untouched.h): sorted, disjoint
  std::vector<AddressRange> dropped = {};         // offsets that are unmapped (archive/manifest/dropped.h), likewise

  uint64_t ignored_bytes() const;
  uint64_t dropped_bytes() const;
  // Kept parts of these bytes, as offsets.
  std::vector<AddressRange> kept(const AddressRange& offsets) const;

  const char* kind() const { return is_variable ? "variable" : "region"; }
};

// Chunk by chunk: the bytes of `content` and the device's bytes now. Both spans are valid during the call.
using ChunkVisitor = std::function<Status(uint64_t offset, Bytes content, Bytes actual)>;
Status walk_target(Memory& memory, ContentCache& cache, const Target& target, const archive::ContentView& content,
                   const ChunkVisitor& visit);

// Copies kept bytes from or to the memory, in any number of pieces; dropped bytes stay unchanged in `bytes`, and are
// not written.
Status read_kept(Memory& memory, const Target& target, uint64_t offset, std::span<uint8_t> bytes);
Status write_kept(Memory& memory, const Target& target, uint64_t offset, Bytes bytes);

// Writes *pre*. Bytes that are right already are left alone if the device can be read cheaply. `visit`, when given,
// sees every chunk that is not all zeros.
using RestoreVisitor = std::function<void(uint64_t address, Bytes pre)>;
Status restore_target(Memory& memory, ContentCache& cache, const Target& target, bool fresh,
                      const RestoreVisitor& visit = {});

// Bytes in which *post* differs from *pre*, from the archive alone, without those in `ignored`.
Result<uint64_t> count_changed_bytes(ContentCache& cache, const archive::ContentView& pre,
                                     const archive::ContentView& post, const std::vector<AddressRange>& ignored);

// Range of one tolerance: bytes in which *post* differs from the memory before the launch, and how many of them would
// not pass unchanged. If all would pass, the tolerance proves nothing.
struct Discernible {
  uint64_t differing = 0, noticed = 0;
};
// For each tolerance of the target, without the bytes in `left_out`. `before`, when given, changes the values that a
// launch began with: its chunk of *pre*, at that offset.
using Overlay = std::function<void(uint64_t offset, std::span<uint8_t> pre)>;
Result<std::vector<Discernible>> count_discernible_bytes(ContentCache& cache, const Target& target,
                                                         const std::vector<AddressRange>& left_out,
                                                         const Overlay& before = {});

}  // namespace kernloop::replay
