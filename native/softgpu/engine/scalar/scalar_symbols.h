// Symbols for scalar arithmetic: the build of the semantics as LLVM bitcode (translate/CMakeLists.txt) defines
// sop1_step<op> and the like, so that the translator executes what the interpreter executes. Other builds have none.
#pragma once

#include <utility>

#include "softgpu/engine/wave/wave.h"

#ifdef KERNLOOP_LANES

// `find`: a constant function from an operation to what executes it.
#define KERNLOOP_NAME_SCALARS(name, find)                                                                    \
  template <Op op>                                                                                           \
  [[gnu::used, gnu::weak, gnu::always_inline, gnu::flatten]] inline void name##_step(Wave& wave,             \
                                                                                     const Instruction& i) { \
    constexpr ExecuteFn execute = find(op);                                                                  \
    execute(wave, i);                                                                                        \
  }                                                                                                          \
  template <Op op>                                                                                           \
  constexpr bool name##_is_named() {                                                                         \
    if constexpr (find(op) != nullptr) (void)&name##_step<op>;                                               \
    return true;                                                                                             \
  }                                                                                                          \
  template <size_t... op>                                                                                    \
  constexpr bool name##_all(std::index_sequence<op...>) {                                                    \
    const bool named[] = {name##_is_named<static_cast<Op>(op)>()...};                                        \
    return named[0];                                                                                         \
  }                                                                                                          \
  static_assert(name##_all(std::make_index_sequence<static_cast<size_t>(Op::kCount)>()));

#else

#define KERNLOOP_NAME_SCALARS(name, find)

#endif
