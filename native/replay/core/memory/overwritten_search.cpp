#include "replay/core/memory/overwritten_search.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "archive/files/file.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

using Ranges = std::vector<AddressRange>;
using ByTarget = std::vector<Ranges>;

constexpr double kSeconds = 20;  // per process, after which no area is begun
constexpr size_t kMaxStops = 6;  // launches that cost a process
constexpr size_t kMaxLaunchesOfArea = 40;
constexpr size_t kMaxRangesOfArea = 200'000;
constexpr uint64_t kFewestBytesToSplit = 1024;
constexpr uint64_t kMaxStateBytes = 256u << 20;

struct Area {
  size_t target = 0;
  AddressRange range;  // offsets
};

// Result of a launch in the bytes that it began with other values in.
struct Seen {
  Ranges as_post;        // whole words
  Ranges changed;        // bytes whose value differs from the one they began with
  bool is_clean = true;  // all other memory is as the app left it
};

class Rows final : public EventSink {
 public:
  explicit Rows(archive::Json& list) : list_(list) {}
  void emit(const archive::Json& event) override { list_.push_back(event); }

 private:
  archive::Json& list_;
};

class Search {
 public:
  explicit Search(const OverwrittenSearch& search) : search_(search), found_(search.targets.size()) {}

  Result<std::optional<ByTarget>> run() {
    if (auto read = read_state(); !read) return read.error();
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Area> areas = areas_of_targets();
    for (size_t i = next_; i < areas.size(); ++i) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (stops_ > kMaxStops || spent.count() > kSeconds) break;
      next_ = i + 1;  // area at which the next process continues
      ++stops_;
      if (auto written = write_state(); !written) return written.error();
      launches_ = 0;
      auto ranges = search_area(areas[i]);
      if (!ranges) return ranges.error();
      if (!*ranges) return std::optional<ByTarget>();
      --stops_;
      Ranges& all = found_[areas[i].target];
      all.insert(all.end(), (*ranges)->begin(), (*ranges)->end());
      all = merge_ranges(std::move(all));
    }
    next_ = areas.size();
    if (auto written = write_state(); !written) return written.error();
    for (Target& target : search_.targets) target.overwritten.clear();
    return std::optional(found_);
  }

 private:
  // None: a launch did not end by itself.
  using Found = Result<std::optional<Ranges>>;

  std::vector<Area> areas_of_targets() const {
    std::vector<Area> areas;
    for (size_t t = 0; t < search_.targets.size(); ++t) {
      const Target& target = search_.targets[t];
      std::vector<uint64_t> starts = {0};
      for (const uint64_t pointer : search_.pointers) {
        if (pointer > target.address && pointer - target.address < target.size)
          starts.push_back(pointer - target.address);
      }
      std::sort(starts.begin(), starts.end());
      starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
      for (size_t i = 0; i < starts.size(); ++i) {
        const uint64_t end = i + 1 < starts.size() ? starts[i + 1] : target.size;
        areas.push_back({t, {starts[i], end - starts[i]}});
      }
    }
    const auto is_pointed_to = [this](const Area& area) {
      const uint64_t at = search_.targets[area.target].address + area.range.base;
      return std::find(search_.pointers.begin(), search_.pointers.end(), at) != search_.pointers.end();
    };
    std::stable_sort(areas.begin(), areas.end(), [&](const Area& a, const Area& b) {
      const bool first = is_pointed_to(a), second = is_pointed_to(b);
      return first != second ? first : a.range.size < b.range.size;
    });
    return areas;
  }

  // Bytes that may hold other values in principle.
  Result<Ranges> candidates(const Area& area) const {
    const Target& target = search_.targets[area.target];
    Ranges left_out = target.ignored;
    for (const VaryingRange& range : search_.varying) {
      if (range.is_variable == target.is_variable && range.target == target.name)
        left_out.push_back({range.offset, range.bytes()});
    }
    auto pointers = pointers_in(target, area.range);
    if (!pointers) return pointers.error();
    left_out.insert(left_out.end(), pointers->begin(), pointers->end());
    return without({area.range}, merge_ranges(std::move(left_out)));
  }

  // Words that lead into captured memory: a kernel that follows another address is lost.
  Result<Ranges> pointers_in(const Target& target, const AddressRange& area) const {
    Ranges found;
    constexpr uint64_t kPiece = 4u << 20;
    for (uint64_t offset = (area.base + 7) / 8 * 8; offset + 8 <= area.end(); offset += kPiece) {
      const uint64_t size = std::min(kPiece, (area.end() - offset) / 8 * 8);
      const auto bytes = read_content(search_.cache, target.pre, offset, size);
      if (!bytes) return bytes.error();
      for (uint64_t at = 0; at < size; at += 8) {
        uint64_t value;
        std::memcpy(&value, &(*bytes)[at], 8);
        if (leads_into_memory(value)) found.push_back({offset + at, 8});
      }
    }
    return merge_ranges(std::move(found));
  }

  bool leads_into_memory(uint64_t value) const {
    return value != 0 && std::any_of(search_.targets.begin(), search_.targets.end(), [&](const Target& target) {
             return value >= target.address && value - target.address < target.size;
           });
  }

  Found search_area(const Area& area) {
    auto all = candidates(area);
    if (!all) return all.error();
    if (all->empty()) return std::optional(Ranges());
    const auto seen = launch_with(area.target, *all, Fill::kAbove);
    if (!seen) return seen.error();
    if (!*seen) return std::optional<Ranges>();
    return settle(area.target, (*seen)->changed);
  }

  // The part of `ranges` that withstands every fill.
  Found settle(size_t target, Ranges ranges) {
    constexpr Fill kFills[] = {Fill::kBelow, Fill::kAbove, Fill::kHuge, Fill::kOpposite,
                               Fill::kZeros, Fill::kOnes,  Fill::kHuge, Fill::kOpposite};
    for (size_t passed = 0; passed < std::size(kFills);) {
      if (ranges.empty() || ranges.size() > kMaxRangesOfArea || launches_ >= kMaxLaunchesOfArea)
        return std::optional(Ranges());
      auto seen = launch_with(target, ranges, kFills[passed]);
      if (!seen) return seen.error();
      if (!*seen) return std::optional<Ranges>();
      const bool is_same = (*seen)->as_post == ranges;
      if (is_same && !(*seen)->is_clean) return split(target, ranges);
      passed = is_same ? passed + 1 : 0;
      ranges = std::move((*seen)->as_post);
    }
    return std::optional(std::move(ranges));
  }

  // Something in the range is read and shows elsewhere: the half that contains it is dropped, the other may be kept.
  Found split(size_t target, const Ranges& ranges) {
    const uint64_t bytes = total_bytes(ranges);
    if (bytes < kFewestBytesToSplit) return std::optional(Ranges());
    uint64_t middle = ranges.front().base, seen = 0;
    for (const AddressRange& range : ranges) {
      if (seen + range.size >= bytes / 2) {
        middle = (range.base + (bytes / 2 - seen)) / 16 * 16;
        break;
      }
      seen += range.size;
    }
    Ranges both;
    for (const AddressRange& half : {AddressRange{0, middle}, AddressRange{middle, UINT64_MAX - middle}}) {
      auto found = settle(target, intersection(ranges, {half}));
      if (!found || !*found) return found;
      both.insert(both.end(), (*found)->begin(), (*found)->end());
    }
    return settle(target, merge_ranges(std::move(both)));
  }

  // Launches with other values in `ranges` of one target, and in the bytes found before.
  Result<std::optional<Seen>> launch_with(size_t index, const Ranges& ranges, Fill fill) {
    ++launches_;
    for (size_t t = 0; t < search_.targets.size(); ++t) {
      search_.targets[t].overwritten = found_[t];
      if (t != index) continue;
      Ranges& all = search_.targets[t].overwritten;
      all.insert(all.end(), ranges.begin(), ranges.end());
      all = merge_ranges(std::move(all));
    }
    const auto completed = search_.launch(fill);
    if (!completed) return completed.error();
    if (!*completed) return std::optional<Seen>();
    Seen seen;
    for (size_t t = 0; t < search_.targets.size(); ++t) {
      if (auto looked = look_at(search_.targets[t], t == index ? ranges : Ranges(), fill, seen); !looked)
        return looked.error();
    }
    seen.as_post = merge_ranges(std::move(seen.as_post));
    seen.changed = merge_ranges(std::move(seen.changed));
    return std::optional(std::move(seen));
  }

  Status look_at(const Target& target, const Ranges& ranges, Fill fill, Seen& seen) const {
    Ranges exempt = target.ignored;
    for (const VaryingRange& range : search_.varying) {
      if (range.is_variable == target.is_variable && range.target == target.name)
        exempt.push_back({range.offset, range.bytes()});
    }
    exempt.insert(exempt.end(), ranges.begin(), ranges.end());
    const Ranges others = without({{0, target.size}}, merge_ranges(std::move(exempt)));
    Buffer began;
    return walk_target(search_.device, search_.cache, target, target.post,
                       [&](uint64_t offset, Bytes post, Bytes actual) -> Status {
                         const Ranges chunk = {{offset, post.size()}};
                         for (const AddressRange& range : intersection(others, chunk)) {
                           const uint64_t at = range.base - offset;
                           seen.is_clean = seen.is_clean && std::memcmp(&post[at], &actual[at], range.size) == 0;
                         }
                         const Ranges mine = intersection(ranges, chunk);
                         if (mine.empty()) return Unit{};
                         began.assign(post.begin(), post.end());
                         poison(fill, target, offset, began, post);
                         for (const AddressRange& range : mine)
                           look_at_words(range, offset, target.address, post, actual, began, seen);
                         return Unit{};
                       });
  }

  static void look_at_words(const AddressRange& range, uint64_t chunk, uint64_t address, Bytes post, Bytes actual,
                            Bytes began, Seen& seen) {
    for (uint64_t at = range.base; at < range.end();) {
      const uint64_t size = std::min<uint64_t>(4 - (address + at) % 4, range.end() - at);
      const uint64_t in_chunk = at - chunk;
      if (std::memcmp(&post[in_chunk], &actual[in_chunk], size) == 0) append(seen.as_post, at, size);
      // A byte that the fill leaves at the app's value proves nothing.
      for (uint64_t i = 0; i < size; ++i) {
        if (actual[in_chunk + i] != began[in_chunk + i]) append(seen.changed, at + i, 1);
      }
      at += size;
    }
  }

  static void append(Ranges& ranges, uint64_t base, uint64_t size) {
    if (!ranges.empty() && ranges.back().end() == base)
      ranges.back().size += size;
    else
      ranges.push_back({base, size});
  }

  Status read_state() {
    if (!std::filesystem::exists(search_.state)) return Unit{};
    auto text = archive::read_text(search_.state, kMaxStateBytes);
    if (!text) return text.error();
    auto json = parse_json(*text, search_.state.string());
    if (!json) return json.error();
    next_ = json->value("next", size_t{0});
    stops_ = json->value("stops", size_t{0});
    std::vector<Target>& targets = search_.targets;
    if (auto read = read_overwritten(search_.state, targets); !read) return read;
    for (size_t t = 0; t < targets.size(); ++t) found_[t] = std::move(targets[t].overwritten);
    return Unit{};
  }

  Status write_state() const {
    archive::Json json = {{"next", next_}, {"stops", stops_}, {"overwritten", archive::Json::array()}};
    Rows rows(json["overwritten"]);
    for (size_t t = 0; t < found_.size(); ++t) emit_rows(ReplayEvent::overwritten, search_.targets[t], found_[t], rows);
    return archive::write_atomically(search_.state, json.dump());
  }

  const OverwrittenSearch& search_;
  ByTarget found_;
  size_t next_ = 0, stops_ = 0, launches_ = 0;
};

}  // namespace

Result<std::optional<ByTarget>> search_overwritten(const OverwrittenSearch& search) {
  return Search(search).run();
}

}  // namespace kernloop::replay
