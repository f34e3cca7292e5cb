#include "softgpu/engine/vector/forms.h"

#include "softgpu/engine/vector/compare.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

void compute_plain(Wave& wave, const Instruction& instruction, const FormRule& rule, ComputeFn compute, bool in_place) {
  const uint64_t exec = wave.exec();
  alignas(64) uint32_t temporary[4][kLanes];
  const uint32_t* src[4];
  for (unsigned k = 0; k < rule.sources; ++k) {
    const Operand& operand = source_operand(rule, instruction, k);
    src[k] = broadcast(wave, operand, rule.source[k], temporary[k]);
    if (rule.source[k].sign_modifiers && k < rule.explicit_sources() && (operand.negate || operand.absolute))
      src[k] = with_sign(src[k], operand, rule.source[k], temporary[k]);
  }
  uint32_t* dst = wave.vgpr[instruction.dst[0].index];
  if (in_place && exec == ~0ull) return compute(dst, src, wave.mode);
  alignas(64) uint32_t result[2 * kLanes];
  compute(result, src, wave.mode);
  if (rule.preserve_high)
    for (unsigned l = 0; l < kLanes; ++l) result[l] = (result[l] & 0xffffu) | (dst[l] & 0xffff0000u);
  write_planes(dst, result, 1, exec);
  if (rule.has_bit) wave.set_sgpr64(instruction.dst[1].index, gather_mask(result + kLanes) & exec);
}

void compute_general(Wave& wave, const Instruction& instruction, const FormRule& rule, ComputeFn compute) {
  General general;
  prepare_sources(wave, instruction, rule, general);
  compute(general.result, general.src, wave.mode);
  finish_result(wave, instruction, rule, general);
}

namespace {

void write_comparison(Wave& wave, const Instruction& instruction, const PlanesComparison& comparison,
                      const uint32_t* result) {
  const uint64_t mask = gather_mask(result) & wave.exec();
  wave.set_sgpr64(instruction.dst[0].index, mask);
  if (comparison.writes_exec) wave.set_exec(mask);
}

}  // namespace

void compare_plain(Wave& wave, const Instruction& instruction, const PlanesComparison& comparison, bool flush) {
  alignas(64) uint32_t temporary[2][2 * kLanes];
  alignas(64) uint32_t result[kLanes];
  const uint32_t* first = broadcast(wave, instruction.src[0], comparison.rule.source[0], temporary[0]);
  const uint32_t* second = broadcast(wave, instruction.src[1], comparison.rule.source[1], temporary[1]);
  comparison.compute(result, first, second, flush);
  write_comparison(wave, instruction, comparison, result);
}

void compare_general(Wave& wave, const Instruction& instruction, const PlanesComparison& comparison, bool flush) {
  General general;
  prepare_sources(wave, instruction, comparison.rule, general);
  comparison.compute(general.result, general.src[0], general.src[1], flush);
  write_comparison(wave, instruction, comparison, general.result);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
