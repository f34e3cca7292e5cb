#include "verdict/overwritten.h"

#include <algorithm>

#include "archive/files/file.h"
#include "verdict/values/differences.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMaxOverwrittenFile = 256u << 20;
// Bounds for the expanded ranges of a file: memory for this many is small, and a kernel whose ranges fold badly cannot
// exhaust it.
constexpr uint64_t kMaxRanges = 8u << 20;
constexpr size_t kMaxRows = 20'000;

Error bad_overwritten(const std::filesystem::path& path, const std::string& why) {
  return {"VARYING_INVALID", path.string() + ": " + why, "capture again (the capture's self-check writes this file)"};
}

std::vector<AddressRange> offsets_in(const Target& target, const std::vector<AddressRange>& addresses) {
  std::vector<AddressRange> inside = intersection(addresses, {{target.address, target.size}});
  for (AddressRange& range : inside) range.base -= target.address;
  return inside;
}

std::vector<AddressRange> of_kind(const std::vector<Access>& accesses, bool writes) {
  std::vector<AddressRange> ranges;
  for (const Access& access : accesses) {
    if (access.is_write == writes) ranges.push_back({access.base, access.size});
  }
  return merge_ranges(std::move(ranges));
}

std::vector<std::vector<AddressRange>> offsets_in_each(const std::vector<Target>& targets,
                                                       const std::vector<AddressRange>& addresses) {
  std::vector<std::vector<AddressRange>> found;
  for (const Target& target : targets) found.push_back(offsets_in(target, addresses));
  return found;
}

bool read_row(const archive::Json& json, OverwrittenRow& row) {
  const auto field = [&](const char* name, uint64_t& into, bool needed) {
    const auto found = json.find(name);
    if (found == json.end()) return !needed;
    if (!found->is_number_unsigned()) return false;
    into = found->get<uint64_t>();
    return true;
  };
  return field("offset", row.offset, true) && field("bytes", row.bytes, true) && field("count", row.count, false) &&
         field("stride", row.stride, false) && row.bytes > 0 && row.count > 0 &&
         (row.count == 1 || row.stride >= row.bytes);
}

// Whether the row ends within the target.
bool fits(const OverwrittenRow& row, uint64_t size) {
  if (row.bytes > size || row.offset > size - row.bytes) return false;
  return row.count == 1 || (size - row.bytes - row.offset) / row.stride >= row.count - 1;
}

// One list of the file; `ranges`: of all its lists so far.
Status read_rows(const archive::Json& json, const std::string& list_name, std::vector<AddressRange> Target::*into,
                 const std::filesystem::path& path, uint64_t& ranges, std::vector<Target>& targets) {
  const auto list = json.find(list_name);
  if (list == json.end()) return Unit{};
  if (!list->is_array()) return bad_overwritten(path, list_name + " is no list");
  for (const archive::Json& item : *list) {
    const std::string at = "an entry of " + list_name + " ";
    OverwrittenRow row;
    if (!item.is_object() || !read_row(item, row)) return bad_overwritten(path, at + "is malformed");
    const bool is_variable = item.contains("variable");
    const auto name = item.find(is_variable ? "variable" : "region");
    if (name == item.end() || !name->is_string())
      return bad_overwritten(path, at + "names neither region nor variable");
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const Target& candidate) {
      return candidate.is_variable == is_variable && candidate.name == name->get<std::string>();
    });
    // A variant may lack a variable; whether it may is decided elsewhere.
    if (target == targets.end() && is_variable) continue;
    if (target == targets.end()) return bad_overwritten(path, at + "names a region that the capture does not have");
    if (!fits(row, target->size)) return bad_overwritten(path, at + "ends beyond " + target->name);
    ranges += row.count;
    if (ranges > kMaxRanges) return bad_overwritten(path, list_name + " has more than 8,388,608 ranges");
    for (uint64_t i = 0; i < row.count; ++i) ((*target).*into).push_back({row.offset + i * row.stride, row.bytes});
  }
  for (Target& target : targets) target.*into = merge_ranges(std::move(target.*into));
  return Unit{};
}

}  // namespace

