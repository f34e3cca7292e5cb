// Calls of HIPRTC and NVRTC that make a program; they differ only in their names. `next` is the library's own function,
// null if there is none; the app gets its result.
#pragma once

#include <algorithm>

#include "pgo/runtime/calls.h"
#include "pgo/runtime/gpu.h"

namespace kernloop::pgo::runtime {

inline constexpr int kRtcInternal = 11;  // HIPRTC_ERROR_INTERNAL_ERROR, NVRTC_ERROR_INTERNAL_ERROR

// Text: const char** in HIPRTC's declarations, const char* const* in NVRTC's.
template <typename Text>
int create_program(int (*next)(void**, const char*, const char*, int, Text, Text), void** program, const char* source,
                   const char* name, int headers, Text contents, Text names) {
  if (!next) return kRtcInternal;
  const int result = next(program, source, name, headers, contents, names);
  if (result != 0 || !program || !source) return result;
  with_runtime([&](Runtime& runtime) {
    runtime.programs.created(*program, RtcProgram::made_of(source, name, headers, contents, names));
  });
  return result;
}

inline int add_name_expression(int (*next)(void*, const char*), void* program, const char* expression) {
  const int result = next ? next(program, expression) : kRtcInternal;
  if (result == 0) with_runtime([&](Runtime& runtime) { runtime.programs.expression(program, expression); });
  return result;
}

template <typename Text>
int compile_program(int (*next)(void*, int, Text), void* program, int count, Text options) {
  const int result = next ? next(program, count, options) : kRtcInternal;
  if (result == 0) {
    with_runtime([&](Runtime& runtime) {
      runtime.programs.compiled(program, {options, static_cast<size_t>(std::max(count, 0))});
    });
  }
  return result;
}

inline int get_code(int (*next)(void*, char*), void* program, char* code) {
  const int result = next ? next(program, code) : kRtcInternal;
  if (result == 0 && code) {
    with_runtime([&](Runtime& runtime) {
      if (const Bytes object = gpu().code_at(code); !object.empty()) runtime.programs.gave_code(program, object);
    });
  }
  return result;
}

inline int destroy_program(int (*next)(void**), void** program) {
  if (program) with_runtime([&](Runtime& runtime) { runtime.programs.destroyed(*program); });
  return next ? next(program) : kRtcInternal;
}

}  // namespace kernloop::pgo::runtime
