#include "verdict/target.h"

#include <algorithm>
#include <cstring>

#include "verdict/overwritten.h"
#include "verdict/values/differences.h"

namespace kernloop::replay {

Status walk_target(Memory& memory, ContentCache& cache, const Target& target, const archive::ContentView& content,
                   const ChunkVisitor& visit) {
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  Buffer copy;
  for (size_t i = 0; i < content.content->chunks.size(); ++i) {
    const uint64_t offset = i * chunk_bytes;
    const auto expected = cache.chunk(content, i);
    if (!expected) return expected.error();
    if (!target.dropped.empty()) {
      copy.assign(expected->begin(), expected->end());
      if (auto read = read_kept(memory, target, offset, copy); !read) return read;
      if (auto visited = visit(offset, *expected, copy); !visited) return visited;
      continue;
    }
    const auto actual = memory.view(target.address + offset, expected->size(), copy);
    if (!actual) return actual.error();
    if (auto visited = visit(offset, *expected, *actual); !visited) return visited;
  }
  return Unit{};
}

Status restore_target(Memory& memory, ContentCache& cache, const Target& target, bool fresh,
                      const RestoreVisitor& visit) {
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  const bool is_zero = fresh && memory.fresh_memory_is_zero();
  for (size_t i = 0; i < target.pre.content->chunks.size(); ++i) {
    const bool zero_chunk = !target.pre.content->chunks[i];
    if (is_zero && zero_chunk) continue;  // keeps sparse memory sparse
    const auto pre = cache.chunk(target.pre, i);
    if (!pre) return pre.error();
    const uint64_t address = target.address + i * chunk_bytes;
    if (visit && !zero_chunk) visit(address, *pre);
    if (!target.dropped.empty()) {
      if (auto written = write_kept(memory, target, i * chunk_bytes, *pre); !written) return written;
      continue;
    }
    if (uint8_t* place = memory.in_place(address)) {
      if (fresh || std::memcmp(place, pre->data(), pre->size()) != 0) std::memcpy(place, pre->data(), pre->size());
    } else if (auto written = zero_chunk ? memory.fill(address, pre->size(), 0) : memory.write(address, *pre);
               !written) {
      return written;
    }
  }
  return Unit{};
}

namespace {

uint64_t overlap(const AddressRange& run, const std::vector<AddressRange>& ranges) {
  uint64_t bytes = 0;
  for (const AddressRange& range : ranges) {
    const uint64_t from = std::max(run.base, range.base), to = std::min(run.end(), range.end());
    if (from < to) bytes += to - from;
  }
  return bytes;
}

}  // namespace

Status read_kept(Memory& memory, const Target& target, uint64_t offset, std::span<uint8_t> bytes) {
  for (const AddressRange& kept : target.kept({offset, bytes.size()})) {
    if (auto read = memory.read(target.address + kept.base, bytes.subspan(kept.base - offset, kept.size)); !read)
      return read;
  }
  return Unit{};
}

Status write_kept(Memory& memory, const Target& target, uint64_t offset, Bytes bytes) {
  for (const AddressRange& kept : target.kept({offset, bytes.size()})) {
    if (auto written = memory.write(target.address + kept.base, bytes.subspan(kept.base - offset, kept.size)); !written)
      return written;
  }
  return Unit{};
}

std::vector<AddressRange> Target::kept(const AddressRange& offsets) const {
  return without({offsets}, dropped);
}

uint64_t Target::dropped_bytes() const {
  return total_bytes(dropped);
}

uint64_t Target::ignored_bytes() const {
  uint64_t bytes = 0;
  for (const AddressRange& range : ignored) bytes += range.size;
  return bytes;
}

namespace {

// Calls `visit(offset, before, after)` for the chunks that differ, with an overlay for all.
template <typename Visit>
Status for_each_changed_chunk(ContentCache& cache, const archive::ContentView& pre, const archive::ContentView& post,
                              const Overlay& overlay, const Visit& visit) {
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  Buffer copy;
  for (size_t i = 0; i < post.content->chunks.size(); ++i) {
    if (!overlay && pre.content->chunks[i] == post.content->chunks[i]) continue;
    auto before = cache.chunk(pre, i);
    if (!before) return before.error();
    if (overlay) {
      copy.assign(before->begin(), before->end());
      overlay(i * chunk_bytes, copy);
      before = Bytes(copy);
    }
    const auto after = cache.chunk(post, i);
    if (!after) return after.error();
    visit(i * chunk_bytes, *before, *after);
  }
  return Unit{};
}

}  // namespace

Result<uint64_t> count_changed_bytes(ContentCache& cache, const archive::ContentView& pre,
                                     const archive::ContentView& post, const std::vector<AddressRange>& ignored) {
  uint64_t changed = 0;
  auto walked = for_each_changed_chunk(cache, pre, post, {}, [&](uint64_t offset, Bytes before, Bytes after) {
    for_each_difference(before, after, [&](size_t at, size_t size) {
      const AddressRange run{offset + at, size};
      changed += run.size - overlap(run, ignored);
    });
  });
  if (!walked) return walked.error();
  return changed;
}

Result<std::vector<Discernible>> count_discernible_bytes(ContentCache& cache, const Target& target,
                                                         const std::vector<AddressRange>& left_out,
                                                         const Overlay& overlay) {
  std::vector<Discernible> counts(target.tolerances.size());
  Buffer compared, copy;
  ToleranceJudge judge(target.tolerances, left_out);
  const auto visit = [&](uint64_t offset, Bytes before, Bytes after) {
    compared.assign(before.begin(), before.end());
    for (const AddressRange& range : left_out) {
      const uint64_t from = std::max(offset, range.base), to = std::min(offset + before.size(), range.end());
      if (from < to) std::memcpy(&compared[from - offset], &after[from - offset], to - from);
    }
    const Bytes accepted = judge.accept(offset, after, compared, copy);
    for (size_t i = 0; i < counts.size(); ++i) {
      const ElementTolerance& tolerance = target.tolerances[i];
      const uint64_t from = std::max(offset, tolerance.offset);
      const uint64_t to = std::min(offset + before.size(), tolerance.offset + tolerance.size);
      if (from >= to) continue;
      const auto part = [&](Bytes bytes) { return bytes.subspan(from - offset, to - from); };
      const auto add_to = [](uint64_t& count) { return [&count](size_t, size_t size) { count += size; }; };
      for_each_difference(part(after), part(compared), add_to(counts[i].differing));
      for_each_difference(part(after), part(accepted), add_to(counts[i].noticed));
    }
  };
  auto walked = for_each_changed_chunk(cache, target.pre, target.post, overlay, visit);
  if (!walked) return walked.error();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (!judge.are_excused(i)) counts[i].noticed += judge.excusable(i).differing_bytes();
  }
  return counts;
}

}  // namespace kernloop::replay
