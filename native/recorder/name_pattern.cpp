#include "recorder/name_pattern.h"

#include <algorithm>
#include <string_view>

namespace kernloop::recorder {

namespace {

// libstdc++'s matcher without back-references: no recursion over the name, and time that grows with its length alone.
// The default one recurses for each character and tries exponentially many ways, and names are as long as a program
// likes. Nobody asks what a group matched; to note it would take a copy of all groups at each step.
constexpr auto kSyntax =
    std::regex::ECMAScript | std::regex::optimize | std::regex::nosubs | std::regex_constants::__polynomial;

// Most groups that are open at once. Parentheses that are escaped, or in a class, are no groups.
size_t nesting_of(std::string_view expression) {
  size_t open = 0, most = 0;
  bool in_class = false;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char letter = expression[i];
    if (letter == '\\') {
      ++i;
    } else if (in_class) {
      in_class = letter != ']';
    } else if (letter == '[') {
      in_class = true;
    } else if (letter == '(') {
      most = std::max(most, ++open);
    } else if (letter == ')' && open > 0) {
      --open;
    }
  }
  return most;
}

Error beyond(const std::string& what, size_t bound) {
  return {"CONFIG_INVALID", "has " + what + ", and the recorder matches names with at most " + std::to_string(bound),
          "give a shorter expression: a part of the name that tells the kernel apart is enough"};
}

}  // namespace

Result<NamePattern> NamePattern::compile(const std::string& expression, bool whole) {
  if (expression.size() > kMaxPatternBytes)
    return beyond(std::to_string(expression.size()) + " bytes", kMaxPatternBytes);
  if (const size_t nesting = nesting_of(expression); nesting > kMaxPatternNesting)
    return beyond(std::to_string(nesting) + " groups inside each other", kMaxPatternNesting);
  try {
    NamePattern pattern{std::regex(expression, kSyntax), whole};
    // One pass finds a part of a name; regex_search would restart at each character.
    if (!whole) pattern.regex = std::regex("[\\s\\S]*(?:" + expression + ")[\\s\\S]*", kSyntax);
    return pattern;
  } catch (const std::regex_error& error) {
    return Error{
        "CONFIG_INVALID",
        std::string("is no ECMAScript regular expression that can be matched here: ") + error.what(),
        "give a simpler expression; docs/capture.md names what it may consist of",
    };
  }
}

bool NamePattern::matches(const std::string& symbol, const std::string& demangled, const std::string& plain) const {
  return std::regex_match(demangled, regex) || std::regex_match(symbol, regex) ||
         (whole && std::regex_match(plain, regex));
}

}  // namespace kernloop::recorder
