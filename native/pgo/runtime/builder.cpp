#include "pgo/runtime/builder.h"

#include "base/json.h"
#include "pgo/runtime/child.h"

namespace kernloop::pgo::runtime {

Result<CacheEntry> Builder::open(const std::string& request) const {
  return ask({"open"}, request);
}

Result<CacheEntry> Builder::use(const std::filesystem::path& folder, const std::filesystem::path& raw,
                                const std::set<std::string>& kernels) const {
  return ask({"use", "--folder", folder.string(), "--profile", raw.string()}, json_text(kernels));
}

Result<CacheEntry> Builder::forget(const std::filesystem::path& folder) const {
  return ask({"forget", "--folder", folder.string()}, "");
}

Result<CacheEntry> Builder::ask(std::vector<std::string> words, const std::string& input) const {
  words.insert(words.begin(), config_.builder.string());
  words.insert(words.end(), {"--config", config_.path.string()});
  // Others may be building the same program, and there are several compilations to it.
  constexpr double kCompilations = 16;
  const ChildEnd ended = run_child({words, plain_environment(), input, kCompilations * config_.compile_limit_seconds});
  const auto answer = parse_json(ended.output, "the answer");
  if (!answer || !answer->is_object()) {
    return Error{"NATIVE_FAILED",
                 config_.builder.string() + " gave no answer: " + ended.problem + " " + ended.errors.substr(0, 300),
                 "install kernloop once more"};
  }
  const Json& event = *answer;
  const auto error_in = [](const nlohmann::json& from) {
    return Error{from.value("code", ""), from.value("message", ""), from.value("hint", "")};
  };
  if (event.value("event", "") != "entry") return error_in(event);
  CacheEntry entry;
  entry.folder = event.at("folder").get<std::string>();
  event.at("instrumented").get_to(entry.instrumented);
  event.at("production").get_to(entry.production);
  event.at("gate").get_to(entry.gate);
  entry.compiled = event.value("compiled", false);
  entry.known = event.value("known", false);
  if (const auto& profile = event.at("profile"); profile.is_object())
    entry.profile = {profile.at("id"), profile.at("raw").get<std::string>(),
                     profile.at("kernels").get<std::set<std::string>>()};
  if (event.contains("problem")) entry.problem = error_in(event.at("problem"));
  return entry;
}

}  // namespace kernloop::pgo::runtime
