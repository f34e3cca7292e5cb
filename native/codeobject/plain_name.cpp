#include <string_view>

#include "codeobject/code_object.h"

namespace kernloop::codeobject {

std::string plain_name(const std::string& demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)", kOpening = "<([{", kClosing = ">)]}";
  const std::string_view text = demangled;
  std::string name;
  size_t depth = 0;  // of brackets
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && text.substr(i).starts_with(kAnonymous)) {
      name += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && c == '(') {
      break;  // the parameters
    } else if (kOpening.find(c) != std::string_view::npos) {
      ++depth;
    } else if (kClosing.find(c) != std::string_view::npos) {
      depth -= depth != 0;
    } else if (depth == 0 && c == ' ') {
      name.clear();  // that was the return type
    } else if (depth == 0) {
      name += c;
    }
  }
  return name;
}

}  // namespace kernloop::codeobject
