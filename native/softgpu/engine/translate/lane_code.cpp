#include "softgpu/engine/translate/lane_code.h"

#ifdef KERNLOOP_LANE_CODE
asm(R"(
  .section .rodata
  .balign 8
  .type kernloop_lane_code, @object
kernloop_lane_code:
  .incbin ")" KERNLOOP_LANE_CODE R"("
kernloop_lane_code_end:
  .previous
)");
extern "C" {
extern const char kernloop_lane_code[] __attribute__((visibility("hidden")));
extern const char kernloop_lane_code_end[] __attribute__((visibility("hidden")));
}
#endif

namespace kernloop::softgpu {

std::span<const char> lane_code() {
#ifdef KERNLOOP_LANE_CODE
  return {kernloop_lane_code, kernloop_lane_code_end};
#else
  return {};
#endif
}

unsigned lane_code_llvm() {
#ifdef KERNLOOP_LANE_CODE
  return KERNLOOP_LANE_CODE_LLVM;
#else
  return 0;
#endif
}

}  // namespace kernloop::softgpu
