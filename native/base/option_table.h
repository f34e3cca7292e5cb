// The command line of a program as one table: it is parsed by the table, and the usage text comes from it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kernloop {

// False: the option does not take this value.
using TakeValue = std::function<bool(const std::string& text)>;

struct OptionFacts {
  std::string with = {};     // option that this one is an addition to, for the usage text
  bool is_required = false;  // if it is an addition: required if that other option is given
  bool is_repeated = false;
  std::string expected = {};  // values that it takes, for the error about another one
};

struct Option {
  std::string name;   // "--store"
  std::string value;  // the value's name in the usage text: "DIR"; empty for a switch, which takes no value
  TakeValue take;
  OptionFacts facts = {};
};

class OptionTable {
 public:
  // The usage text has `program` in front of the options, which follow in their order, each with its additions, and
  // `rest` behind them.
  OptionTable(std::string program, std::vector<Option> options, std::string rest = "");

  std::string usage() const;
  // USAGE, with the usage text as its hint.
  Error wrong(const std::string& what) const;

  // Hands each value to its option, in the order of the words. Returns the names of the given options. Words that do
  // not begin with "--" are operands: they are unknown options if the program takes none.
  Result<std::set<std::string>> parse(std::span<const std::string> words,
                                      std::vector<std::string>* operands = nullptr) const;
  // The first required option that is not among these names.
  std::optional<Error> missing(const std::set<std::string>& given) const;

 private:
  std::string usage_of(const Option& option) const;

  std::string program_;
  std::vector<Option> options_;
  std::string rest_;
};

TakeValue set(bool& flag);
// Texts and paths must not be empty.
TakeValue into(std::string& text);
TakeValue into(std::filesystem::path& path);
TakeValue into(std::optional<std::filesystem::path>& path);
TakeValue append_to(std::vector<std::string>& texts);
TakeValue append_to(std::vector<std::filesystem::path>& paths);

// `parse` returns an optional value; none: the text is no such value.
template <typename Parse, typename Value>
TakeValue parsed(Parse parse, Value& value) {
  return [parse, &value](const std::string& text) {
    auto result = parse(text);
    if (result) value = std::move(*result);
    return result.has_value();
  };
}

template <typename Parse, typename Value>
TakeValue append_parsed(Parse parse, std::vector<Value>& values) {
  return [parse, &values](const std::string& text) {
    auto result = parse(text);
    if (result) values.push_back(std::move(*result));
    return result.has_value();
  };
}

// One of these words.
template <typename Value>
TakeValue chosen(std::map<std::string, Value> choices, Value& value) {
  return [choices = std::move(choices), &value](const std::string& text) {
    const auto choice = choices.find(text);
    if (choice != choices.end()) value = choice->second;
    return choice != choices.end();
  };
}

}  // namespace kernloop
