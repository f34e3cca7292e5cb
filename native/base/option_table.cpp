#include "base/option_table.h"

#include <algorithm>

namespace kernloop {

namespace {

template <typename Value>
TakeValue not_empty(Value& value) {
  return [&value](const std::string& text) {
    value = text;
    return !text.empty();
  };
}

template <typename Value>
TakeValue append_not_empty(std::vector<Value>& values) {
  return [&values](const std::string& text) {
    values.emplace_back(text);
    return !text.empty();
  };
}

}  // namespace

OptionTable::OptionTable(std::string program, std::vector<Option> options, std::string rest)
    : program_(std::move(program)), options_(std::move(options)), rest_(std::move(rest)) {}

std::string OptionTable::usage() const {
  std::string text = program_;
  for (const Option& option : options_) {
    if (option.facts.with.empty()) text += " " + usage_of(option);
  }
  return rest_.empty() ? text : text + " " + rest_;
}

std::string OptionTable::usage_of(const Option& option) const {
  std::string text = option.name;
  if (!option.value.empty()) text += " " + option.value;
  for (const Option& addition : options_) {
    if (addition.facts.with == option.name) text += " " + usage_of(addition);
  }
  if (!option.facts.is_required) text = "[" + text + "]";
  return option.facts.is_repeated ? text + "…" : text;
}

Error OptionTable::wrong(const std::string& what) const {
  return {"USAGE", what, usage()};
}

Result<std::set<std::string>> OptionTable::parse(std::span<const std::string> words,
                                                 std::vector<std::string>* operands) const {
  std::set<std::string> given;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& name = words[i];
    const auto option =
        std::find_if(options_.begin(), options_.end(), [&](const Option& known) { return known.name == name; });
    if (option == options_.end() && operands != nullptr && !name.starts_with("--")) {
      operands->push_back(name);
      continue;
    }
    if (option == options_.end()) return wrong("unknown option " + name);
    given.insert(name);
    if (option->value.empty()) {
      option->take("");
      continue;
    }
    if (++i == words.size()) return wrong(name + " needs a value");
    if (option->take(words[i])) continue;
    const std::string& expected = option->facts.expected;
    return wrong(name + " does not take \"" + words[i] + "\"" + (expected.empty() ? "" : ": it takes " + expected));
  }
  return given;
}

std::optional<Error> OptionTable::missing(const std::set<std::string>& given) const {
  for (const Option& option : options_) {
    const bool is_needed = option.facts.is_required && (option.facts.with.empty() || given.contains(option.facts.with));
    if (is_needed && !given.contains(option.name)) return wrong(option.name + " is missing");
  }
  return std::nullopt;
}

TakeValue set(bool& flag) {
  return [&flag](const std::string&) { return flag = true; };
}
TakeValue into(std::string& text) {
  return not_empty(text);
}
TakeValue into(std::filesystem::path& path) {
  return not_empty(path);
}
TakeValue into(std::optional<std::filesystem::path>& path) {
  return not_empty(path);
}
TakeValue append_to(std::vector<std::string>& texts) {
  return append_not_empty(texts);
}
TakeValue append_to(std::vector<std::filesystem::path>& paths) {
  return append_not_empty(paths);
}

}  // namespace kernloop
