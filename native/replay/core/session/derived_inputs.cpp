#include "replay/core/session/derived_inputs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <set>
#include <utility>

#include "replay/core/memory/guard.h"
#include "replay/core/memory/record_order.h"
#include "replay/core/session/derived_sources.h"
#include "replay/core/session/findings.h"
#include "replay/core/session/replaying.h"
#include "verdict/calibration.h"
#include "verdict/free_order.h"
#include "verdict/given_records.h"
#include "verdict/known_order.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMostHeldBytes = uint64_t{256} << 20;  // results that wait for the variant
constexpr size_t kMostArrays = 64;
constexpr size_t kMostScalars = 32;     // values that are tried
constexpr uint64_t kRepeats = 2;        // launches of the captured code, before a difference counts
constexpr uint64_t kCalibrations = 16;  // launches of captured code whose result varies, for each input

// Memory that the captured code may touch, compared with the captured input.
enum class MayTouch { kAnything, kTheSame, kLess };

struct Scalar {
  const DerivedScalar* argument = nullptr;
  uint64_t from = 0, to = 0;  // its bytes
};

// An argument's bytes for each of these values.
std::vector<uint64_t> bytes_of(ElementType type, const std::vector<double>& values) {
  std::vector<uint64_t> all;
  for (const double value : values) {
    const auto narrow = static_cast<float>(value);
    uint64_t& bytes = all.emplace_back(0);
    if (type == ElementType::kF64) {
      std::memcpy(&bytes, &value, sizeof value);
    } else {
      std::memcpy(&bytes, &narrow, sizeof narrow);
    }
  }
  return all;
}

struct Input {
  uint64_t number = 0;
  std::vector<size_t> arrays;
  std::vector<uint64_t> moved = {};  // by array, if its records change places: how many places hold other content
  Change change;
  std::optional<Scalar> scalar;
  MayTouch may_touch = MayTouch::kTheSame;
};

// Result of the captured code for an input.
struct Answer {
  Input input;
  std::vector<archive::Content> post;  // by target
  std::vector<archive::ChunkName> held;
  uint64_t held_bytes = 0;
  std::vector<VaryingRange> varying;
  std::set<std::string> past_lds;  // "read", "write": what it does past the end of LDS
};

struct Party {
  VariantOptions code;
  Program program = {};
  std::vector<Target> targets = {};
  bool is_loaded = false;
};

// End of a launch, and the memory that it touched.
struct Ran {
  Launched launched;
  HeldBack told;
};

class DerivedInputs {
 public:
  DerivedInputs(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink)
      : options_(options),
        device_(device),
        sink_(sink),
        cache_(reader, ContentCache::kUsualBudget),
        snapshot_(cache_, device, options.poison, true),
        order_(cache_) {}

  Result<SessionEnd> run() {
    auto end = judge();
    if (end || end.error().code != kLaunchImpossible) return end;
    tell_result("fail", {{"code", end.error().code}, {"reason", end.error().message}});
    return SessionEnd{kExitFail, false};
  }

 private:
  Result<SessionEnd> judge() {
    if (auto mapped = snapshot_.map(options_.dropped); !mapped) return mapped.error();
    if (options_.guard) {
      if (auto raised = raise_guard(device_, snapshot_, sink_); !raised) return raised.error();
    }
    auto variant = named_variant(options_);
    if (!variant) return variant.error();
    sides_[1].code = std::move(*variant);
    auto prepared = prepare();
    if (!prepared) return prepared.error();
    if (!*prepared) return conclude();
    const Derivation& derivation = *options_.derivation;
    uint64_t number = derivation.only > 0 ? derivation.only : 1;
    const uint64_t last = derivation.only > 0 ? derivation.only : 2 * derivation.inputs;
    while (!end_ && !is_lost_ && number <= last && has_plan()) {
      for (; !is_lost_ && number <= last && has_room(); ++number) {
        if (derivation.only == 0 && judged_ + answers_.size() >= derivation.inputs) break;
        if (auto asked = ask(plan(number)); !asked) return asked.error();
      }
      if (answers_.empty()) break;
      if (auto compared = compare_answers(); !compared) return compared.error();
    }
    return conclude();
  }

