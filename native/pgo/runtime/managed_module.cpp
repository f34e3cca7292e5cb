#include "pgo/runtime/managed_module.h"

#include <algorithm>

#include "base/process_name.h"
#include "pgo/collect/log.h"
#include "pgo/format/files.h"
#include "pgo/runtime/distance.h"
#include "pgo/runtime/gpu.h"

namespace kernloop::pgo::runtime {

namespace {

CountsOfFunctions counts_of(const UnitProfile& unit) {
  CountsOfFunctions counts;
  size_t first = 0;
  for (const UnitProfile::Record& record : unit.records) {
    const auto begin = unit.counters.begin() + static_cast<std::ptrdiff_t>(first);
    counts[{record.name_ref, record.hash}] = {begin, begin + record.counters};
    first += record.counters;
  }
  return counts;
}

bool is_zero(const std::vector<uint64_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](uint64_t count) { return count == 0; });
}

}  // namespace

ManagedModule::ManagedModule(const Config& config, Events& events, CacheEntry entry, std::string name, uint64_t place)
    : config_(config),
      events_(events),
      builder_(config),
      entry_(std::move(entry)),
      name_(std::move(name)),
      place_(place) {
  events_.write({{"event", PgoRuntimeEvent::program},
                 {"program", name_},
                 {"folder", entry_.folder.string()},
                 {"profile", entry_.profile ? entry_.profile->id : ""},
                 {"gate", entry_.gate},
                 {"compiled", entry_.compiled}});
  if (entry_.problem) give_up(*entry_.problem);
}

void ManagedModule::give_up(const Error& error) {
  events_.refused(name_, error.code, error.message);
}

bool ManagedModule::on_device() const {
  uint64_t current = 0;
  return gpu().place(&current) == 0 && current == place_;
}

void* ManagedModule::Loaded::function(const std::string& kernel) {
  if (!module) return nullptr;
  const auto [at, fresh] = functions.try_emplace(kernel, nullptr);
  if (fresh && gpu().function(&at->second, module, kernel.c_str()) != 0) at->second = nullptr;
  return at->second;
}

bool ManagedModule::load(const std::string& path, Loaded& loaded) {
  const auto bytes = read_file(path);
  if (!bytes) return give_up(bytes.error()), false;
  if (const int error = gpu().load(&loaded.module, bytes->data()); error != 0) {
    loaded.module = nullptr;
    give_up({"NATIVE_FAILED", path + " does not load: " + gpu().name + " error " + std::to_string(error), ""});
    return false;
  }
  return true;
}

bool ManagedModule::load_counting() {
  if (counting_.module) return true;
  if (without_counting_ || entry_.instrumented.empty()) return false;
  without_counting_ = true;
  if (!load(entry_.instrumented, counting_)) return false;
  const auto bytes = read_file(entry_.instrumented);
  auto units = bytes ? gpu().units(*bytes, name_) : Result<std::vector<Unit>>(bytes.error());
  if (!units || units->size() != 1) {
    give_up({"PGO_NOT_INSTRUMENTED", "its code has no counters: no kernel of it branches", ""});
    return false;
  }
  units_ = std::move(*units);
  measurement_ = counted();
  window_ = measurement_;
  if (!window_) return false;
  without_counting_ = false;
  if (entry_.profile && !(profile_ = read_profile())) entry_.profile.reset();
  return true;
}

std::optional<UnitProfile> ManagedModule::counted() {
  if (gpu().synchronize() != 0) return std::nullopt;
  auto unit =
      read_unit(units_[0], [&](const Variable& variable) { return gpu().variable(counting_.module, variable.name); });
  if (!unit || !*unit) {
    give_up(unit ? unit->error() : Error{"IO_ERROR", "its counters cannot be read from the device", ""});
    return std::nullopt;
  }
  return **unit;
}

// Counts since `begin`, which becomes now.
std::optional<UnitProfile> ManagedModule::counted_since(std::optional<UnitProfile>& begin) {
  auto total = counted();
  if (!total) return std::nullopt;
  UnitProfile since = *total;
  subtract(since, *begin);
  begin = std::move(total);
  return since;
}

bool ManagedModule::is_measuring() const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [&](const auto& one) { return one.second.measured > 0 && !covers(one.first); });
}

std::optional<UnitProfile> ManagedModule::read_profile() const {
  UnitProfile profile = *window_;
  subtract(profile, *window_);
  const auto file = [&](const char* extension) {
    auto read = read_file(std::filesystem::path(entry_.profile->raw).replace_extension(extension));
    return read ? std::move(*read) : Buffer{};
  };
  if (!add_written(profile, file(".profraw"), file(".unifcnts"), file(".wavecnts"))) return std::nullopt;
  return profile;
}

bool ManagedModule::covers(const std::string& kernel) const {
  return config_.mode != Mode::kMeasure && entry_.profile && entry_.profile->kernels.contains(kernel);
}

ManagedModule::Choice ManagedModule::choose(const std::string& name, bool may_count) {
  Kernel& kernel = kernels_[name];
  Choice choice;
  if (kernel.refused || !on_device()) return choice;
  bool counts = config_.mode != Mode::kProduction;
  if (counts && covers(name)) {
    counts = config_.sample_one_in > 0 && kernel.in_production % config_.sample_one_in == 0;
    if (may_count) ++kernel.in_production;
  }
  if (counts && may_count && load_counting()) {
    // An unreadable profile, which is noticed only here, counts as none.
    choice = {Code::kCounting, counting_.function(name)};
  } else if (covers(name) && !entry_.production.empty()) {
    if (!production_.module && !load(entry_.production, production_)) entry_.production.clear();
    choice = {Code::kProduction, production_.function(name)};
  }
  return choice.function ? choice : Choice{};
}

