#include "sandbox/options.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/option_table.h"

namespace kernloop::sandbox {
namespace {

template <typename Number>
Option limit(const char* name, Number& value) {
  const auto parse = [](const std::string& text) {
    const auto number = number_of<uint64_t>(text);
    return number && *number > 0 ? number : std::nullopt;
  };
  return {name, "N", parsed(parse, value), {.expected = "a number above zero"}};
}

// NAME=VALUE
std::optional<std::string> parse_variable(const std::string& text) {
  return text.find('=', 1) == text.npos ? std::nullopt : std::optional(text);
}

}  // namespace

Result<Options> parse_options(std::span<const std::string> words) {
  Options options;
  uint64_t most_abi = static_cast<uint64_t>(options.most_abi);
  const OptionTable table("kernloop-sandbox --probe, or kernloop-sandbox",
                          {{"--read", "PATH", append_to(options.read), {.is_repeated = true}},
                           {"--write", "PATH", append_to(options.write), {.is_repeated = true}},
                           {"--env",
                            "NAME=VALUE",
                            append_parsed(parse_variable, options.environment),
                            {.is_repeated = true, .expected = "NAME=VALUE"}},
                           limit("--limit-memory-bytes", options.limits.memory_bytes),
                           limit("--limit-file-bytes", options.limits.file_bytes),
                           limit("--limit-folder-bytes", options.limits.folder_bytes),
                           limit("--limit-processes", options.limits.processes),
                           limit("--limit-cpu-seconds", options.limits.cpu_seconds),
                           limit("--landlock-abi", most_abi)},
                          "-- PROGRAM ARGUMENTS");
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto given = table.parse(words.first(static_cast<size_t>(end - words.begin())));
  if (!given) return given.error();
  options.most_abi = static_cast<int>(std::min<uint64_t>(most_abi, 1 << 16));
  if (end != words.end()) options.command.assign(end + 1, words.end());
  if (options.command.empty()) return table.wrong("there is no program after --");
  return options;
}

}  // namespace kernloop::sandbox
