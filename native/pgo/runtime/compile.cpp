#include "pgo/runtime/compile.h"

#include "base/json.h"
#include "base/process_name.h"
#include "pgo/format/files.h"
#include "pgo/format/merge.h"
#include "pgo/format/write.h"
#include "pgo/runtime/child.h"
#include "pgo/runtime/nvrtc_options.h"

namespace kernloop::pgo::runtime {

namespace {

// For one compilation, and gone with it.
class Scratch {
 public:
  explicit Scratch(const fs::path& folder) : path_(folder / (".partial-" + process_name())) {
    std::error_code problem;
    fs::remove_all(path_, problem);
    fs::create_directories(path_, problem);
  }
  ~Scratch() {
    std::error_code problem;
    fs::remove_all(path_, problem);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void append_words(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<std::string> plugin_option(const std::string& option) {
  return {"-Xclang", "-mllvm", "-Xclang", "-" + option};
}

// Options only for HIPRTC, and options for the architecture, which is that of the code that it made.
bool is_for_hiprtc(const std::string& option) {
  for (const char* prefix : {"--gpu-architecture", "--offload-arch", "-hip-pch"}) {
    if (option.starts_with(prefix)) return true;
  }
  return false;
}

std::string tail_of(const std::string& text) {
  const std::string errors = text.substr(0, 600);
  return errors.empty() ? "it said nothing" : errors;
}

struct Cost {
  uint64_t spills = 0;
  std::optional<double> score = 0.0;
};

// Cost from the plugin's report after register allocation.
Cost cost_in(const fs::path& report) {
  Cost cost;
  const auto bytes = read_file(report);
  if (!bytes) return {0, std::nullopt};
  const auto json = parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, report.string());
  if (!json || !json->is_object()) return {0, std::nullopt};
  for (const auto& function : json->at("functions")) {
    if (function.contains("spills"))
      cost.spills += function["spills"].value("store_dwords", 0ull) + function["spills"].value("load_dwords", 0ull);
    const auto score = function.find("score");
    if (score == function.end() || !score->is_number()) {
      if (score != function.end()) cost.score = std::nullopt;
    } else if (cost.score) {
      *cost.score += score->get<double>();
    }
  }
  return cost;
}

}  // namespace

std::set<fs::path> files_in_rule(const std::string& rule) {
  std::set<fs::path> files;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && word.back() != ':') files.insert(fs::absolute(word).lexically_normal());
    word.clear();
  };
  for (size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (c == '\\' && (next == '\n' || next == ' ' || next == '#')) {
      ++i;
      if (next == '\n') {
        end_word();
      } else {
        word += next;
      }
    } else if (c == '$' && next == '$') {
      ++i;
      word += '$';
    } else if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

Result<Compiler::Compiled> Compiler::compile(const fs::path& folder, const std::string& name,
                                             const std::vector<std::string>& more) const {
  const auto& request = program_.request();
  const fs::path output = folder / (name + ".co"), rule = folder / (name + ".d");
  std::vector<std::string> words = {config_.clang};
  append_words(words, config_.arguments);
  words.push_back("--offload-arch=" + request.at("target").get<std::string>());
  words.push_back("-cuid=" + program_.key().substr(0, 16));
  words.push_back("-I" + program_.headers().string());
  if (program_.is_cuda()) {
    auto translated = words_of_nvrtc(request.at("options"));
    if (!translated) return translated.error();
    append_words(words, translated->words);
    words.push_back("-c");
  } else {
    for (const auto& option : request.at("options")) {
      const std::string word = option;
      if (!is_for_hiprtc(word)) words.push_back(word);
    }
  }
  append_words(words, more);
  append_words(words, {"-Xclang", "-dependency-file", "-Xclang", rule.string(), "-Xclang", "-MT", "-Xclang", "code",
                       "-Xclang", "-sys-header-deps", "-Wno-unused-command-line-argument", "-o", output.string(),
                       program_.source().string()});
  const ChildEnd ended = run_child({words, plain_environment(), "", config_.compile_limit_seconds});
  std::error_code problem;
  if (!ended.ran || !fs::exists(output, problem)) {
    return Error{"COMPILE_FAILED", "clang 22 does not compile it (" + ended.problem + "): " + tail_of(ended.errors),
                 "the app's own code runs; " + program_.source().string() + " is what was compiled"};
  }
  const auto read = read_file(rule);
  if (!read) return read.error();
  return Compiled{output, files_in_rule({read->begin(), read->end()})};
}

Result<fs::path> Compiler::instrumented(bool& built) const {
  const fs::path code = program_.built() / "instrumented.co";
  if (!program_.built().empty() && program_.has(code)) return code;
  if (config_.clang.empty())
    return Error{"ENVIRONMENT_LLVM_MISSING", "there is no clang 22 here, and no such code in the cache",
                 "sudo apt-get install clang-22 lld-22 llvm-22 llvm-22-dev"};
  const Scratch scratch(program_.built());
  auto compiled = compile(scratch.path(), "instrumented", config_.generate);
  if (!compiled) return compiled.error();
  built = true;
  if (auto kept = program_.keep(code, compiled->code, compiled->read, nlohmann::json::object()); !kept)
    return kept.error();
  return code;
}

// The indexed profile and its side file, from the raw one.
Status Compiler::index(const CachedProfile& profile, const fs::path& folder) const {
  const auto profiles = read_profiles(profile.raw);
  if (!profiles) return profiles.error();
  Merger merger({});
  for (const Profile& one : *profiles) {
    if (auto added = merger.add(one, 1, profile.raw.string()); !added) return added;
  }
  const Profile merged = merger.result();
  const auto text = write_text(merged);
  if (!text) return text.error();
  const fs::path lines = folder / "merged.proftext", indexed = folder / "merged.profdata";
  if (auto done = write_text_file(lines, *text); !done) return done;
  const std::string waves = write_waves_json(merged, to_text(merged.sampling));
  if (auto done = write_text_file(folder / "merged.waves.json", waves); !done) return done;
  const ChildEnd ended =
      run_child({{config_.profdata, "merge", "--failure-mode=any", "-o", indexed.string(), lines.string()},
                 plain_environment(),
                 "",
                 config_.compile_limit_seconds});
  if (ended.ran) return kernloop::Unit{};
  return Error{"NATIVE_FAILED", "llvm-profdata: " + ended.problem + ": " + tail_of(ended.errors),
               "check that llvm-profdata is of LLVM 22 (`kernloop doctor`)"};
}

Result<fs::path> Compiler::production(const CachedProfile& profile, bool& built) const {
  const fs::path code = program_.profile_folder(profile.id) / "production.co";
  if (program_.has(code)) return code;
  if (config_.clang.empty())
    return Error{"ENVIRONMENT_LLVM_MISSING", "there is no clang 22 here, and the cache has no code of this profile",
                 "sudo apt-get install clang-22 lld-22 llvm-22 llvm-22-dev"};
  const Scratch scratch(program_.built());
  if (auto done = index(profile, scratch.path()); !done) return done.error();
  nlohmann::json scores = nlohmann::json::object();
  std::optional<Compiled> best;
  std::string chosen;
  double least = 0;
  std::vector<std::string> names = config_.gates;
  names.push_back("base");
  for (const std::string& name : names) {
    const bool base = name == "base";
    const fs::path report = scratch.path() / (name + ".json");
    std::vector<std::string> words = config_.use;
    append_words(words, plugin_option("kernloop-pgo-profile=" + (scratch.path() / "merged.profdata").string()));
    append_words(words, plugin_option("kernloop-pgo-waves=" + (scratch.path() / "merged.waves.json").string()));
    // ptxas places spills: there are no gates then.
    if (!program_.is_cuda()) append_words(words, plugin_option("kernloop-pgo-gate=" + (base ? "off" : name)));
    append_words(words, plugin_option("kernloop-pgo-report=" + report.string()));
    if (base) append_words(words, plugin_option("kernloop-pgo-weights=false"));
    auto compiled = compile(scratch.path(), name, words);
    if (!compiled) return compiled.error();
    const Cost cost = cost_in(report);
    if (cost.score) scores[name] = *cost.score;
    // The first is taken if no score distinguishes them; the code without weights only if it is better than all.
    if (!best || (cost.score && *cost.score < least)) {
      best = std::move(*compiled);
      chosen = name;
      least = cost.score.value_or(0);
    }
    // Gates are about spills alone.
    if (!cost.score || (*cost.score == 0 && cost.spills == 0)) break;
  }
  built = true;
  const nlohmann::json facts = {{"gate", chosen}, {"scores", scores}, {"profile", profile.id}};
  if (auto kept = program_.keep(code, best->code, best->read, facts); !kept) return kept.error();
  return code;
}

}  // namespace kernloop::pgo::runtime
