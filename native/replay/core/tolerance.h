// Elements of a known type that need not equal *post* bit for bit.
//
// An element passes when its bytes are equal, or when it lies within any of the stated bounds:
//   |actual - expected| <= atol + rtol * |expected|   (NumPy's assert_allclose with equal_nan=True)
//   at most `ulp` representable values of its type lie between the two   (floating types only)
// NaN passes only where *post* has a NaN (of any payload), an infinity only where *post* has the same one: no bound,
// however wide, lets either pass in place of a number.
#pragma once

#include <string>
#include <vector>

#include "replay/core/element_type.h"
#include "replay/core/layout.h"

namespace kernloop::replay {

struct Bounds {
  double atol = 0, rtol = 0;  // finite, not negative
  uint64_t ulp = 0;
};

// Elements [offset, offset + size) of one target, which --tolerance names.
struct ElementTolerance {
  std::string target;  // region id or variable name
  uint64_t offset = 0;
  uint64_t size = UINT64_MAX;  // UINT64_MAX: to the end of the target
  ElementType type = ElementType::kF32;
  Bounds bounds;
};

// "r3=f32,atol=1e-5,rtol=1e-6,ulp=1", or "r3:OFFSET:SIZE=f32,…" for a part. At least one bound. Nothing when malformed.
std::optional<ElementTolerance> parse_tolerance(const std::string& text);

// How far apart two elements are. Errors are of finite numbers only, so that a NaN can slip past no maximum.
struct ElementError {
  bool within = false;
  bool finite = false;  // both are, and the errors below say how far apart they are
  Number absolute = 0;
  std::optional<Number> relative;  // not where *post* is zero
  std::optional<uint64_t> ulp;     // floating types
};
ElementError judge_element(ElementType type, const Bounds& bounds, const uint8_t* expected, const uint8_t* actual);

// Of one ElementTolerance; elements that something else accepts (ignored, varying) are not counted.
struct ToleranceCount {
  uint64_t elements = 0, within = 0, outside = 0;  // the rest are equal bit for bit
  uint64_t not_finite = 0;                         // of `outside`: NaN or infinity on one side, or another infinity
  Number max_absolute = 0, max_relative = 0;
  uint64_t max_ulp = 0;
};

// Judges a target piece by piece. `tolerances` lie inside of the target, sorted, disjoint, at multiples of their
// element's size; pieces arrive at multiples of 8 bytes.
class ToleranceJudge {
 public:
  ToleranceJudge(const std::vector<ElementTolerance>& tolerances, const std::vector<AddressRange>& accepted_already);

  // The actual bytes with *post* in place of the elements within their bounds. `copy` holds them where they are not
  // `actual` itself; `actual` may already be in it.
  archive::Bytes accept(uint64_t offset, archive::Bytes expected, archive::Bytes actual, archive::Buffer& copy);

  const std::vector<ToleranceCount>& counts() const { return counts_; }

 private:
  void judge(size_t index, archive::Bytes expected, std::span<uint8_t> actual);

  const std::vector<ElementTolerance>& tolerances_;
  std::vector<ToleranceCount> counts_;
};

archive::Json to_json(const ElementTolerance& tolerance, const ToleranceCount& count);

}  // namespace kernloop::replay
