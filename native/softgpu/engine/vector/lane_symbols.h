// Symbols for the lane arithmetic of rows: the build of the semantics as LLVM bitcode (softgpu/translate/lanes) defines
// lane_group<op> for each row, so that the translator executes what the interpreter executes. Other builds have none.
#pragma once

#include "softgpu/engine/vector/planes.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

#ifdef KERNLOOP_LANES

// The row's kernel by its operation alone: a lambda's type is not the same in two files, so that it must not be in the
// name of the symbol.
template <Op op>
struct Named {
  friend auto kernel_of(Named<op>);
};
template <Op op, class K>
struct NamedKernel {
  friend auto kernel_of(Named<op>) { return K{}; }
};

// 16 lanes from groups into a group, with the stride of planes; MODE is the default one but for IEEE.
template <Op op>
[[gnu::used, gnu::weak, gnu::always_inline]] inline void lane_group(uint32_t* __restrict dst,
                                                                    const uint32_t* __restrict a,
                                                                    const uint32_t* __restrict b,
                                                                    const uint32_t* __restrict c,
                                                                    const uint32_t* __restrict d, bool ieee) {
  const uint32_t* const src[] = {a, b, c, d};
  Mode mode;
  mode.ieee = ieee;
  decltype(kernel_of(Named<op>{}))::lane_group(dst, src, mode);
}

template <Op op, class K>
constexpr void name_lanes() {
  (void)sizeof(NamedKernel<op, K>);
  (void)&lane_group<op>;
}

#else

template <Op op, class K>
constexpr void name_lanes() {}

#endif

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