  // Launches the captured code with the captured input, and finds what it reads and which of that may be changed.
  // False: nothing may be.
  Result<bool> prepare() {
    if (auto switched = switch_to(captured()); !switched) return switched.error();
    if (auto configured = configure_device(options_, device_, sink_); !configured) return configured.error();
    const Input as_captured;
    auto ran = launch(captured(), as_captured, 0);
    if (!ran) return ran.error();
    if (!ran->launched.is_complete) {
      reason_ = "the captured code does not end by itself";
      return false;
    }
    tells_ = device_.software_execution() != nullptr;
    reads_ = touched(ran->launched.accesses, false);
    writes_ = touched(ran->launched.accesses, true);
    by_lane_ = ran->launched.accesses_by_lane;
    auto arrays =
        find_input_arrays(cache_, *options_.derivation, captured().targets, tells_ ? &ran->launched.accesses : nullptr);
    if (!arrays) return arrays.error();
    arrays_ = std::move(*arrays);
    if (arrays_.size() > kMostArrays) arrays_.resize(kMostArrays);
    if (auto tried = try_arrays(); !tried) return tried.error();
    if (!is_lost_) {
      if (auto tried = try_scalars(); !tried) return tried.error();
    }
    if (!has_plan() && reason_.empty()) {
      reason_ = arrays_.empty() ? "the captured code reads no memory whose values could be changed"
                                : "with other values in what it reads, the captured code touches other memory, faults "
                                  "or does not end";
    }
    return has_plan() && !is_lost_;
  }

  // Tries each array by itself: one that holds addresses, indexes or bounds is left alone from then on.
  Status try_arrays() {
    for (size_t a = 0; a < arrays_.size() && !is_lost_; ++a) {
      if (arrays_[a].record_bytes > 0) {
        records_.push_back(a);
        continue;
      }
      const bool is_declared_float = arrays_[a].is_declared && is_float(arrays_[a].type);
      if (is_declared_float) floats_.push_back(a);
      if (!tells_) continue;
      for (const Recipe recipe : {Recipe::kResampled, Recipe::kPermuted}) {
        Input input;
        input.arrays = {a};
        input.change = {recipe, mixed(options_.derivation->seed ^ mixed(a)), false};
        auto holds = withstands(input);
        if (!holds) return holds.error();
        if (*holds) {
          (recipe == Recipe::kResampled ? proven_ : movable_).push_back(a);
          break;
        }
      }
    }
    return Unit{};
  }

  Status try_scalars() {
    if (!tells_ || options_.overrides.any()) return Unit{};
    const auto& block = captured().program.launch.block_threads;
    const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
    // All arguments take part before one does a second time.
    std::vector<std::vector<Scalar>> rounds;
    for (const DerivedScalar& argument : options_.derivation->scalars) {
      const auto from = value_of(argument);
      if (!from) continue;
      size_t round = 0;
      for (const uint64_t to : other_values_of(argument, *from, threads)) {
        if (rounds.size() <= round) rounds.emplace_back();
        rounds[round++].push_back({&argument, *from, to});
      }
    }
    size_t tries = 0;
    for (const auto& round : rounds) {
      for (const Scalar& scalar : round) {
        if (tries++ == kMostScalars) return Unit{};
        auto holds = withstands(with(scalar));
        if (!holds) return holds.error();
        if (*holds) scalars_.push_back(scalar);
        if (is_lost_) return Unit{};
      }
    }
    return Unit{};
  }

  std::vector<uint64_t> other_values_of(const DerivedScalar& argument, uint64_t from, uint64_t threads) const {
    if (!is_float(argument.type)) {
      std::vector<uint64_t> values = lesser_values(from, threads, options_.derivation->seed);
      for (const uint64_t value : near_values(from)) {
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      }
      return values;
    }
    const Number value = load_number(argument.type, reinterpret_cast<const uint8_t*>(&from));
    return bytes_of(argument.type, other_values(static_cast<double>(value)));
  }

  static Input with(const Scalar& scalar) {
    Input input;
    input.scalar = scalar;
    // A lesser size needs less.
    const bool is_less = !is_float(scalar.argument->type) && scalar.to < scalar.from;
    input.may_touch = is_less ? MayTouch::kLess : MayTouch::kTheSame;
    return input;
  }

  Result<bool> withstands(const Input& input) {
    auto ran = launch(captured(), input, 0);
    if (!ran) return ran.error();
    return ran->launched.is_complete && touches_what_it_may(input, ran->launched);
  }

