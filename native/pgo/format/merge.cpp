#include "pgo/format/merge.h"

#include "base/bytes.h"

namespace kernloop::pgo {

namespace {

Error foreign(const std::string& what, const std::string& why) {
  return {"PGO_SIDE_FILE_FOREIGN", what + ": " + why, "keep the files of one run together, or remove the side files"};
}

// True if the sum was saturated.
bool accumulate(uint64_t& sum, uint64_t value, uint64_t weight) {
  const uint64_t scaled = saturating_multiply(value, weight);
  const bool lost = (value != 0 && scaled / value != weight) || scaled > UINT64_MAX - sum;
  sum = saturating_add(sum, scaled);
  return lost;
}

const char* kind_of(const Variant& variant) {
  if (!variant.ir) return "of -fprofile-instr-generate";
  if (variant.context_sensitive) return "of -fcs-profile-generate";
  if (variant.entry_first) return "with entry counters first (-pgo-instrument-entry)";
  if (variant.loop_entries) return "with counters at loop entries";
  return "of -fprofile-generate";
}

bool measured(const Profile& profile) {
  return profile.wave_size != 0;
}

}  // namespace

Result<Profile> with_side_files(const RawProfile& raw, const std::vector<uint64_t>* uniform, const WaveFile* waves,
                                const std::string& what) {
  Profile profile;
  profile.variant = raw.variant;
  profile.value_sites = raw.value_sites;
  profile.binary_id_bytes = raw.binary_id_bytes;
  if (uniform && uniform->size() != raw.values.size()) {
    return foreign(what, "there are uniform counters of " + std::to_string(uniform->size()) +
                             " counters beside it, and it has " + std::to_string(raw.values.size()));
  }
  std::map<std::pair<uint64_t, uint64_t>, const WaveFunction*> by_key;
  if (waves) {
    profile.arch = waves->arch, profile.cuid = waves->cuid, profile.wave_size = waves->wave_size;
    profile.sampling = waves->sampling, profile.uniform_rule = waves->uniform_rule;
    for (const WaveFunction& function : waves->functions) by_key[{function.name_ref, function.hash}] = &function;
  }
  for (const RawFunction& function : raw.functions) {
    FunctionProfile one;
    one.name = function.name, one.name_ref = function.name_ref, one.hash = function.hash;
    one.counters = sum_slots(function, raw.values);
    if (uniform) {
      one.uniform = sum_slots(function, *uniform);
      for (size_t i = 0; i < one.uniform.size(); ++i) {
        // Lanes of an NVIDIA warp need not reconverge: there the count is approximate, and may exceed that of lanes.
        if (one.uniform[i] > one.counters[i] && !(waves && waves->arch.starts_with("sm_")))
          return foreign(what,
                         "counter " + std::to_string(i) + " of " + one.name + " has more uniform lanes than lanes");
      }
    }
    if (waves) {
      const auto found = by_key.find({one.name_ref, one.hash});
      if (found == by_key.end() || found->second->counter_class.size() != one.counters.size())
        return foreign(what, "the wave counters beside it do not have " + one.name);
      one.classes = found->second->classes;
      one.counter_class = found->second->counter_class;
    }
    profile.functions.push_back(std::move(one));
  }
  return profile;
}

Merger::Merger(MergeOptions options) : options_(std::move(options)) {
  head_.arch = options_.arch;
  arch_from_ = "--arch";
}

Status Merger::check(const Profile& profile, const std::string& what) const {
  if (!first_.empty() && !(profile.variant == head_.variant)) {
    return Error{
        "PGO_VARIANT_MIXED",
        what + " is a profile " + kind_of(profile.variant) + ", and " + first_ + " one " + kind_of(head_.variant),
        "merge them apart: their counters mean different things"};
  }
  if (!profile.arch.empty() && !head_.arch.empty() && profile.arch != head_.arch) {
    return Error{"PGO_ARCH_MIXED", what + " is of " + profile.arch + ", and " + arch_from_ + " of " + head_.arch,
                 "merge one profile an architecture: code differs between them"};
  }
  if (!measured(profile) || !measured(head_)) return Unit{};
  if (profile.wave_size != head_.wave_size || profile.uniform_rule != head_.uniform_rule) {
    return Error{"PGO_MEASURE_MIXED",
                 what + " was measured with waves of " + std::to_string(profile.wave_size) + " lanes and the rule '" +
                     to_text(profile.uniform_rule) + "', and " + measured_from_ + " with " +
                     std::to_string(head_.wave_size) + " and '" + to_text(head_.uniform_rule) + "'",
                 "instrument both in the same way"};
  }
  if (!(profile.sampling == head_.sampling) && !options_.mixed_sampling) {
    return Error{"PGO_SAMPLING_MIXED",
                 what + " was sampled as '" + to_text(profile.sampling) + "', and " + measured_from_ + " as '" +
                     to_text(head_.sampling) + "': their counts stand for different shares of a run",
                 "sample both in the same way, or give --mixed-sampling and weights (--weighted-input N,FILE)"};
  }
  return Unit{};
}

std::string Merger::renamed(const std::string& name) const {
  const size_t semicolon = name.find(';');
  if (semicolon == name.npos) return name;
  for (const Rename& rename : options_.renames) {
    if (name.compare(0, semicolon, rename.from) == 0) return rename.to + name.substr(semicolon);
  }
  return name;
}

Status Merger::add_function(const FunctionProfile& function, uint64_t weight, const std::string& what) {
  const std::string name = renamed(function.name);
  const auto [found, is_new] = functions_.try_emplace(name);
  Entry& entry = found->second;
  FunctionProfile& sum = entry.function;
  if (is_new) {
    entry.original = function.name, entry.first = what;
    sum.name = name;
    sum.name_ref = function.name_ref;
    sum.hash = function.hash;
    sum.counters.resize(function.counters.size());
    sum.uniform.resize(function.counters.size());
    sum.classes = function.classes;
    for (WaveClass& one : sum.classes) one.waves = one.uniform_lanes = 0;
    sum.counter_class = function.counter_class;
  }
  if (entry.original != function.name) {
    return Error{"PGO_RENAME_COLLISION",
                 "'" + function.name + "' and '" + entry.original + "' would both be called '" + name + "'",
                 "rename the file of one of them only: they are different functions"};
  }
  if (sum.hash != function.hash || sum.counters.size() != function.counters.size()) {
    return Error{"PGO_HASH_MISMATCH",
                 "'" + function.name + "' has hash " + to_hex_number(function.hash) + " and " +
                     std::to_string(function.counters.size()) + " counters in " + what + ", and hash " +
                     to_hex_number(sum.hash) + " and " + std::to_string(sum.counters.size()) + " counters in " +
                     entry.first,
                 "the source or the compiler changed between the runs: run both again with the same program"};
  }
  for (size_t i = 0; i < sum.counters.size(); ++i) {
    if (accumulate(sum.counters[i], function.counters[i], weight)) entry.saturated.insert(i);
    if (!function.uniform.empty()) accumulate(sum.uniform[i], function.uniform[i], weight);
  }
  entry.uniform &= !function.uniform.empty();
  if (function.classes.size() != sum.classes.size() || function.counter_class != sum.counter_class) {
    // If both are present and differ, they cannot be of the same code; a missing one only means that it was not
    // measured.
    if (!function.classes.empty() && !sum.classes.empty()) {
      return Error{"PGO_HASH_MISMATCH",
                   "'" + function.name + "' has other classes of blocks in " + what + " than in " + entry.first,
                   "instrument both with the same version of Kernloop"};
    }
    entry.classes = false;
  } else {
    for (size_t i = 0; i < sum.classes.size(); ++i) {
      accumulate(sum.classes[i].waves, function.classes[i].waves, weight);
      accumulate(sum.classes[i].uniform_lanes, function.classes[i].uniform_lanes, weight);
      sum.classes[i].static_uniform &= function.classes[i].static_uniform;
    }
  }
  if (!function.pattern.empty()) {
    if (sum.pattern.empty()) sum.pattern.assign(function.counters.size(), 'U');
    for (size_t i = 0; i < sum.pattern.size(); ++i) {
      if (function.pattern[i] == 'D') sum.pattern[i] = 'D';
    }
  }
  return Unit{};
}

Status Merger::add(const Profile& profile, uint64_t weight, const std::string& what) {
  if (auto fits = check(profile, what); !fits) return fits;
  for (const FunctionProfile& function : profile.functions) {
    if (auto added = add_function(function, weight, what); !added) return added;
  }
  if (first_.empty()) first_ = what, head_.variant = profile.variant;
  if (head_.arch.empty() && !profile.arch.empty()) head_.arch = profile.arch, arch_from_ = what;
  if (!measured(head_) && measured(profile)) {
    head_.wave_size = profile.wave_size, head_.sampling = profile.sampling, head_.uniform_rule = profile.uniform_rule;
    measured_from_ = what;
  } else if (measured(profile) && !(profile.sampling == head_.sampling)) {
    mixed_ = true;
  }
  head_.value_sites += profile.value_sites;
  head_.binary_id_bytes += profile.binary_id_bytes;
  return Unit{};
}

Profile Merger::result() const {
  Profile profile = head_;
  for (const auto& [name, entry] : functions_) {
    FunctionProfile function = entry.function;
    if (!entry.classes) function.classes.clear(), function.counter_class.clear();
    if (!entry.uniform) {
      function.uniform.clear();
    } else {
      const std::string given = function.pattern;
      function.pattern.clear();
      for (size_t i = 0; i < function.counters.size(); ++i) {
        const bool divergent = !given.empty() && given[i] == 'D';
        function.pattern += divergent ? 'D' : uniformity(function.counters[i], function.uniform[i]);
      }
    }
    profile.functions.push_back(std::move(function));
  }
  return profile;
}

std::vector<Merger::Note> Merger::notes() const {
  std::vector<Note> notes;
  for (const auto& [name, entry] : functions_) {
    for (const size_t counter : entry.saturated) {
      notes.push_back({"PGO_COUNTER_SATURATED", "counter " + std::to_string(counter) + " of '" + name +
                                                    "' does not fit into 64 bits, and stays at the largest number"});
    }
    const bool some = entry.function.uniform != std::vector<uint64_t>(entry.function.uniform.size());
    if (!entry.uniform && some)
      notes.push_back(
          {"PGO_UNIFORM_LEFT_OUT", "uniform lanes of '" + name + "' are left out: not every input has them"});
    if (!entry.classes)
      notes.push_back(
          {"PGO_WAVES_LEFT_OUT", "visits of waves of '" + name + "' are left out: not every input has them"});
  }
  if (mixed_)
    notes.push_back({"PGO_SAMPLING_MIXED", "the inputs were sampled in different ways; counts were taken as they are"});
  if (head_.value_sites > 0) {
    notes.push_back(
        {"PGO_VALUES_LEFT_OUT", std::to_string(head_.value_sites) +
                                    " sites of value profiles (indirect calls, sizes) are left out: merge with "
                                    "llvm-profdata-22 to keep them"});
  }
  if (head_.binary_id_bytes > 0)
    notes.push_back({"PGO_BINARY_IDS_LEFT_OUT", "binary ids are left out: merge with llvm-profdata-22 to keep them"});
  return notes;
}

}  // namespace kernloop::pgo
