#include "sandbox/options.h"

#include <string_view>

#include "base/numbers.h"

namespace kernloop::sandbox {
namespace {

Error usage(const std::string& what) {
  return {
      "USAGE", what,
      "kernloop-sandbox --probe, or kernloop-sandbox --read PATH --write PATH --env NAME=VALUE [--limit-memory-bytes "
      "N] [--limit-file-bytes N] [--limit-folder-bytes N] [--limit-processes N] [--limit-cpu-seconds N] -- PROGRAM "
      "ARGUMENTS"};
}

bool is_option_of_texts(std::string_view name) {
  return name == "--read" || name == "--write" || name == "--env";
}

/// False if no option has this name.
bool set_number(Options& options, std::string_view name, uint64_t value) {
  if (name == "--limit-memory-bytes") {
    options.limits.memory_bytes = value;
  } else if (name == "--limit-file-bytes") {
    options.limits.file_bytes = value;
  } else if (name == "--limit-folder-bytes") {
    options.limits.folder_bytes = value;
  } else if (name == "--limit-processes") {
    options.limits.processes = value;
  } else if (name == "--limit-cpu-seconds") {
    options.limits.cpu_seconds = value;
  } else if (name == "--landlock-abi") {
    options.most_abi = static_cast<int>(std::min<uint64_t>(value, 1 << 16));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<Options> parse_options(std::span<const std::string_view> words) {
  Options options;
  size_t at = 0;
  for (; at < words.size() && words[at] != "--"; at += 2) {
    const std::string_view name = words[at];
    if (at + 1 == words.size()) return usage(std::string(name) + " has no value");
    const std::string_view text = words[at + 1];
    if (is_option_of_texts(name)) {
      auto& list = name == "--read" ? options.read : name == "--write" ? options.write : options.environment;
      if (name == "--env" && text.find('=', 1) == std::string_view::npos)
        return usage("--env " + std::string(text) + " is not NAME=VALUE");
      list.emplace_back(text);
      continue;
    }
    const auto value = number_of<uint64_t>(text);
    if (!value || *value == 0)
      return usage(std::string(name) + " " + std::string(text) + " is not a number above zero");
    if (!set_number(options, name, *value)) return usage("there is no option " + std::string(name));
  }
  for (++at; at < words.size(); ++at) options.command.emplace_back(words[at]);
  if (options.command.empty()) return usage("there is no program after --");
  return options;
}

}  // namespace kernloop::sandbox
