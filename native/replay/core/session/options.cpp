#include "replay/core/session/options.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/bytes.h"
#include "base/numbers.h"

namespace kernloop::replay {

namespace {

constexpr const char* kUsage =
    "kernloop-replay --capture DIR [--store DIR]… [--hsa-runtime LIB] [--launch direct|hip [--hip-runtime LIB]] "
    "[--code-object FILE] [--symbol MANGLED] [--expect FILE=SHA256]… "
    "[--iterations N] "
    "[--warmup N] [--poison 0xA5] [--seed N] [--threads N] [--limit-wave-instructions N] [--limit-seconds S] "
    "[--adverse WAVE_INSTRUCTIONS] [--machine-in-use SEED] [--compare | --side-by-side [--order-seed N]] "
    "[--known-varying FILE [--record NAME:OFFSET:SIZE=BYTES]…] [--find-overwritten | --search-overwritten FILE] "
    "[--overwritten FILE [--fills captured|huge|opposite|zeros,…] [--disturb-untouched all|written|zeros]] "
    "[--dropped FILE] [--find-unused GRANULE] "
    "[--calibrate SEEDS [--settle REPLAYS:SECONDS] [--calibration-file FILE]] [--ignore REGION:OFFSET:SIZE]… "
    "[--tolerance NAME[:OFFSET:SIZE]=TYPE[,atol=A][,rtol=R][,ulp=N][,matched=SHARE][,nan=P][,inf=P][,exact]]… [--dump "
    "DIR [--dump-only NAME]… [--dump-time pre|post]] [--lens FILE --lens-output DIR] [--probes FILE --probes-output "
    "DIR] [--guard] [--leave-padding] "
    "[--derive INPUTS [--derive-seed N] [--derive-only NUMBER] [--derive-special] [--derive-type "
    "NAME:OFFSET:SIZE=TYPE]… "
    "[--derive-scalar NAME:OFFSET:TYPE]… [--derive-keep REGION:OFFSET:SIZE]…] "
    "[--inject-bit-flips N] [--record-accesses] [--profile] "
    "[--grid X[,Y[,Z]]] [--block X[,Y[,Z]]] [--dynamic-shared BYTES] [--own-launch] [--arg NAME|INDEX[:TYPE]=VALUE]… "
    "[--cache as-is|warm|cold] [--device N] | --describe-device cuda [--device N]";

Error usage(const std::string& what) {
  return {"USAGE", what, kUsage};
}

std::optional<uint64_t> parse_number(const std::string& text, uint64_t max) {
  if (const auto hex = from_hex_number(text)) return *hex <= max ? hex : std::nullopt;
  const auto value = number_of<uint64_t>(text);
  return value && *value <= max ? value : std::nullopt;
}

std::optional<double> parse_seconds(const std::string& text) {
  const auto value = number_of<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

std::optional<std::vector<uint64_t>> parse_seeds(const std::string& text) {
  std::vector<uint64_t> seeds;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto seed = parse_number(text.substr(begin, end - begin), UINT64_MAX);
    if (!seed) return std::nullopt;
    seeds.push_back(*seed);
    begin = end + 1;
  }
  return seeds;
}

// "REPLAYS:SECONDS"
std::optional<Settling> parse_settling(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const auto replays = parse_number(text.substr(0, colon), UINT32_MAX);
  const auto seconds = parse_seconds(text.substr(colon + 1));
  if (!replays || *replays == 0 || !seconds) return std::nullopt;
  return Settling{*replays, *seconds};
}

std::optional<CacheState> parse_cache(const std::string& text) {
  if (text == "as-is") return CacheState::kAsIs;
  if (text == "warm") return CacheState::kWarm;
  if (text == "cold") return CacheState::kCold;
  return std::nullopt;
}

std::optional<IgnoredBytes> parse_ignored(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == text.npos || first == 0 || second == text.npos) return std::nullopt;
  const auto offset = parse_number(text.substr(first + 1, second - first - 1), UINT64_MAX);
  const auto size = parse_number(text.substr(second + 1), UINT64_MAX);
  if (!offset || !size) return std::nullopt;
  return IgnoredBytes{text.substr(0, first), *offset, *size};
}

// A name may hold colons: variables of a namespace.
std::optional<GivenRecord> parse_record(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == text.npos) return std::nullopt;
  const std::string place = text.substr(0, equals);
  const size_t last = place.rfind(':');
  const size_t first = last == place.npos || last == 0 ? place.npos : place.rfind(':', last - 1);
  if (first == place.npos || first == 0) return std::nullopt;
  const auto offset = parse_number(place.substr(first + 1, last - first - 1), UINT64_MAX);
  const auto size = parse_number(place.substr(last + 1), UINT64_MAX);
  const auto bytes = parse_number(text.substr(equals + 1), UINT32_MAX);
  if (!offset || !size || !bytes || *bytes == 0) return std::nullopt;
  return GivenRecord{place.substr(0, first), *offset, *size, *bytes};
}

