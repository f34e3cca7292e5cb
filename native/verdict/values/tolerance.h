// Elements of a known type: counted, and judged as numbers where they need not equal *post* bit for bit.
//
// An element passes if its bytes are equal, or if it is within any of the stated bounds:
//   |actual - expected| <= atol + rtol * |expected|   (NumPy's assert_allclose with equal_nan=True)
//   at most `ulp` representable values of its type lie between the two   (floating types only)
// NaN passes only where *post* has a NaN (of any payload), an infinity only where *post* has the same one: no bound,
// however wide, lets either pass in place of a number. A policy can refuse both even there, or leave out elements for
// which *post* has one. `matched` excuses a share of the elements whose numbers are out of bounds, never a NaN or an
// infinity in place of a number.
#pragma once

#include <string>
#include <vector>

#include "verdict/values/address_range.h"
#include "verdict/values/differences.h"
#include "verdict/values/element_type.h"

namespace kernloop::replay {

// Policy for an element for which *post* has a NaN (or an infinity).
enum class Special : uint8_t {
  kMatch,   // it passes when it is the same
  kRefuse,  // it always fails, and so does an element for which only the replay has one
  kIgnore,  // it always passes
};

struct Bounds {
  double atol = 0, rtol = 0;  // finite, not negative
  uint64_t ulp = 0;
  double matched = 1;  // share of the elements that must pass, in (0, 1]
  Special nan = Special::kMatch, infinity = Special::kMatch;
  bool exact = false;  // only equal bytes pass; the elements are counted all the same
};

// Elements [offset, offset + size) of one target, which --tolerance names.
struct ElementTolerance {
  std::string target;  // region id or variable name
  uint64_t offset = 0;
  uint64_t size = UINT64_MAX;  // UINT64_MAX: to the end of the target
  ElementType type = ElementType::kF32;
  Bounds bounds;
};

// "r3=f32,atol=1e-5,rtol=1e-6,ulp=1,matched=0.99,nan=match|refuse|ignore,inf=…", "r3=f32,exact", or
// "r3:OFFSET:SIZE=f32,…" for a part. At least one bound. Nothing when malformed.
std::optional<ElementTolerance> parse_tolerance(const std::string& text);

// Distance of two elements. Errors are of finite numbers only, which keeps NaN out of maxima.
struct ElementError {
  bool within = false;
  bool finite = false;  // both are, and the errors below say how far apart they are
  Number absolute = 0;
  std::optional<Number> relative;  // not where *post* is zero
  std::optional<uint64_t> ulp;     // floating types
};
ElementError judge_element(ElementType type, const Bounds& bounds, const uint8_t* expected, const uint8_t* actual);

// Number of places in which *post* and the replay have a NaN, or an infinity.
struct SpecialCount {
  uint64_t expected_only = 0, actual_only = 0;
  uint64_t both = 0;   // infinities: the same one
  uint64_t other = 0;  // infinities of opposite sign
};

struct ElementExample {
  uint64_t offset = 0;  // in the target
  Number expected = 0, actual = 0;
};

// Counts for one ElementTolerance, without elements that something else accepts (ignored, varying).
struct ToleranceCount {
  uint64_t elements = 0, within = 0, outside = 0;  // the rest are equal bit for bit, and not refused
  uint64_t not_finite = 0;  // part of `outside`: NaN or infinity on one side, or another infinity
  uint64_t refused = 0;     // part of `outside`: equal, but NaN or infinite where neither may be
  SpecialCount nan, infinity;
  Number max_absolute = 0, max_relative = 0;
  uint64_t max_ulp = 0;
  static constexpr size_t kExamples = 4;
  std::vector<ElementExample> first_outside;  // the first few
  std::optional<ElementExample> worst;        // the greatest absolute error of finite numbers outside

  // Outside by their numbers alone: what `matched` may excuse.
  uint64_t excusable() const { return outside - not_finite - refused; }
};

// Judges a target piece by piece. `tolerances` are ranges of the target: sorted, disjoint, at multiples of their
// element's size; pieces arrive at multiples of 8 bytes.
class ToleranceJudge {
 public:
  // `size`: that of the target, if its differing elements are to be mapped.
  ToleranceJudge(const std::vector<ElementTolerance>& tolerances, const std::vector<AddressRange>& accepted_already,
                 uint64_t size = 0);

  // The actual bytes with *post* in place of the elements within their bounds, and of those that may yet be excused.
  // `copy` holds them if they differ from `actual`; `actual` may already be in it.
  Bytes accept(uint64_t offset, Bytes expected, Bytes actual, Buffer& copy);

  const std::vector<ToleranceCount>& counts() const { return counts_; }

  // After the last piece: whether few enough elements are out of bounds for their share to be excused.
  bool are_excused(size_t index) const;
  // The differences of elements that only such a share could excuse; `accept` does not return them.
  const DifferenceCollector& excusable(size_t index) const { return excusable_[index]; }

 private:
  void count_equal_specials(size_t index, uint64_t offset, Bytes expected);
  void judge(size_t index, uint64_t offset, Bytes expected, std::span<uint8_t> actual);
  void count_special(size_t index, Number expected, Number actual);
  void count_outside(size_t index, uint64_t offset, const ElementError& error, Number expected, Number actual);

  const std::vector<ElementTolerance>& tolerances_;
  std::vector<AddressRange> accepted_already_;
  std::vector<ToleranceCount> counts_;
  std::vector<DifferenceCollector> excusable_;
};

archive::Json to_json(const ElementTolerance& tolerance, const ToleranceCount& count, bool excused);

}  // namespace kernloop::replay