std::vector<AddressRange> without(const std::vector<AddressRange>& a, const std::vector<AddressRange>& b) {
  std::vector<AddressRange> left;
  auto cut = b.begin();
  for (AddressRange rest : a) {
    while (cut != b.end() && cut->end() <= rest.base) ++cut;
    for (auto at = cut; rest.size > 0 && at != b.end() && at->base < rest.end(); ++at) {
      if (at->base > rest.base) left.push_back({rest.base, at->base - rest.base});
      const uint64_t from = std::min(at->end(), rest.end());
      rest = {from, rest.end() - from};
    }
    if (rest.size > 0) left.push_back(rest);
  }
  return left;
}

std::vector<AddressRange> intersection(const std::vector<AddressRange>& a, const std::vector<AddressRange>& b) {
  std::vector<AddressRange> both;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const uint64_t from = std::max(x->base, y->base), to = std::min(x->end(), y->end());
    if (from < to) both.push_back({from, to - from});
    x->end() < y->end() ? ++x : ++y;
  }
  return both;
}

uint64_t total_bytes(const std::vector<AddressRange>& ranges) {
  uint64_t bytes = 0;
  for (const AddressRange& range : ranges) bytes += range.size;
  return bytes;
}

std::vector<std::vector<AddressRange>> overwritten_by(const std::vector<Access>& accesses,
                                                      const std::vector<Target>& targets) {
  return offsets_in_each(targets, without(of_kind(accesses, true), of_kind(accesses, false)));
}

std::vector<std::vector<AddressRange>> written_by(const std::vector<Access>& accesses,
                                                  const std::vector<Target>& targets) {
  return offsets_in_each(targets, of_kind(accesses, true));
}

std::vector<std::vector<AddressRange>> read_by(const std::vector<Access>& accesses,
                                               const std::vector<Target>& targets) {
  return offsets_in_each(targets, of_kind(accesses, false));
}

std::vector<OverwrittenRow> fold(const std::vector<AddressRange>& ranges, size_t most) {
  std::vector<OverwrittenRow> rows;
  for (const AddressRange& range : ranges) {
    if (!rows.empty()) {
      OverwrittenRow& last = rows.back();
      const uint64_t stride = range.base - (last.offset + (last.count - 1) * last.stride);
      if (last.bytes == range.size && (last.count == 1 || stride == last.stride)) {
        last.stride = stride;
        ++last.count;
        continue;
      }
    }
    rows.push_back({range.base, range.size});
  }
  if (rows.size() <= most) return rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.bytes * a.count > b.bytes * b.count; });
  rows.resize(most);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return rows;
}

void emit_rows(ReplayEvent event, const Target& target, const std::vector<AddressRange>& ranges, EventSink& sink) {
  for (const OverwrittenRow& row : fold(ranges, kMaxRows)) {
    archive::Json json = {{"event", event}, {target.kind(), target.name}, {"offset", row.offset}, {"bytes", row.bytes}};
    if (row.count > 1) {
      json["count"] = row.count;
      json["stride"] = row.stride;
    }
    sink.emit(json);
  }
}

Status read_overwritten(const std::filesystem::path& path, std::vector<Target>& targets,
                        const ExpectedFiles& expected) {
  auto text = read_expected(expected, path, kMaxOverwrittenFile);
  if (!text) return text.error();
  auto json = parse_json(*text, path.string());
  if (!json) return json.error();
  if (!json->is_object()) return bad_overwritten(path, "it is no object");
  uint64_t ranges = 0;
  if (auto read = read_rows(*json, "overwritten", &Target::overwritten, path, ranges, targets); !read) return read;
  return read_rows(*json, "untouched", &Target::untouched, path, ranges, targets);
}

Result<Rewritten> count_rewritten(ContentCache& cache, const Target& target,
                                  const std::vector<AddressRange>& unjudged) {
  std::vector<AddressRange> left_out = unjudged;
  left_out.insert(left_out.end(), target.ignored.begin(), target.ignored.end());
  const std::vector<AddressRange> judged = without(target.overwritten, merge_ranges(std::move(left_out)));
  Rewritten found;
  found.bytes = total_bytes(judged);
  if (found.bytes == 0) return found;
  const std::vector<AddressRange> others = without({{0, target.size}}, judged);
  const auto changed = count_changed_bytes(cache, target.pre, target.post, others);
  if (!changed) return changed.error();
  found.unchanged = found.bytes - *changed;
  return found;
}

}  // namespace kernloop::replay
