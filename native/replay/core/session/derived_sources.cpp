#include "replay/core/session/derived_sources.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMostDerivedBytes = uint64_t{256} << 20;  // all arrays together

// Aligned 64-bit words of `parts` that lead into captured memory, as offsets.
Result<std::vector<AddressRange>> find_pointers(ContentCache& cache, const std::vector<Target>& targets,
                                                const Target& target, const std::vector<AddressRange>& parts) {
  constexpr uint64_t kPieceBytes = 1u << 20;
  const auto leads_somewhere = [&](uint64_t word) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const Target& each) { return word >= each.address && word - each.address <= each.size; });
  };
  std::vector<AddressRange> pointers;
  Buffer piece;
  for (const AddressRange& part : parts) {
    const uint64_t begin = part.base / 8 * 8, end = std::min(target.size, (part.end() + 7) / 8 * 8);
    for (uint64_t at = begin; at < end; at += kPieceBytes) {
      piece.resize(std::min(kPieceBytes, end - at));
      if (auto read = read_content(cache, target.pre, at, piece); !read) return read.error();
      for (size_t i = 0; i + 8 <= piece.size(); i += 8) {
        uint64_t word = 0;
        std::memcpy(&word, &piece[i], 8);
        if (word != 0 && leads_somewhere(word)) pointers.push_back({at + i, 8});
      }
    }
  }
  return merge_ranges(std::move(pointers));
}

// Records that have a byte in `ranges`, counted from `base`.
std::vector<AddressRange> records_with(const std::vector<AddressRange>& ranges, uint64_t base, uint64_t bytes) {
  std::vector<AddressRange> whole;
  for (const AddressRange& range : ranges) {
    const uint64_t from = (range.base - base) / bytes, to = (range.end() - base + bytes - 1) / bytes;
    whole.push_back({base + from * bytes, (to - from) * bytes});
  }
  return merge_ranges(std::move(whole));
}

// Whole elements in `parts`, counted from `base`.
std::vector<AddressRange> whole_elements(const std::vector<AddressRange>& parts, uint64_t base, uint64_t size) {
  std::vector<AddressRange> whole;
  for (const AddressRange& part : parts) {
    const uint64_t from = base + (part.base - base + size - 1) / size * size;
    const uint64_t to = base + (part.end() - base) / size * size;
    if (from < to) whole.push_back({from, to - from});
  }
  return whole;
}

class ArrayFinder {
 public:
  ArrayFinder(ContentCache& cache, const Derivation& derivation, const std::vector<Target>& targets,
              const std::vector<Access>* accesses)
      : cache_(cache), derivation_(derivation), targets_(targets), tells_(accesses != nullptr) {
    if (accesses) reads_ = touched(*accesses, false);
  }

  Result<std::vector<InputArray>> run() {
    for (const GivenRecord& given : derivation_.records) {
      if (auto added = add_records(given); !added) return added.error();
    }
    for (size_t t = 0; t < targets_.size(); ++t) {
      if (targets_[t].is_variable && !is_set_by_app(targets_[t])) continue;
      if (auto found = find_in(t); !found) return found.error();
    }
    return std::move(found_);
  }

 private:
  // The source defines a variable that the app never sets: a right edit may inline its values.
  bool is_set_by_app(const Target& variable) const {
    const auto& variables = cache_.reader().manifest().module_variables;
    return std::any_of(variables.begin(), variables.end(), [&](const archive::ModuleVariable& each) {
      return each.name == variable.name && each.address_told.value_or(false);
    });
  }

  std::vector<AddressRange> read_of(const Target& target) const {
    std::vector<AddressRange> parts = {{0, target.size}};
    if (tells_) {
      parts = intersection(reads_, {{target.address, target.size}});
      for (AddressRange& part : parts) part.base -= target.address;
    }
    return without(parts, left_out_of(target));
  }

  std::vector<AddressRange> left_out_of(const Target& target) const {
    std::vector<AddressRange> left = target.dropped;
    left.insert(left.end(), target.ignored.begin(), target.ignored.end());
    for (const IgnoredBytes& kept : derivation_.kept) {
      if (kept.region == target.name) left.push_back({kept.offset, kept.size});
    }
    return merge_ranges(std::move(left));
  }

  // Records of which the captured code reads anything, as far as that is known; those it does not read may be none.
  Status add_records(const GivenRecord& given) {
    const auto named = std::find_if(targets_.begin(), targets_.end(),
                                    [&](const Target& target) { return target.name == given.target; });
    if (named == targets_.end() || given.offset > named->size || given.size > named->size - given.offset) {
      return Error{"USAGE",
                   "--derive-record: the capture has no " + std::to_string(given.size) + " bytes at " +
                       std::to_string(given.offset) + " of " + given.target,
                   ""};
    }
    const bool is_taken = std::any_of(found_.begin(), found_.end(), [&](const InputArray& other) {
      return &targets_[other.target] == &*named && !intersection({other.extent}, {{given.offset, given.size}}).empty();
    });
    if (is_taken) return Error{"USAGE", "--derive-record: bytes of " + given.target + " are given to two arrays", ""};
    InputArray array;
    array.target = static_cast<size_t>(named - targets_.begin());
    array.extent = {given.offset, given.size};
    array.type = ElementType::kU8;
    array.is_declared = true;
    array.is_constant = false;
    array.record_bytes = given.bytes;
    const auto records_at = [&](const std::vector<AddressRange>& ranges) {
      return records_with(intersection(ranges, {array.extent}), given.offset, given.bytes);
    };
    array.parts = without(records_at(read_of(*named)), records_at(left_out_of(*named)));
    for (size_t i = 0; i < array.parts.size(); ++i) {
      uint64_t& size = array.parts[i].size;
      size = std::min(size, left_ / given.bytes * given.bytes);
      left_ -= size;
      if (size == 0) array.parts.resize(i);
    }
    found_.push_back(std::move(array));
    return Unit{};
  }

