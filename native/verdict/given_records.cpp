#include "verdict/given_records.h"

// Applies the user's statements about records where the self-check left them open.
#include <algorithm>
#include <map>
#include <set>

#include "verdict/free_order.h"

namespace kernloop::replay {

namespace {

std::string list_of(const std::set<uint64_t>& numbers) {
  std::string text;
  for (const uint64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

}  // namespace

Status apply_records(const std::vector<GivenRecord>& given, std::vector<VaryingRange>& ranges) {
  for (const GivenRecord& record : given) {
    for (VaryingRange& range : ranges) {
      const FreeElements* elements = range.free_elements();
      const bool concerned = elements && elements->records && range.target == record.target &&
                             range.offset < record.offset + record.size && record.offset < range.offset + range.bytes();
      if (!concerned) continue;
      // Records of every length that is a multiple of the given one, cut down to it, and the arrays that go with them.
      std::map<uint64_t, uint64_t> pieces;  // by order
      std::set<uint64_t> lengths;
      for (const RecordEntry& entry : *elements->records) {
        lengths.insert(entry.bytes);
        if (entry.bytes % record.bytes == 0) pieces[entry.order] = entry.bytes / record.bytes;
      }
      if (pieces.empty() && !elements->records->empty()) {
        return Error{"RECORD_REFUTED",
                     "the replays of the self-check hold no records of " + std::to_string(record.bytes) + " bytes in " +
                         range.target + ", only such of " + list_of(lengths) + " bytes and parts of them",
                     "give the length of one record"};
      }
      std::set<uint64_t> dropped;
      for (const RecordEntry& entry : *elements->records) {
        if (!entry.certain && !pieces.contains(entry.order)) dropped.insert(entry.order);
      }
      for (const VaryingRange& other : ranges) {
        const FreeElements* others = other.free_elements();
        if (!others || !others->records) continue;
        for (const RecordEntry& entry : *others->records) {
          const auto found = pieces.find(entry.order);
          if (found != pieces.end() && entry.bytes % found->second != 0) dropped.insert(entry.order);
        }
      }
      for (VaryingRange& other : ranges) {
        FreeElements* others = other.free_elements();
        if (!others || !others->records) continue;
        std::erase_if(*others->records, [&](const RecordEntry& entry) { return dropped.contains(entry.order); });
        for (RecordEntry& entry : *others->records) {
          const auto found = pieces.find(entry.order);
          if (found == pieces.end()) continue;
          for (RecordSpan& span : entry.spans)
            span = {(span.begin + entry.before) * found->second, (span.end + entry.before) * found->second};
          // The user's word counts for all of the array that the dispatch changed.
          entry.offset -= entry.before * entry.bytes;
          entry.count += entry.before + entry.behind;
          entry.before = entry.behind = 0;
          entry.bytes /= found->second;
          entry.count *= found->second;
          entry.certain = true;
          const uint64_t begin = std::min(other.offset, entry.offset);
          const uint64_t end = std::max(other.offset + other.bytes(), entry.offset + entry.count * entry.bytes);
          other.offset = begin;
          others->count = (end - begin) / size_of(other.type);
        }
      }
    }
  }
  return Unit{};
}

}  // namespace kernloop::replay
