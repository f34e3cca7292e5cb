#include "verdict/claimed_spans.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace kernloop::replay {

namespace {

// A counter array with longer gaps of unused counters is found only through its whole allocation.
constexpr uint64_t kCounterGap = 64;  // bytes
constexpr uint64_t kMostCounters = 1u << 20;
// More would make the file of a self-check long; neighbours are then one.
constexpr size_t kMostSpans = 1u << 16;
constexpr size_t kMostCapacitiesTried = 4;
// Bounds on the search: large arrays may have many changing bytes beside them that are no counters.
constexpr size_t kMostCounterArrays = 256;
constexpr uint64_t kMostSteps = 1u << 26;

// A number that the dispatch changed: it claimed the places from `low` up to `high`, whether it counts up or down.
struct Counter {
  uint64_t index = 0;  // among the counters
  uint64_t low = 0, high = 0;
};
using Counters = std::vector<Counter>;

class SpanSearch {
 public:
  SpanSearch(const std::vector<FreeArray>& arrays, const std::vector<ContentSource>& sources,
             const ContentSource& before, const std::vector<Target>& targets)
      : arrays_(arrays), sources_(sources), before_(before), targets_(targets) {}

  Status find_counters() {
    for (size_t t = 0; t < targets_.size(); ++t) {
      for (const uint64_t width : {4, 8}) {
        if (auto found = find_counters(t, width); !found) return found;
      }
    }
    return Unit{};
  }

  // Spans in which every sample holds the same records; none if they cannot be determined.
  Result<std::vector<RecordSpan>> spans_of(const RecordLayout& layout) const {
    const RecordColumn& column = layout.columns.front();
    for (const uint64_t base : bases_of(column)) {
      for (const uint64_t scale : scales_of(column)) {
        const auto changed = changed_places(layout, base, scale);
        if (!changed) return changed.error();
        uint64_t steps = kMostSteps;
        for (const Counters& counters : counters_) {
          auto spans = spans_by(layout, counters, base, scale, *changed, steps);
          if (!spans || !spans->empty()) return spans;
        }
      }
    }
    return std::vector<RecordSpan>();
  }

