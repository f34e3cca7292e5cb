// The function that an app calls in place of another library's.
#pragma once

#include "interpose/row.h"

// INSTEAD_OF(result, name, (parameters)) { … }: the definition behind the gate of a row `instead_of name` (rows.S). In
// it, next_NAME() is the function that the app would have called; nullptr if there is none.
#define INSTEAD_OF(result, name, parameters)                                                          \
  extern "C" __attribute__((visibility("hidden"))) kernloop::interpose::Row kernloop_row_##name;      \
  [[maybe_unused]] static auto next_##name() {                                                        \
    return reinterpret_cast<result(*) parameters>(kernloop::interpose::next_of(kernloop_row_##name)); \
  }                                                                                                   \
  extern "C" __attribute__((visibility("hidden"))) result kernloop_instead_of_##name parameters;      \
  result kernloop_instead_of_##name parameters