void ManagedModule::after(const std::string& name, const Choice& choice) {
  Kernel& kernel = kernels_[name];
  if (choice.code == Code::kOwn) ++kernel.own;
  if (choice.code == Code::kProduction) ++kernel.production;
  if (choice.code != Code::kCounting) return;
  ++kernel.counting;
  if (covers(name)) {
    if (++sampled_ >= config_.window) judge(false);
  } else if (++kernel.measured >= config_.measure_launches && config_.mode == Mode::kAuto) {
    measured_enough(false);
  }
}

void ManagedModule::failed(const std::string& name, const Choice& choice, int error) {
  kernels_[name].refused = true;
  give_up({"LAUNCH_IMPOSSIBLE",
           name + (choice.code == Code::kCounting ? " with counters" : " by its profile") +
               " does not launch as the app launches it: " + gpu().name + " error " + std::to_string(error),
           ""});
}

// Makes a profile of the measurement, and of the one in use as well if only more kernels were met.
void ManagedModule::measured_enough(bool at_end) {
  auto measured = counted_since(measurement_);
  if (!measured) return;
  window_ = measurement_;
  std::set<std::string> kernels;
  uint64_t launches = 0;
  for (auto& [name, kernel] : kernels_) {
    launches += kernel.measured;
    if (kernel.measured > 0 && (at_end || kernel.measured >= config_.measure_launches)) kernels.insert(name);
  }
  if (entry_.profile && profile_) {
    add(*measured, *profile_);
    kernels.insert(entry_.profile->kernels.begin(), entry_.profile->kernels.end());
  }
  sampled_ = 0;
  static uint64_t number = 0;
  const std::filesystem::path base =
      entry_.folder / (".measured-" + process_name() + "-" + std::to_string(++number) + ".profraw");
  const auto written = write_unit(unit_path(base, *measured), *measured);
  if (!written) return give_up(written.error());
  const auto entry = builder_.use(entry_.folder, (*written)[0], kernels);
  for (const auto& file : *written) {
    std::error_code problem;
    std::filesystem::remove(file, problem);
  }
  if (!entry) return give_up(entry.error());
  events_.write({{"event", PgoRuntimeEvent::measured},
                 {"program", name_},
                 {"launches", launches},
                 {"kernels", kernels},
                 {"profile", entry->profile ? entry->profile->id : ""},
                 {"known", entry->known},
                 {"gate", entry->gate},
                 {"compiled", entry->compiled},
                 {"at_end", at_end}});
  take(*entry);
}

void ManagedModule::take(const CacheEntry& entry) {
  if (production_.module) {
    // Launches of it may still run.
    gpu().synchronize();
    gpu().unload(production_.module);
  }
  production_ = {};
  for (auto& [name, kernel] : kernels_) kernel.in_production = 0;
  entry_.profile = entry.profile;
  entry_.production = entry.production;
  entry_.gate = entry.gate;
  if (entry.problem) give_up(*entry.problem);
  profile_.reset();
  if (!entry.profile) return;
  // If the measured profile is close to an existing one, that one is in use.
  profile_ = read_profile();
}

// Compares the app's current workload with the measured one.
void ManagedModule::judge(bool at_end) {
  const uint64_t launches = sampled_;
  sampled_ = 0;
  const auto sample = counted_since(window_);
  if (!sample || !profile_) return;
  const CountsOfFunctions known = counts_of(*profile_);
  CountsOfFunctions now = counts_of(*sample);
  // Kernels that are being measured are in the same counters.
  if (is_measuring()) std::erase_if(now, [&](const auto& one) { return is_zero(known.at(one.first)); });
  const uint32_t distance = distance_from(known, now);
  const bool changed = distance > config_.bound;
  events_.write({{"event", PgoRuntimeEvent::sampled},
                 {"program", name_},
                 {"launches", launches},
                 {"distance", distance},
                 {"changed", changed},
                 {"profile", entry_.profile->id}});
  if (!changed) return;
  entry_.profile.reset();
  profile_.reset();
  measurement_ = window_;
  for (auto& [name, kernel] : kernels_) kernel.measured = 0;
  // If this process ends too early, the next one measures.
  if (const auto forgotten = builder_.forget(entry_.folder); !forgotten) give_up(forgotten.error());
  if (at_end) note(name_ + ": the workload has changed; the next run measures anew");
}

void ManagedModule::finish(bool unload) {
  if (counting_.module && window_ && on_device()) {
    if (sampled_ > 0 && entry_.profile) judge(true);
    if (is_measuring()) measured_enough(true);
  }
  for (const auto& [name, kernel] : kernels_)
    events_.write({{"event", PgoRuntimeEvent::kernel},
                   {"program", name_},
                   {"kernel", name},
                   {"own", kernel.own},
                   {"counting", kernel.counting},
                   {"production", kernel.production}});
  if (!unload) return;
  for (Loaded* loaded : {&counting_, &production_}) {
    if (loaded->module) gpu().unload(loaded->module);
    *loaded = {};
  }
}

}  // namespace kernloop::pgo::runtime