 private:
  bool is_free(size_t target, uint64_t offset, uint64_t size) const {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const FreeArray& array) {
      return array.target == target && overlap(array.part, {offset, size});
    });
  }

  Status find_counters(size_t target, uint64_t width) {
    const uint64_t size = targets_[target].size;
    if (size > kMostSearchedBytes) return Unit{};
    Buffer pre(size), post(size);
    if (auto read = before_(target, 0, pre); !read) return read;
    if (auto read = sources_.front()(target, 0, post); !read) return read;
    Counters all, near;
    const auto close = [&] {
      // A single counter has no spans to separate.
      if (near.size() > 1 && near.size() < all.size()) add(near);
      near.clear();
    };
    for (uint64_t at = 0; at + width <= size; at += width) {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, &pre[at], width);
      std::memcpy(&b, &post[at], width);
      if (a == b || is_free(target, at, width)) continue;
      if (all.size() == kMostCounters) return Unit{};
      if (!all.empty() && at - all.back().index * width > kCounterGap) close();
      all.push_back({at / width, std::min(a, b), std::max(a, b)});
      near.push_back(all.back());
    }
    close();
    if (all.size() > 1) add(all);
    return Unit{};
  }

  void add(Counters counters) {
    if (counters_.size() >= kMostCounterArrays) return;
    counters_.push_back(counters);
    const uint64_t first = counters.front().index;
    if (first == 0) return;
    for (Counter& counter : counters) counter.index -= first;
    counters_.push_back(std::move(counters));
  }

  // Starts of the arrays in its allocation, its own first.
  std::set<uint64_t, std::greater<>> bases_of(const RecordColumn& column) const {
    std::set<uint64_t, std::greater<>> bases;
    for (const FreeArray& array : arrays_) {
      if (array.target == column.target && array.segment.base <= column.offset) bases.insert(array.segment.base);
    }
    return bases;
  }

  // Bytes that a counter may count.
  std::set<uint64_t, std::greater<>> scales_of(const RecordColumn& column) const {
    std::set<uint64_t, std::greater<>> scales = {column.stride};
    for (const FreeArray& array : arrays_) {
      if (array.target == column.target && overlap(array.part, {column.offset, column.stride}))
        scales.insert(array.unit);
    }
    return scales;
  }

  Result<std::vector<RecordSpan>> spans_by(const RecordLayout& layout, const Counters& counters, uint64_t base,
                                           uint64_t scale, const std::vector<uint64_t>& changed,
                                           uint64_t& steps) const {
    // Cursors, each of which begins with its part of the array.
    if (auto spans = checked(layout, claimed(layout, counters, base, scale, 0)); !spans || !spans->empty())
      return spans;
    // From both ends.
    if (counters.size() == 2 && counters[0].low == 0 && counters[1].low == 0) {
      for (const Counter& counter : counters) {
        const Counters sides = {{0, 0, counter.high}, {0, counter.high, UINT64_MAX / scale / 2}};
        auto spans = checked(layout, claimed(layout, sides, base, scale, 0));
        if (!spans || !spans->empty()) return spans;
      }
    }
    return spans_of_capacity(layout, counters, base, scale, changed, steps);
  }

  // Parts of one length each, into which the counters count.
  Result<std::vector<RecordSpan>> spans_of_capacity(const RecordLayout& layout, const Counters& counters, uint64_t base,
                                                    uint64_t scale, const std::vector<uint64_t>& changed,
                                                    uint64_t& steps) const {
    uint64_t most = 0;
    for (const Counter& counter : counters) most = std::max(most, counter.high);
    const RecordColumn& column = layout.columns.front();
    const uint64_t last = counters.back().index;
    if (last == 0 || most == 0) return std::vector<RecordSpan>();
    const uint64_t greatest = (targets_[column.target].size - base) / scale / last;
    size_t tried = 0;
    for (uint64_t capacity = most; capacity <= greatest && tried < kMostCapacitiesTried && steps > 0; ++capacity) {
      // Last ones first: they refute a wrong capacity soonest.
      const bool holds_all = std::all_of(changed.rbegin(), changed.rend(), [&](uint64_t place) {
        if (steps == 0) return false;
        --steps;
        const auto counter = std::lower_bound(counters.begin(), counters.end(), place / capacity,
                                              [](const Counter& one, uint64_t index) { return one.index < index; });
        return counter != counters.end() && counter->index == place / capacity && place % capacity >= counter->low &&
               place % capacity < counter->high;
      });
      if (!holds_all) continue;
      ++tried;
      auto spans = checked(layout, claimed(layout, counters, base, scale, capacity));
      if (!spans || !spans->empty()) return spans;
    }
    return std::vector<RecordSpan>();
  }

  // Numbers of places, in units of `scale` from `base` on.
  Result<std::vector<uint64_t>> changed_places(const RecordLayout& layout, uint64_t base, uint64_t scale) const {
    const RecordColumn& column = layout.columns.front();
    Buffer pre(layout.count * column.stride), post(pre.size());
    if (auto read = before_(column.target, column.offset, pre); !read) return read.error();
    if (auto read = sources_.front()(column.target, column.offset, post); !read) return read.error();
    std::vector<uint64_t> places;
    for (uint64_t at = 0; at < pre.size(); at += column.stride) {
      if (std::memcmp(&pre[at], &post[at], column.stride) != 0) places.push_back((column.offset - base + at) / scale);
    }
    return places;
  }

  // Spans of the layout; none if a border is within a record, or claims overlap.
  static std::vector<RecordSpan> claimed(const RecordLayout& layout, const Counters& counters, uint64_t base,
                                         uint64_t scale, uint64_t capacity) {
    const RecordColumn& column = layout.columns.front();
    const uint64_t from = column.offset - base, to = from + layout.count * column.stride;
    std::vector<RecordSpan> spans;
    for (const Counter& counter : counters) {
      const uint64_t limit = UINT64_MAX / scale;
      if (counter.low > limit / 2 || counter.index * capacity > limit / 2) return {};
      const uint64_t begin = std::max(from, (counter.index * capacity + counter.low) * scale);
      const uint64_t end =
          std::min(to, counter.high > limit / 2 ? to : (counter.index * capacity + counter.high) * scale);
      if (begin >= end) continue;
      if ((begin - from) % column.stride != 0 || (end - from) % column.stride != 0) return {};
      spans.push_back({(begin - from) / column.stride, (end - from) / column.stride});
    }
    std::sort(spans.begin(), spans.end(), [](const RecordSpan& a, const RecordSpan& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].begin < spans[i - 1].end) return {};
    }
    return spans;
  }

  Result<std::vector<RecordSpan>> checked(const RecordLayout& layout, std::vector<RecordSpan> spans) const {
    if (spans.size() < 2) return std::vector<RecordSpan>();
    RecordLayout bounded = layout;
    const size_t joined = (spans.size() + kMostSpans - 1) / kMostSpans;
    for (size_t i = 0; i < spans.size(); i += joined)
      bounded.spans.push_back({spans[i].begin, spans[std::min(i + joined, spans.size()) - 1].end});
    const auto same = agree(sources_, bounded);
    if (!same) return same.error();
    return *same ? std::move(bounded.spans) : std::vector<RecordSpan>();
  }

  const std::vector<FreeArray>& arrays_;
  const std::vector<ContentSource>& sources_;
  const ContentSource& before_;
  const std::vector<Target>& targets_;
  std::vector<Counters> counters_;
};

}  // namespace

Status bound_by_counters(const std::vector<FreeArray>& arrays, const std::vector<ContentSource>& sources,
                         const ContentSource& before, const std::vector<Target>& targets,
                         std::vector<FoundLayout>& layouts) {
  if (layouts.empty()) return Unit{};
  SpanSearch search(arrays, sources, before, targets);
  if (auto found = search.find_counters(); !found) return found;
  std::vector<FoundLayout> alone;
  for (FoundLayout& found : layouts) {
    if (!found.is_certain) continue;
    auto spans = search.spans_of(found.layout);
    if (!spans) return spans.error();
    found.layout.spans = std::move(*spans);
    if (!found.layout.spans.empty() || found.layout.columns.size() == 1) continue;
    for (const RecordColumn& column : found.layout.columns) {
      RecordLayout single{{column}, found.layout.count, {}};
      auto own = search.spans_of(single);
      if (!own) return own.error();
      if (own->empty()) continue;
      single.spans = std::move(*own);
      alone.push_back({std::move(single), true, 0, 0});
    }
  }
  layouts.insert(layouts.end(), alone.begin(), alone.end());
  return Unit{};
}

}  // namespace kernloop::replay
