#include <cctype>
#include <string_view>

#include "codeobject/code_object.h"

namespace kernloop::codeobject {

namespace {

bool is_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

// The symbol behind `operator`, if `text` begins with that word: its brackets are none of a template. For conversions,
// `new` and literals only the space; a name follows.
std::string_view operator_symbol(std::string_view text, char before) {
  static constexpr std::string_view kSymbols[] = {"<=>", "<<=", ">>=", "->*", "()", "[]",     "<<",        ">>",
                                                  "<=",  ">=",  "->",  "<",   ">",  " new[]", " delete[]", " "};
  constexpr std::string_view kWord = "operator";
  if (!text.starts_with(kWord) || is_identifier(before)) return {};
  for (const std::string_view symbol : kSymbols) {
    if (text.substr(kWord.size()).starts_with(symbol)) return text.substr(0, kWord.size() + symbol.size());
  }
  return {};
}

}  // namespace

std::string plain_name(const std::string& demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)", kOpening = "<([{", kClosing = ">)]}";
  const std::string_view text = demangled;
  std::string name;
  size_t depth = 0;  // open brackets
  bool may_have_spaces = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const auto symbol = operator_symbol(text.substr(i), i == 0 ? ' ' : text[i - 1]); !symbol.empty()) {
      if (depth == 0) {
        name += symbol;
        may_have_spaces = true;  // `operator unsigned int`, `operator< <int>`
      }
      i += symbol.size() - 1;
    } else if (depth == 0 && text.substr(i).starts_with(kAnonymous)) {
      name += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && c == '(') {
      break;  // the parameters
    } else if (kOpening.find(c) != std::string_view::npos) {
      ++depth;
    } else if (kClosing.find(c) != std::string_view::npos) {
      depth -= depth != 0;
    } else if (depth == 0 && c == ' ' && !may_have_spaces) {
      name.clear();  // it was the return type
    } else if (depth == 0) {
      name += c;
    }
  }
  while (name.ends_with(' ')) name.pop_back();  // before template arguments
  return name;
}

}  // namespace kernloop::codeobject
