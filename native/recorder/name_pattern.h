// A pattern for kernel names: a regular expression of the user's, bounded so that the stack of a deep thread
// (deep_thread.h) is enough to compile it and to match any name with it.
#pragma once

#include <cstddef>
#include <regex>
#include <string>

#include "base/result.h"

namespace kernloop::recorder {

// As long as the longest name that is demangled: longer than any compiler makes. std::regex, which takes at most
// 100,000 states, has room for all of these bytes, whichever they are, if none repeats a part ({n}).
// lib/app/name-expression.ts has the same bounds.
inline constexpr size_t kMaxPatternBytes = size_t{16} << 10;
// Groups inside each other. Nested look-aheads each take memory in proportion to the whole expression.
inline constexpr size_t kMaxPatternNesting = 100;

struct NamePattern {
  std::regex regex;
  bool whole = false;  // it is to match a name from end to end, not a part of one

  // The message of an error is a clause about the expression: "has 20000 bytes, …". Called on a deep thread.
  static Result<NamePattern> compile(const std::string& expression, bool whole);

  // `plain` is the demangled name without parameters and template arguments. Called on a deep thread.
  bool matches(const std::string& symbol, const std::string& demangled, const std::string& plain) const;
};

}  // namespace kernloop::recorder
