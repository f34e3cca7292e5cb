#include "softgpu/engine/op_facts.h"

#include <array>

namespace kernloop::softgpu {

namespace {

constexpr size_t kOps = static_cast<size_t>(Op::kCount);

constexpr Op kNamed[] = {
#define KERNLOOP_OP_FACTS(name, counted_as, effect) Op::name,
#include "softgpu/engine/op_facts.def"
#undef KERNLOOP_OP_FACTS
};

constexpr bool has_one_row_each() {
  for (size_t k = 0; k < std::size(kNamed); ++k) {
    if (kNamed[k] != static_cast<Op>(k + 1)) return false;
  }
  return std::size(kNamed) == kOps - 1;  // all but Op::kInvalid
}
static_assert(has_one_row_each(), "op_facts.def needs one row for each operation of isa/ops.def, in its order");

constexpr std::array<OpFacts, kOps> kFacts = {{
    {InstructionClass::kOther, OpEffect::kNotExecuted},  // Op::kInvalid
#define KERNLOOP_OP_FACTS(name, counted_as, effect) {InstructionClass::counted_as, OpEffect::effect},
#include "softgpu/engine/op_facts.def"
#undef KERNLOOP_OP_FACTS
}};

}  // namespace

const OpFacts& facts_of(Op op) {
  return kFacts[op < Op::kCount ? static_cast<size_t>(op) : 0];
}

}  // namespace kernloop::softgpu
