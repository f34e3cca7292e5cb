#include "replay/core/session/options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/numbers.h"
#include "base/option_table.h"
#include "replay/core/memory/record_order.h"

namespace kernloop::replay {

namespace {

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

// An array of whole records, whose places may be exchanged.
std::optional<GivenRecord> parse_derived_record(const std::string& text) {
  const auto record = parse_record(text);
  if (!record || record->bytes > kMostRecordBytes || record->size % record->bytes != 0) return std::nullopt;
  return record;
}

// FILE=DIGEST
TakeValue expect(ExpectedFiles& expected) {
  return [&expected](const std::string& text) {
    const size_t equals = text.rfind('=');
    if (equals == text.npos || equals == 0) return false;
    const auto digest = Digest::parse(text.substr(equals + 1));
    return digest && expected.emplace(text.substr(0, equals), *digest).second;
  };
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

// "NAME:OFFSET:SIZE=TYPE"
std::optional<ElementTolerance> parse_type(const std::string& text) {
  return parse_tolerance(text + ",exact");
}

template <typename Number>
std::optional<Number> number_up_to_most(const std::string& text) {
  return parse_number(text, std::numeric_limits<Number>::max());
}

template <typename Number>
TakeValue number(Number& value) {
  return parsed(number_up_to_most<Number>, value);
}

// Options that belong to a request, which is made of all of them.
struct Requests {
  DumpRequest dump;
  LensRequest lens;
  ProbesRequest probes;
  Derivation derivation;
};

OptionTable table_of(Options& options, Requests& requests) {
  auto& [dump, lens, probes, derivation] = requests;
  Overrides& overrides = options.overrides;
  return OptionTable(
      "kernloop-replay",
      {
          {"--capture", "DIR", into(options.capture), {.is_required = true}},
          {"--store", "DIR", append_to(options.stores), {.is_repeated = true}},
          {"--expect", "FILE=SHA256", expect(options.expected), {.is_repeated = true}},
          {"--hsa-runtime", "LIB", into(options.hsa_runtime)},
          {"--launch", "direct|hip", chosen<bool>({{"direct", false}, {"hip", true}}, options.launches_with_hip)},
          {"--hip-runtime", "LIB", into(options.hip_runtime), {.with = "--launch"}},
          {"--device", "N", number(options.device)},
          {"--code-object", "FILE", into(options.code_object)},
          {"--symbol", "MANGLED", into(options.symbol)},
          {"--iterations", "N", number(options.iterations)},
          {"--warmup", "N", number(options.warmup)},
          {"--cache", "as-is|warm|cold",
           chosen<CacheState>({{"as-is", CacheState::kAsIs}, {"warm", CacheState::kWarm}, {"cold", CacheState::kCold}},
                              options.cache)},
          {"--poison", "0xA5", number(options.poison)},
          {"--seed", "N", parsed(number_up_to_most<uint64_t>, options.seed)},
          {"--threads", "N", number(options.threads)},
          {"--limit-wave-instructions", "N", number(options.limit_wave_instructions)},
          {"--limit-seconds", "S", parsed(parse_seconds, options.limit_seconds)},
          // The judgement of a launch.
          {"--compare", "", set(options.compare)},
          {"--ignore", "REGION:OFFSET:SIZE", append_parsed(parse_ignored, options.ignored), {.is_repeated = true}},
          {"--tolerance",
           "NAME[:OFFSET:SIZE]=TYPE[,atol=A][,rtol=R][,ulp=N][,matched=SHARE][,nan=P][,inf=P][,exact]",
           append_parsed(parse_tolerance, options.tolerances),
           {.is_repeated = true}},
          {"--known-varying", "FILE", into(options.known_varying)},
          {"--record",
           "NAME:OFFSET:SIZE=BYTES",
           append_parsed(parse_record, options.records),
           {.with = "--known-varying", .is_repeated = true}},
          {"--overwritten", "FILE", into(options.overwritten)},
          {"--fills", "captured|huge|opposite|zeros,…", parsed(parse_fills, options.fills), {.with = "--overwritten"}},
          {"--disturb-untouched",
           "all|written|zeros",
           chosen<Disturbed>({{"all", Disturbed::kAll}, {"written", Disturbed::kWritten}, {"zeros", Disturbed::kZeros}},
                             options.disturb_untouched),
           {.with = "--overwritten"}},
          {"--machine-in-use", "SEED", number(options.machine_in_use)},
          {"--inject-bit-flips", "N", number(options.inject_bit_flips)},
          {"--guard", "", set(options.guard)},
          {"--leave-padding", "", set(options.leave_padding)},
          {"--adverse", "WAVE_INSTRUCTIONS", number(options.adverse)},
          {"--derive", "INPUTS", number(derivation.inputs)},
          {"--derive-seed", "N", number(derivation.seed), {.with = "--derive"}},
          {"--derive-only", "NUMBER", number(derivation.only), {.with = "--derive"}},
          {"--derive-special", "", set(derivation.special), {.with = "--derive"}},
          {"--derive-type",
           "NAME:OFFSET:SIZE=TYPE",
           append_parsed(parse_type, derivation.types),
           {.with = "--derive", .is_repeated = true}},
          {"--derive-scalar",
           "NAME:OFFSET:TYPE",
           append_parsed(parse_scalar, derivation.scalars),
           {.with = "--derive", .is_repeated = true}},
          {"--derive-keep",
           "REGION:OFFSET:SIZE",
           append_parsed(parse_ignored, derivation.kept),
           {.with = "--derive", .is_repeated = true}},
          {"--derive-record",
           "NAME:OFFSET:SIZE=BYTES",
           append_parsed(parse_derived_record, derivation.records),
           {.with = "--derive", .is_repeated = true}},
          // Properties of the captured code.
          {"--calibrate", "SEEDS", parsed(parse_seeds, options.calibrate)},
          {"--settle", "REPLAYS:SECONDS", parsed(parse_settling, options.settle)},
          {"--calibration-file", "FILE", into(options.calibration_file), {.with = "--calibrate"}},
          {"--find-overwritten", "", set(options.find_overwritten)},
          {"--search-overwritten", "FILE", into(options.search_overwritten)},
          {"--find-unused", "GRANULE", number(options.find_unused)},
          {"--dropped", "FILE", into(options.dropped)},
          // Observation, and a comparison of costs.
          {"--side-by-side", "", set(options.side_by_side)},
          {"--order-seed", "N", number(options.order_seed), {.with = "--side-by-side"}},
          {"--record-accesses", "", set(options.record_accesses)},
          {"--profile", "", set(options.profile)},
          {"--dump", "DIR", into(dump.directory)},
          {"--dump-only", "NAME", append_to(dump.names), {.with = "--dump", .is_repeated = true}},
          {"--dump-time",
           "pre|post",
           chosen<DumpTime>({{"pre", DumpTime::kPre}, {"post", DumpTime::kPost}}, dump.time),
           {.with = "--dump"}},
          {"--lens", "FILE", into(lens.file)},
          {"--lens-output", "DIR", into(lens.directory), {.with = "--lens", .is_required = true}},
          {"--probes", "FILE", into(probes.file)},
          {"--probes-output", "DIR", into(probes.directory), {.with = "--probes", .is_required = true}},
          // Another launch than the captured one.
          {"--grid", "X[,Y[,Z]]", parsed(parse_extent, overrides.grid_blocks)},
          {"--block", "X[,Y[,Z]]", parsed(parse_extent, overrides.block_threads)},
          {"--dynamic-shared", "BYTES", parsed(number_up_to_most<uint32_t>, overrides.dynamic_group_bytes)},
          {"--arg",
           "NAME|INDEX[:TYPE]=VALUE",
           append_parsed(parse_argument_override, overrides.arguments),
           {.is_repeated = true}},
          {"--own-launch", "", set(overrides.are_of_variant)},
          {"--describe-device", "cuda", chosen<std::string>({{"cuda", "cuda"}}, options.describe_device)},
      });
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  Requests requests;
  const OptionTable table = table_of(options, requests);
  const auto given = table.parse(arguments);
  if (!given) return given.error();
  const auto usage = [&](const std::string& what) { return table.wrong(what); };
  const auto& [dump, lens, probes, derivation] = requests;
  const bool derives =
      std::any_of(given->begin(), given->end(), [](const std::string& name) { return name.starts_with("--derive"); });
  if (!options.describe_device.empty()) return options;
  if (options.capture.empty()) return usage("--capture is missing");
  if (!dump.directory.empty()) {
    options.dump = dump;
  } else if (given->contains("--dump-only") || given->contains("--dump-time")) {
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
  if (given->contains("--fills") && !options.overwritten) return usage("--fills go into what --overwritten names");
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
