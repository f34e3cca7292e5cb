// LLVM IR of segments, as text: a loop over groups of 16 lanes in which registers are values. The arithmetic is that of
// the rows, called by the names of vector/lane_symbols.h.
#pragma once

#include <set>
#include <string>

#include "softgpu/engine/translate/segment.h"

namespace kernloop::softgpu {

// A translated segment. Returns the number of lanes done: the wave size, or that of the first group in which a result
// is a NaN whose bits the interpreter has to choose, or a read goes past the end of LDS. Nothing of that group and
// those behind it has been stored, scalar registers are as before, and `partial` has the masks of the groups before it.
using SegmentFn = uint32_t (*)(Wave* wave, uint64_t* partial);

// Groups of 16 lanes, 1 or 2, whose values a function should compute beside each other.
unsigned groups_at_once(const Segment& segment);

class ModuleText {
 public:
  // A call of the interpreter's function of scalar arithmetic for %wave; the instruction is a constant of that name.
  std::string call_of_scalar(const DecodedInstruction& instruction, const std::string& name);
  // With reads of LDS one group is computed after the other.
  void add(const Segment& segment, unsigned wave_size, const std::string& name, unsigned groups);
  void add(const ModuleText& other);
  void add_function(const std::string& text) { functions_ += text; }
  void declare(const std::string& text) { declarations_.insert(text); }
  std::string text() const;

 private:
  std::string functions_;
  std::set<std::string> declarations_;
};

}  // namespace kernloop::softgpu