// FILE=DIGEST
bool parse_expected(const std::string& text, ExpectedFiles& expected) {
  const size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) return false;
  const auto digest = Digest::parse(text.substr(equals + 1));
  return digest && expected.emplace(text.substr(0, equals), *digest).second;
}

// "NAME:OFFSET:TYPE"
std::optional<DerivedScalar> parse_scalar(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == text.npos || first == 0 || second == text.npos) return std::nullopt;
  const auto offset = parse_number(text.substr(first + 1, second - first - 1), UINT32_MAX);
  const auto type = element_type_of(text.substr(second + 1));
  if (!offset || !type || (is_float(*type) && size_of(*type) < 4)) return std::nullopt;
  return DerivedScalar{text.substr(0, first), *offset, *type};
}

std::optional<std::vector<Fill>> parse_fills(const std::string& text) {
  std::vector<Fill> fills;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto fill = fill_of(text.substr(begin, end - begin));
    if (!fill) return std::nullopt;
    fills.push_back(*fill);
    begin = end + 1;
  }
  return fills;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  DumpRequest dump;
  LensRequest lens;
  ProbesRequest probes;
  Derivation derivation;
  bool derives = false, has_dump_time = false, has_fills = false;
  using Setter = std::function<bool(const std::string&)>;
  const auto number = [](auto& into) {
    using T = std::decay_t<decltype(into)>;
    return Setter([&into](const std::string& text) {
      const auto value = parse_number(text, std::numeric_limits<T>::max());
      if (value) into = static_cast<T>(*value);
      return value.has_value();
    });
  };
  const auto path = [](auto& into) {
    return Setter([&into](const std::string& text) {
      into = std::filesystem::path(text);
      return !text.empty();
    });
  };
  const auto extent = [](auto& into) {
    return Setter([&into](const std::string& text) { return (into = parse_extent(text)).has_value(); });
  };
  const std::map<std::string, Setter> setters = {
      {"--capture", path(options.capture)},
      {"--store", [&](const std::string& text) { return options.stores.emplace_back(text), !text.empty(); }},
      {"--expect", [&](const std::string& text) { return parse_expected(text, options.expected); }},
      {"--hsa-runtime", path(options.hsa_runtime)},
      {"--hip-runtime", path(options.hip_runtime)},
      {"--launch",
       [&](const std::string& text) {
         options.launches_with_hip = text == "hip";
         return text == "hip" || text == "direct";
       }},
      {"--code-object", path(options.code_object)},
      {"--symbol", [&](const std::string& text) { return options.symbol = text, !text.empty(); }},
      {"--iterations", number(options.iterations)},
      {"--warmup", number(options.warmup)},
      {"--poison", number(options.poison)},
      {"--seed", [&](const std::string& text) { return (options.seed = parse_number(text, UINT64_MAX)).has_value(); }},
      {"--threads", number(options.threads)},
      {"--machine-in-use", number(options.machine_in_use)},
      {"--adverse", number(options.adverse)},
      {"--limit-wave-instructions", number(options.limit_wave_instructions)},
      {"--order-seed", number(options.order_seed)},
      {"--limit-seconds",
       [&](const std::string& text) {
         const auto value = parse_seconds(text);
         if (value) options.limit_seconds = *value;
         return value.has_value();
       }},
      {"--derive", number(derivation.inputs)},
      {"--derive-seed", number(derivation.seed)},
      {"--derive-only", number(derivation.only)},
      {"--derive-type",
       [&](const std::string& text) {
         auto type = parse_tolerance(text + ",exact");
         if (type) derivation.types.push_back(std::move(*type));
         return type.has_value();
       }},
      {"--derive-scalar",
       [&](const std::string& text) {
         auto scalar = parse_scalar(text);
         if (scalar) derivation.scalars.push_back(std::move(*scalar));
         return scalar.has_value();
       }},
      {"--derive-keep",
       [&](const std::string& text) {
         auto kept = parse_ignored(text);
         if (kept) derivation.kept.push_back(std::move(*kept));
         return kept.has_value();
       }},
      {"--inject-bit-flips", number(options.inject_bit_flips)},
      {"--known-varying", path(options.known_varying)},
      {"--overwritten", path(options.overwritten)},
      {"--dropped", path(options.dropped)},
      {"--find-unused", number(options.find_unused)},
      {"--search-overwritten",
       [&](const std::string& text) { return options.search_overwritten = text, !text.empty(); }},
      {"--disturb-untouched",
       [&](const std::string& text) {
         options.disturb_untouched = text == "all"       ? Disturbed::kAll
                                     : text == "written" ? Disturbed::kWritten
                                                         : Disturbed::kZeros;
         return text == "all" || text == "written" || text == "zeros";
       }},
      {"--fills",
       [&](const std::string& text) {
         const auto fills = parse_fills(text);
         if (fills) options.fills = *fills;
         return has_fills = fills.has_value();
       }},
      {"--calibrate",
       [&](const std::string& text) {
         const auto seeds = parse_seeds(text);
         if (seeds) options.calibrate = *seeds;
         return seeds.has_value();
       }},
      {"--settle", [&](const std::string& text) { return (options.settle = parse_settling(text)).has_value(); }},
      {"--calibration-file", path(options.calibration_file)},
      {"--ignore",
       [&](const std::string& text) {
         const auto ignored = parse_ignored(text);
         if (ignored) options.ignored.push_back(*ignored);
         return ignored.has_value();
       }},
      {"--record",
       [&](const std::string& text) {
         auto record = parse_record(text);
         if (record) options.records.push_back(std::move(*record));
         return record.has_value();
       }},
      {"--tolerance",
       [&](const std::string& text) {
         auto tolerance = parse_tolerance(text);
         if (tolerance) options.tolerances.push_back(std::move(*tolerance));
         return tolerance.has_value();
       }},
      {"--dump",
       [&](const std::string& text) {
         dump.directory = text;
         return !text.empty();
       }},
      {"--dump-only", [&](const std::string& text) { return dump.names.push_back(text), !text.empty(); }},
      {"--dump-time",
       [&](const std::string& text) {
         dump.time = text == "pre" ? DumpTime::kPre : DumpTime::kPost;
         return has_dump_time = text == "pre" || text == "post";
       }},
      {"--lens", path(lens.file)},
      {"--lens-output", path(lens.directory)},
      {"--probes", path(probes.file)},
      {"--probes-output", path(probes.directory)},
      {"--grid", extent(options.overrides.grid_blocks)},
      {"--block", extent(options.overrides.block_threads)},
      {"--dynamic-shared",
       [&](const std::string& text) {
         const auto bytes = parse_number(text, UINT32_MAX);
         if (bytes) options.overrides.dynamic_group_bytes = static_cast<uint32_t>(*bytes);
         return bytes.has_value();
       }},
      {"--arg",
       [&](const std::string& text) {
         auto argument = parse_argument_override(text);
         if (argument) options.overrides.arguments.push_back(std::move(*argument));
         return argument.has_value();
       }},
      {"--cache",
       [&](const std::string& text) {
         const auto state = parse_cache(text);
         if (state) options.cache = *state;
         return state.has_value();
       }},
      {"--device", number(options.device)},
      {"--describe-device", [&](const std::string& text) { return options.describe_device = text, text == "cuda"; }},
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--own-launch") {
      options.overrides.are_of_variant = true;
      continue;
    }
    derives = derives || name.starts_with("--derive");
    if (name == "--derive-special") {
      derivation.special = true;
      continue;
    }
    if (name == "--compare") {
      options.compare = true;
      continue;
    }
    if (name == "--guard") {
      options.guard = true;
      continue;
    }
    if (name == "--leave-padding") {
      options.leave_padding = true;
      continue;
    }
    if (name == "--side-by-side") {
      options.side_by_side = true;
      continue;
    }
    if (name == "--find-overwritten") {
      options.find_overwritten = true;
      continue;
    }
    if (name == "--record-accesses") {
      options.record_accesses = true;
      continue;
    }
    if (name == "--profile") {
      options.profile = true;
      continue;
    }
    const auto setter = setters.find(name);
    if (setter == setters.end()) return usage("unknown option " + name);
    if (i + 1 == arguments.size()) return usage(name + " needs a value");
    if (!setter->second(arguments[++i])) return usage(name + " does not take \"" + arguments[i] + "\"");
  }
  if (!options.describe_device.empty()) return options;
  if (options.capture.empty()) return usage("--capture is missing");
  if (!dump.directory.empty()) {
    options.dump = dump;
  } else if (!dump.names.empty() || has_dump_time) {
    return usage("--dump-only and --dump-time go with --dump");
  }
  if (lens.file.empty() != lens.directory.empty()) return usage("--lens and --lens-output go together");
  if (!lens.file.empty()) options.lens = lens;
  if (options.lens && !options.code_object)
    return usage("--lens tells of what the captured code does not have: it goes with --code-object");
  if (options.lens && options.leave_padding) {
    return usage("--leave-padding leaves nothing to notice writes beside the lens by: it does not go with --lens");
  }
  if (derives) options.derivation = derivation;
  if (derives && derivation.inputs == 0) return usage("--derive says how many inputs: at least 1");
  if (derives && (!options.compare || options.side_by_side || options.dump || options.lens || options.overwritten ||
                  options.find_overwritten || options.search_overwritten || options.find_unused > 0 ||
                  options.inject_bit_flips > 0 || options.adverse != 0 || options.profile || options.record_accesses ||
                  options.launches_with_hip || options.leave_padding || !probes.file.empty() ||
                  !options.calibrate.empty() || options.cache != CacheState::kAsIs)) {
    return usage(
        "--derive goes with --compare, with what says how that judges, and with nothing else that a launch is made "
        "for");
  }
  if (probes.file.empty() != probes.directory.empty()) return usage("--probes and --probes-output go together");
  if (!probes.file.empty()) options.probes = probes;
  if (options.probes &&
      (options.side_by_side || options.profile || options.adverse != 0 || !options.calibrate.empty())) {
    return usage("--probes goes with none of --side-by-side, --profile, --adverse and --calibrate");
  }
  if (options.dump && !options.calibrate.empty()) return usage("--dump does not go with --calibrate");
  if (options.iterations == 0) return usage("--iterations must be at least 1");
  if (options.launches_with_hip && options.record_accesses)
    return usage("--record-accesses tells of direct launches only: HIP's own memory is not the kernel's");
  if (options.side_by_side && !options.code_object)
    return usage("--side-by-side needs a --code-object beside the captured one");
  if (options.side_by_side && (options.compare || !options.calibrate.empty() || options.record_accesses))
    return usage("--side-by-side goes with none of --compare, --calibrate and --record-accesses");
  if (options.overrides.are_of_variant && (!options.code_object || !options.overrides.any()))
    return usage("--own-launch says that --grid, --block, --dynamic-shared and --arg are those of the --code-object");
  if (options.overrides.make_another_result() && (options.compare || !options.calibrate.empty())) {
    return usage(
        "--grid, --block, --dynamic-shared and --arg make another launch than the captured one, whose result the app "
        "never computed: they go with neither --compare nor --calibrate");
  }
  if (options.leave_padding &&
      (options.compare || options.guard || options.side_by_side || !options.calibrate.empty())) {
    return usage(
        "--leave-padding leaves nothing to compare with: it goes with none of --compare, --guard, "
        "--side-by-side and --calibrate");
  }
  if (options.adverse != 0 && (options.profile || options.side_by_side)) {
    return usage("--adverse goes with neither --profile nor --side-by-side: what is measured runs in the usual order");
  }
  if (options.machine_in_use != 0 &&
      (!options.compare || options.side_by_side || options.derivation || options.adverse != 0 ||
       options.search_overwritten || options.inject_bit_flips > 0 || !options.calibrate.empty())) {
    return usage(
        "--machine-in-use goes with --compare, and with none of --side-by-side, --derive, --adverse, "
        "--search-overwritten, --inject-bit-flips and --calibrate");
  }
  if (has_fills && !options.overwritten) return usage("--fills go into what --overwritten names");
  if (options.disturb_untouched != Disturbed::kNothing &&
      (!options.overwritten || !options.compare || options.find_overwritten))
    return usage("--disturb-untouched goes with --overwritten and --compare, and not with --find-overwritten");
  if (options.search_overwritten && (!options.compare || options.overwritten || options.find_overwritten)) {
    return usage("--search-overwritten goes with --compare, and with neither --overwritten nor --find-overwritten");
  }
  if ((options.overwritten || options.find_overwritten || options.search_overwritten) &&
      ((!options.compare && options.calibrate.empty()) || options.cache != CacheState::kAsIs ||
       options.record_accesses || options.dump)) {
    return usage(
        "--overwritten and --find-overwritten go with --compare or --calibrate, and with none of --cache, --dump and "
        "--record-accesses");
  }
  if ((options.find_overwritten || options.search_overwritten) && (options.code_object || options.launches_with_hip)) {
    return usage(
        "--find-overwritten and --search-overwritten are about a direct launch of the captured code: they go with "
        "neither --code-object nor --launch hip");
  }
  if (options.find_unused > 0 && (!options.compare || options.code_object || options.launches_with_hip))
    return usage("--find-unused is about a direct launch of the captured code that is compared");
  if (options.dropped && options.side_by_side) return usage("--dropped does not go with --side-by-side");
  if (options.inject_bit_flips > 0 && !options.compare) return usage("--inject-bit-flips goes with --compare");
  if (!options.tolerances.empty() && (!options.compare || options.inject_bit_flips > 0)) {
    return usage("--tolerance goes with --compare, and not with --inject-bit-flips, which a tolerance may let pass");
  }
  if (!options.records.empty() && !options.known_varying)
    return usage("--record goes with --known-varying: it tells of arrays that come in free order");
  if (!options.calibrate.empty() && (options.inject_bit_flips > 0 || options.record_accesses)) {
    return usage("--calibrate goes with neither --inject-bit-flips nor --record-accesses");
  }
  if (options.calibration_file && options.calibrate.empty()) return usage("--calibration-file goes with --calibrate");
  if (options.settle && options.calibrate.empty() && (!options.compare || options.side_by_side || options.derivation))
    return usage("--settle goes with --calibrate, or with --compare and the --iterations that it may end");
  if (!options.calibrate.empty() && (options.code_object || options.known_varying || !options.ignored.empty())) {
    return usage(
        "--calibrate replays the captured kernel itself: it goes with none of --code-object, --known-varying and "
        "--ignore");
  }
  return options;
}

}  // namespace kernloop::replay