  Status find_in(size_t t) {
    const Target& target = targets_[t];
    std::vector<AddressRange> parts = read_of(target);
    auto pointers = find_pointers(cache_, targets_, target, parts);
    if (!pointers) return pointers.error();
    parts = without(parts, *pointers);
    for (const GivenRecord& given : derivation_.records) {
      if (given.target == target.name) parts = without(parts, {{given.offset, given.size}});
    }
    uint64_t from = 0;
    for (const ElementTolerance& type : derivation_.types) {
      if (type.target != target.name) continue;
      const uint64_t end = std::min(target.size, type.size == UINT64_MAX ? target.size : type.offset + type.size);
      if (auto added = add(t, parts, {from, type.offset - std::min(from, type.offset)}, std::nullopt); !added)
        return added;
      if (auto added = add(t, parts, {type.offset, end - std::min(end, type.offset)}, type.type); !added) return added;
      from = end;
    }
    return add(t, parts, {from, target.size - from}, std::nullopt);
  }

  Status add(size_t t, const std::vector<AddressRange>& all, const AddressRange& extent,
             const std::optional<ElementType>& type) {
    if (extent.size == 0 || (!tells_ && (!type || !is_float(*type)))) return Unit{};
    std::vector<AddressRange> parts = intersection(all, {extent});
    if (parts.empty()) return Unit{};
    InputArray array;
    array.target = t;
    array.extent = extent;
    array.is_declared = type.has_value();
    if (type) {
      array.type = *type;
    } else {
      auto guessed = guess_type(cache_, targets_[t], parts);
      if (!guessed) return guessed.error();
      array.type = *guessed;
    }
    const uint64_t size = size_of(array.type);
    array.extent.base = type ? extent.base : extent.base / size * size;
    array.parts = whole_elements(parts, array.extent.base, size);
    if (array.parts.empty()) return Unit{};
    if (auto looked = look_at_values(cache_, targets_[t], left_, array); !looked) return looked;
    if (array.parts.empty()) return Unit{};
    left_ -= total_bytes(array.parts);
    found_.push_back(std::move(array));
    return Unit{};
  }

  ContentCache& cache_;
  const Derivation& derivation_;
  const std::vector<Target>& targets_;
  const bool tells_;
  std::vector<AddressRange> reads_;
  std::vector<InputArray> found_;
  uint64_t left_ = kMostDerivedBytes;
};

}  // namespace

Result<std::vector<InputArray>> find_input_arrays(ContentCache& cache, const Derivation& derivation,
                                                  const std::vector<Target>& targets,
                                                  const std::vector<Access>* accesses) {
  return ArrayFinder(cache, derivation, targets, accesses).run();
}

std::vector<AddressRange> touched(const std::vector<Access>& accesses, bool is_write) {
  std::vector<AddressRange> ranges;
  for (const Access& access : accesses) {
    if (access.is_write == is_write) ranges.push_back({access.base, access.size});
  }
  return merge_ranges(std::move(ranges));
}

std::vector<uint64_t> lesser_values(uint64_t value, uint64_t block_threads, uint64_t seed) {
  std::vector<uint64_t> values;
  // Subtracting up to this many keeps the number of blocks, as apps compute it.
  const uint64_t past = value == 0 ? 0 : (value - 1) % std::max<uint64_t>(1, block_threads);
  const auto add = [&](uint64_t less) {
    if (less > past || std::find(values.begin(), values.end(), value - less) != values.end()) return;
    values.push_back(value - less);
  };
  add(1);
  if (past > 1) add(2 + mixed(seed) % (past - 1));
  if (past > 0) add(past);
  add(3);
  add(1 + value % 2);
  return values;
}

std::vector<uint64_t> near_values(uint64_t value) {
  constexpr uint64_t kMost = 8;
  std::vector<uint64_t> values;
  if (value > kMost) return values;
  for (const uint64_t other : {value + 1, uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}}) {
    if (other != value && std::find(values.begin(), values.end(), other) == values.end()) values.push_back(other);
  }
  return values;
}

std::vector<double> other_values(double value) {
  if (!std::isfinite(value)) return {};
  if (value == 0) return {1, 0.5};
  return {value / 2, std::abs(value) <= 1 ? value / 4 : value * 2};
}

}  // namespace kernloop::replay