  // Bytes of the argument; none for a negative whole number, or an argument that has no place in the kernarg segment.
  std::optional<uint64_t> value_of(const DerivedScalar& argument) {
    const Buffer& kernarg = captured().program.launch.kernarg;
    const size_t size = size_of(argument.type);
    if (argument.offset > kernarg.size() || kernarg.size() - argument.offset < size) return std::nullopt;
    if (!is_float(argument.type) && load_number(argument.type, &kernarg[argument.offset]) < 0) return std::nullopt;
    uint64_t bytes = 0;
    std::memcpy(&bytes, &kernarg[argument.offset], size);
    return bytes;
  }

  // Kinds of inputs take turns: records that the options name; declared numbers, whether or not they lead elsewhere;
  // everything proven; scalar arguments.
  enum class Kind { kRecords, kFloats, kProven, kScalars };

  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds;
    const bool has_proven = !proven_.empty() || !movable_.empty();
    const bool is_covered = std::all_of(floats_.begin(), floats_.end(), [&](size_t a) {
      return std::find(proven_.begin(), proven_.end(), a) != proven_.end();
    });
    if (!records_.empty()) kinds.push_back(Kind::kRecords);
    if (!floats_.empty() && !is_covered) kinds.push_back(Kind::kFloats);
    if (has_proven) kinds.push_back(Kind::kProven);
    if (!scalars_.empty()) kinds.push_back(Kind::kScalars);
    return kinds;
  }

  bool has_plan() const { return !kinds().empty(); }

  Input plan(uint64_t number) const {
    const std::vector<Kind> turns = kinds();
    const uint64_t round = (number - 1) / turns.size();
    Input input;
    input.number = number;
    input.change = {static_cast<Recipe>(round % kRecipes), mixed(options_.derivation->seed + mixed(number)),
                    options_.derivation->special};
    switch (turns[(number - 1) % turns.size()]) {
      case Kind::kRecords: {
        // All together, and each by itself: what the captured code cannot take of one does not hide the others.
        const size_t turn = records_.size() > 1 ? round % (records_.size() + 1) : 0;
        input.arrays = turn == 0 ? records_ : std::vector<size_t>{records_[turn - 1]};
        input.change.recipe = Recipe::kPermuted;
        break;
      }
      case Kind::kFloats:
        input.arrays = floats_;
        input.may_touch = MayTouch::kAnything;
        break;
      case Kind::kProven:
        input.arrays = proven_;
        if (input.change.recipe == Recipe::kPermuted || proven_.empty()) {
          input.change.recipe = Recipe::kPermuted;
          input.arrays.insert(input.arrays.end(), movable_.begin(), movable_.end());
        }
        break;
      case Kind::kScalars:
        input.scalar = scalars_[round % scalars_.size()];
        input.may_touch = with(*input.scalar).may_touch;
        break;
    }
    return input;
  }

  bool touches_what_it_may(const Input& input, const Launched& launched) const {
    if (!tells_ || input.may_touch == MayTouch::kAnything) return true;
    const auto reads = touched(launched.accesses, false), writes = touched(launched.accesses, true);
    if (input.may_touch == MayTouch::kTheSame) {
      // Values that decide which lane touches which memory are indexes, possibly a permutation: they keep their values,
      // and may only change places.
      const bool may_be_indexes =
          input.change.recipe == Recipe::kPermuted &&
          std::any_of(input.arrays.begin(), input.arrays.end(), [&](size_t a) { return !arrays_[a].is_constant; });
      return reads == reads_ && writes == writes_ && (may_be_indexes || launched.accesses_by_lane == by_lane_);
    }
    return without(reads, reads_).empty() && without(writes, writes_).empty();
  }

  // The captured code with an input: its answer waits for the variant, or the input is dropped.
  Status ask(Input input) {
    auto none = order_records(input);
    if (!none) return none.error();
    if (!none->empty()) return drop(input, *none);
    if (auto switched = switch_to(captured()); !switched) return switched;
    auto ran = launch(captured(), input, 0);
    if (!ran) return ran.error();
    if (!ran->launched.is_complete) {
      return drop(input, ran->launched.is_limit ? "the captured code runs past its limit with it"
                                                : "the captured code faults with it");
    }
    if (!touches_what_it_may(input, ran->launched))
      return drop(input, "the captured code touches other memory with it");
    Answer& answer = answers_.emplace_back();
    answer.input = input;
    for (const Json& event : ran->launched.past_lds) answer.past_lds.insert(event.value("access", ""));
    auto kept = keep_answer(answer);
    if (!kept) return kept.error();
    if (kept->empty() && !varying_.empty()) kept = find_varying(answer);
    if (!kept) return kept.error();
    if (kept->empty()) return Unit{};
    let_go(answer);
    answers_.pop_back();
    return drop(input, *kept);
  }

  // Counts the records that change places. Returns the reason why the input is no other one, or nothing.
  Result<std::string> order_records(Input& input) {
    uint64_t all_moved = 0, digest = 0, movable = 0;
    for (const size_t a : input.arrays) {
      const InputArray& array = arrays_[a];
      if (array.record_bytes == 0) return std::string();
      auto moved = order_.moved(array, captured().targets[array.target], input.change.seed);
      if (!moved) return moved.error();
      input.moved.push_back(moved->records);
      all_moved += moved->records;
      movable += array.records() > 1 ? array.records() : 0;
      digest = mixed(digest ^ mixed(a)) ^ moved->digest;
    }
    if (input.arrays.empty()) return std::string();
    if (movable == 0)
      return std::string("the captured code reads fewer than two of the records, so that none can move");
    if (all_moved == 0) return std::string("all records are equal, so that no order is another input");
    if (!orders_.insert(digest).second) return std::string("an input before has the records in the same order");
    return std::string();
  }

  // Keeps the launch's result; chunks that differ from the app's are held in this process. Returns the reason why it
  // does not count, or nothing.
  Result<std::string> keep_answer(Answer& answer) {
    bool has_effect = false;
    uint64_t special_before = 0, special_now = 0;
    for (size_t t = 0; t < captured().targets.size(); ++t) {
      const Target& target = captured().targets[t];
      archive::Content& post = answer.post.emplace_back(*target.post.content);
      const uint64_t chunk_bytes = cache_.reader().manifest().chunk_bytes;
      auto walked = walk_target(
          device_, cache_, target, target.post, [&](uint64_t offset, Bytes expected, Bytes actual) -> Status {
            if (expected.size() == 0 || std::memcmp(expected.data(), actual.data(), expected.size()) == 0)
              return Unit{};
            count_special_of(target, offset, expected, special_before);
            count_special_of(target, offset, actual, special_now);
            Buffer copy(actual.begin(), actual.end());
            if (!has_effect) {
              auto changes = changes_result(answer.input, t, offset, copy);
              if (!changes) return changes.error();
              has_effect = *changes;
            }
            answer.held_bytes += copy.size();
            const archive::ChunkName name = cache_.hold(std::move(copy));
            answer.held.push_back(name);
            post.chunks[offset / chunk_bytes] = name;
            return Unit{};
          });
      if (!walked) return walked.error();
    }
    if (special_now > special_before && !options_.derivation->special)
      return std::string("the captured code makes NaN or infinities of it");
    if (!has_effect) return std::string("it changes nothing of what the captured code computes");
    return std::string();
  }

  // Whether the launch's compared result differs from that of the captured input, the input itself aside.
  Result<bool> changes_result(const Input& input, size_t t, uint64_t offset, Bytes now) {
    const Target& target = captured().targets[t];
    Buffer pre(now.size()), post(now.size());
    if (auto read = read_content(cache_, target.pre, offset, pre); !read) return read.error();
    if (auto read = read_content(cache_, target.post, offset, post); !read) return read.error();
    Buffer given = pre;
    if (auto derived = derive_in(input, t, offset, given); !derived) return derived.error();
    std::vector<AddressRange> left_out = unjudged_in(target, varying_);
    left_out.insert(left_out.end(), target.ignored.begin(), target.ignored.end());
    for (const AddressRange& range : without({{offset, now.size()}}, merge_ranges(std::move(left_out)))) {
      constexpr uint64_t kBlock = 4096;  // without a branch for each byte: vectorised
      for (uint64_t at = range.base - offset; at < range.end() - offset; at += kBlock) {
        bool is_changed = false;
        for (uint64_t b = at; b < std::min(at + kBlock, range.end() - offset); ++b) {
          const bool is_input = (now[b] == given[b]) & (given[b] != pre[b]);
          is_changed |= (now[b] != post[b]) & !is_input;
        }
        if (is_changed) return true;
      }
    }
    return false;
  }

  void count_special_of(const Target& target, uint64_t offset, Bytes bytes, uint64_t& count) const {
    for (const ElementTolerance& type : options_.derivation->types) {
      if (type.target != target.name || target.is_variable || !is_float(type.type)) continue;
      const uint64_t from = std::max(offset, type.offset);
      const uint64_t to = std::min(offset + bytes.size(), type.offset + std::min(type.size, target.size - type.offset));
      if (from >= to) continue;
      const uint64_t size = size_of(type.type);
      count += count_special(type.type, bytes.subspan(from - offset, (to - from) / size * size));
    }
  }

  // A result that varies from launch to launch has other ranges for each input.
  Result<std::string> find_varying(Answer& answer) {
    const std::vector<Target> targets = targets_with(answer, captured());
    Calibration calibration(cache_, targets);
    for (uint64_t i = 1; i <= kCalibrations; ++i) {
      auto ran = launch(captured(), answer.input, i);
      if (!ran) return ran.error();
      if (!ran->launched.is_complete) return std::string("the captured code does not always end with it");
      auto recorded = calibration.record_replay(device_);
      if (!recorded) return recorded.error();
      if (!*recorded) return std::string("the captured code gives far other results from run to run with it");
    }
    auto found = calibration.finish();
    if (!found) return found.error();
    if (found->unexplained_elements > 0) return std::string("what the captured code makes of it varies too much");
    answer.varying = std::move(found->varying);
    if (auto applied = apply_records(options_.records, answer.varying); !applied)
      return std::string("its arrays in free order are others");
    return std::string();
  }

  // Runs the variant with each input whose answer waits.
  Status compare_answers() {
    if (auto switched = switch_to(variant()); !switched) return switched;
    while (!answers_.empty() && !end_) {
      Answer& answer = answers_.front();
      auto ran = launch(variant(), answer.input, 0);
      if (!ran) return ran.error();
      HeldBack told = std::move(ran->told);
      Comparison comparison;
      auto same = is_same(answer, *ran, comparison, told);
      if (!same) return same.error();
      bool is_stale = false;
      if (*same) {
        auto left = left_by_others();
        if (!left) return left.error();
        if (!left->empty()) {
          is_stale = true;
          ran = launch(variant(), answer.input, 0, &*left);
          if (!ran) return ran.error();
          told = std::move(ran->told);
          same = is_same(answer, *ran, comparison, told);
          if (!same) return same.error();
        }
      }
      if (*same) {
        if (comparison.undecided.empty()) {
          ++judged_;
          total_ = comparison;
          tell(answer.input, "same", {});
        } else {
          ++dropped_;
          tell(answer.input, "dropped", comparison.undecided);
        }
      } else {
        auto repeats = is_lost_ ? Result<bool>(true) : repeats_itself(answer);
        if (!repeats) return repeats.error();
        if (*repeats) {
          const bool is_different = comparison.differing_bytes > 0;
          tell(answer.input,
               !ran->launched.is_complete ? ran->launched.verdict()
               : is_different             ? "different"
                                          : "past_lds",
               is_stale ? "with what a launch with another input left in the variant's own memory" : "");
          told.tell(sink_);
          tell_past_lds(ran->launched.past_lds, variant().program, sink_);
          fail(answer.input, ran->launched, comparison);
        } else {
          if (auto dropped = drop(answer.input, "the captured code gives other results from run to run with it");
              !dropped)
            return dropped;
          if (auto switched = switch_to(variant()); !switched) return switched;
        }
      }
      let_go(answer);
      answers_.pop_front();
    }
    return Unit{};
  }

  Result<bool> is_same(const Answer& answer, const Ran& ran, Comparison& comparison, HeldBack& told) {
    if (!ran.launched.is_complete) return false;
    auto compared = compare(variant(), answer, answer.varying, told);
    if (!compared) return compared.error();
    comparison = *compared;
    if (comparison.differing_bytes > 0) {
      if (auto ordered = look_at_known_order(answer, comparison); !ordered) return ordered.error();
    }
    const bool is_past_lds =
        std::any_of(ran.launched.past_lds.begin(), ran.launched.past_lds.end(),
                    [&](const Json& event) { return !answer.past_lds.contains(event.value("access", "")); });
    return comparison.differing_bytes == 0 && !is_past_lds;
  }

  // After a comparison that found differences: whether these are only of an order in which the captured code left its
  // result with the captured input.
  Status look_at_known_order(const Answer& answer, Comparison& comparison) {
    const std::vector<VaryingRange> known = in_known_order(answer.varying, varying_, captured().targets);
    if (known.empty()) return Unit{};
    HeldBack untold;
    auto compared = compare(variant(), answer, known, untold);
    if (!compared) return compared.error();
    if (compared->differing_bytes > 0) return Unit{};
    comparison = *compared;
    comparison.undecided = "its records are the same, in an order that the captured code did not give them with it";
    return Unit{};
  }

  // Content that the previous launch, with another input, left in the variant's own memory; empty if that is as
  // loaded. Called after a launch, of which the state is kept for the next call.
  Result<std::vector<Buffer>> left_by_others() {
    const OwnState& state = variant().program.own_state;
    if (state.pieces.empty()) return std::vector<Buffer>();
    auto now = read_own_state(state, device_);
    if (!now) return now;
    if (left_.empty()) {
      if (changed_bytes(state, *now) == 0) return std::vector<Buffer>();
      // The app's own input comes before the first one.
      if (auto ran = launch(variant(), Input{}, 0); !ran) return ran.error();
      auto before = read_own_state(state, device_);
      if (!before) return before;
      left_ = std::move(*before);
    }
    std::vector<Buffer> before = std::exchange(left_, std::move(*now));
    if (changed_bytes(state, before) == 0) before.clear();
    return before;
  }

  // Whether the captured code gives its answer again, in other orders. Results that differ by themselves do not fail a
  // variant.
  Result<bool> repeats_itself(const Answer& answer) {
    if (auto switched = switch_to(captured()); !switched) return switched.error();
    for (uint64_t i = 1; i <= kRepeats; ++i) {
      auto ran = launch(captured(), answer.input, kCalibrations + i);
      if (!ran) return ran.error();
      if (!ran->launched.is_complete) return false;
      HeldBack untold;
      auto compared = compare(captured(), answer, answer.varying, untold);
      if (!compared) return compared.error();
      if (compared->differing_bytes > 0 || !compared->undecided.empty()) return false;
    }
    return true;
  }

  Result<Comparison> compare(Party& side, const Answer& answer, const std::vector<VaryingRange>& varying,
                             EventSink& sink) {
    const std::vector<Target> targets = targets_with(answer, side);
    return compare_replay(device_, cache_, side.program, targets, snapshot_, options_.poison, varying, sink);
  }

  // Targets of a side, with the captured code's result for this input in place of *post*.
  std::vector<Target> targets_with(const Answer& answer, const Party& side) {
    std::vector<Target> targets = side.targets;
    for (Target& target : targets) {
      const size_t known = place_in_captured(target);
      if (known == captured().targets.size()) continue;
      target.post.content = &answer.post[known];
      for (ElementTolerance& tolerance : target.tolerances) {
        // The payload of a NaN result is unspecified.
        if (options_.derivation->special && is_float(tolerance.type)) tolerance.bounds.exact = false;
      }
    }
    return targets;
  }

  // Index of this target among those of the captured code; their number if it is none of them.
  size_t place_in_captured(const Target& target) {
    const auto known = std::find_if(captured().targets.begin(), captured().targets.end(), [&](const Target& each) {
      return each.is_variable == target.is_variable && each.name == target.name;
    });
    return static_cast<size_t>(known - captured().targets.begin());
  }

  Party& captured() { return sides_[0]; }
  Party& variant() { return sides_[1]; }

  // Both sides need the captured address if the device loads code at a given address.
  Status switch_to(Party& side) {
    if (side.is_loaded) return Unit{};
    if (CodePlacement* const placement = device_.code_placement()) {
      for (Party& other : sides_) other.is_loaded = false;
      snapshot_.forget_programs();
      if (auto unloaded = placement->unload_code(); !unloaded) return unloaded;
    }
    HeldBack again;
    auto program = load_for_replay(options_, cache_, device_, side.code, side.targets.empty() ? sink_ : again);
    if (!program) return program.error();
    side.program = std::move(*program);
    side.program.launch.is_compared = true;
    side.is_loaded = true;
    snapshot_.attend(side.program);
    auto targets = targets_of(options_, snapshot_, side.program);
    if (!targets) return targets.error();
    const bool is_first = side.targets.empty();
    side.targets = std::move(*targets);
    if (!is_first || &side != &captured() || !options_.known_varying) return Unit{};
    auto varying = read_varying(*options_.known_varying, side.targets, options_.expected);
    if (!varying) return varying.error();
    varying_ = std::move(*varying);
    return Unit{};
  }

  Status derive_in(const Input& input, size_t t, uint64_t offset, std::span<uint8_t> bytes) {
    for (const size_t a : input.arrays) {
      const InputArray& array = arrays_[a];
      if (array.target != t) continue;
      if (array.record_bytes == 0) {
        derive(array, input.change, offset, bytes);
      } else if (auto put = order_.put(array, captured().targets[t], input.change.seed, offset, bytes); !put) {
        return put;
      }
    }
    return Unit{};
  }

  // Writes the input over the captured one, which was just restored.
  Status put(const Input& input, Party& side) {
    const uint64_t chunk_bytes = cache_.reader().manifest().chunk_bytes;
    Buffer chunk;
    for (const Target& target : side.targets) {
      const size_t t = place_in_captured(target);
      const bool is_changed =
          std::any_of(input.arrays.begin(), input.arrays.end(), [&](size_t a) { return arrays_[a].target == t; });
      for (uint64_t offset = 0; is_changed && offset < target.size; offset += chunk_bytes) {
        chunk.resize(std::min(chunk_bytes, target.size - offset));
        if (auto read = read_content(cache_, target.pre, offset, chunk); !read) return read;
        if (auto derived = derive_in(input, t, offset, chunk); !derived) return derived;
        if (auto written = write_kept(device_, target, offset, chunk); !written) return written;
      }
    }
    return Unit{};
  }

  // `order`: order of waves, on a device that takes a seed. Every other order inverts the fill of unwritten memory and
  // registers.
  // `own`: content of the side's own state, if not as loaded.
  Result<Ran> launch(Party& side, const Input& input, uint64_t order, const std::vector<Buffer>* own = nullptr) {
    Ran ran;
    if (auto restored = snapshot_.restore(side.program, ran.told); !restored) return restored.error();
    if (own != nullptr) {
      if (auto written = write_own_state(side.program.own_state, *own, device_); !written) return written.error();
    }
    ran.told = {};
    if (auto written = put(input, side); !written) return written.error();
    if (SoftwareExecution* const execution = device_.software_execution()) {
      if (auto seeded = execution->set_seed(options_.seed.value_or(1) + order); !seeded) return seeded.error();
      if (auto filled = set_unwritten_fill(options_, *execution, order % 2 != 0); !filled) return filled.error();
    }
    const Buffer kernarg = side.program.launch.kernarg;
    if (input.scalar) {
      const auto& [argument, from, to] = *input.scalar;
      std::memcpy(&side.program.launch.kernarg[argument->offset], &to, size_of(argument->type));
    }
    auto launched = launch_and_tell(device_, snapshot_, side.program, Json(), false, ran.told);
    side.program.launch.kernarg = kernarg;
    if (!launched) return launched.error();
    ran.launched = std::move(*launched);
    if (ran.launched.is_complete) return ran;
    auto recovered = device_.recover();
    if (!recovered) return recovered.error();
    is_lost_ = !*recovered;
    return ran;
  }

  Status drop(const Input& input, const std::string& reason) {
    ++dropped_;
    tell(input, "dropped", reason);
    return Unit{};
  }

  void let_go(const Answer& answer) {
    for (const archive::ChunkName& name : answer.held) cache_.let_go(name);
  }

  // Loading code anew for each input costs more than the launches. If both sides are loaded at once and a fault may end
  // the process, each answer is judged at once.
  bool has_room() {
    uint64_t bytes = 0;
    for (const Answer& answer : answers_) bytes += answer.held_bytes;
    return device_.code_placement() ? bytes < kMostHeldBytes : answers_.empty();
  }

  void tell(const Input& input, const char* verdict, const std::string& reason) {
    Json event = describe(input);
    event["event"] = ReplayEvent::derived;
    event["verdict"] = verdict;
    if (!reason.empty()) event["reason"] = reason;
    sink_.emit(event);
  }

  static Json number_in(ElementType type, uint64_t bytes) {
    return value_to_json(type, load_number(type, reinterpret_cast<const uint8_t*>(&bytes)));
  }

  Json describe(const Input& input) {
    Json arrays = Json::array();
    for (size_t i = 0; i < input.arrays.size(); ++i) {
      const InputArray& array = arrays_[input.arrays[i]];
      const Target& target = captured().targets[array.target];
      const bool is_of_records = array.record_bytes > 0;
      Json& described =
          arrays.emplace_back(Json({{target.kind(), target.name},
                                    {"offset", is_of_records ? array.extent.base : array.parts.front().base},
                                    {"elements", is_of_records ? array.extent.size : array.elements()},
                                    {"dtype", name_of(array.type)},
                                    {"declared", array.is_declared}}));
      if (!is_of_records) continue;
      described["record_bytes"] = array.record_bytes;
      described["records"] = array.extent.size / array.record_bytes;
      described["moved_records"] = i < input.moved.size() ? input.moved[i] : 0;
    }
    Json described = {{"input", input.number}, {"arrays", std::move(arrays)}};
    if (!input.arrays.empty()) described["recipe"] = name_of(input.change.recipe);
    if (input.scalar) {
      const auto& [argument, from, to] = *input.scalar;
      described["argument"] = {
          {"name", argument->name}, {"from", number_in(argument->type, from)}, {"to", number_in(argument->type, to)}};
    }
    return described;
  }

  void fail(const Input& input, const Launched& launched, const Comparison& comparison) {
    total_ = comparison;
    failed_ = input.number;
    verdict_ = launched.is_complete ? "fail" : launched.verdict();
    end_ = SessionEnd{launched.is_complete ? kExitFail : kExitDevice, is_lost_};
  }

  SessionEnd conclude() {
    if (!end_) {
      verdict_ = judged_ > 0 ? "pass" : "vacuous";
      end_ = SessionEnd{judged_ > 0 ? kExitPass : kExitVacuous, is_lost_};
    }
    Json numbers = {{"compared_bytes", total_.compared_bytes},
                    {"differing_bytes", total_.differing_bytes},
                    {"derived",
                     {{"judged", judged_ + (failed_ > 0 ? 1 : 0)},
                      {"dropped", dropped_},
                      {"seed", options_.derivation->seed},
                      {"arrays", arrays_.size()},
                      {"changeable", changeable()}}}};
    if (failed_ > 0) numbers["derived"]["failed"] = failed_;
    if (is_lost_ && !reason_.empty()) reason_ += "; ";
    if (is_lost_) reason_ += "a fault ended the process: no further input was tried";
    if (!reason_.empty()) numbers["reason"] = reason_;
    tell_result(verdict_.c_str(), std::move(numbers));
    return *end_;
  }

  size_t changeable() const {
    std::vector<size_t> all = floats_;
    all.insert(all.end(), proven_.begin(), proven_.end());
    all.insert(all.end(), movable_.begin(), movable_.end());
    all.insert(all.end(), records_.begin(), records_.end());
    std::sort(all.begin(), all.end());
    return static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin());
  }

  void tell_result(const char* verdict, Json numbers) {
    numbers["event"] = ReplayEvent::result;
    numbers["verdict"] = verdict;
    sink_.emit(numbers);
  }

  const Options& options_;
  DeviceReplay& device_;
  EventSink& sink_;
  ContentCache cache_;
  Snapshot snapshot_;
  RecordOrder order_;
  std::array<Party, 2> sides_;
  std::vector<VaryingRange> varying_;
  bool tells_ = false;                        // the device records accesses
  std::vector<AddressRange> reads_, writes_;  // accesses of the captured code with the captured input
  std::optional<uint64_t> by_lane_;           // likewise
  std::vector<InputArray> arrays_;
  std::vector<size_t> records_;  // the arrays whose records change places
  std::set<uint64_t> orders_;    // digests of the inputs with their records in other places
  std::vector<size_t> floats_;   // the arrays declared to be floating-point
  std::vector<size_t> proven_;   // the same memory is touched for any values
  std::vector<size_t> movable_;  // the same memory is touched while they hold the same values, in any order
  std::vector<Scalar> scalars_;
  std::vector<Buffer> left_;   // in the variant's own state, by its launch with the input before
  std::list<Answer> answers_;  // answers that wait for the variant
  uint64_t judged_ = 0, dropped_ = 0, failed_ = 0;
  Comparison total_;
  std::string verdict_, reason_;
  std::optional<SessionEnd> end_;
  bool is_lost_ = false;
};

}  // namespace

Result<SessionEnd> judge_derived_inputs(const Options& options, const archive::Reader& reader, DeviceReplay& device,
                                        EventSink& sink) {
  return DerivedInputs(options, reader, device, sink).run();
}

}  // namespace kernloop::replay
