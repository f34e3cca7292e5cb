#include "pgo/runtime/nvrtc_options.h"

#include <algorithm>
#include <map>

namespace kernloop::pgo::runtime {

namespace {

// Options for the architecture, which is the device's; for messages about the source; and those that change no code of
// ours.
constexpr const char* kWithoutAMeaning[] = {"gpu-architecture",
                                            "arch",
                                            "device-w",
                                            "dw",
                                            "generate-line-info",
                                            "lineinfo",
                                            "extensible-whole-program",
                                            "ewp",
                                            "dopt",
                                            "extra-device-vectorization",
                                            "disable-warnings",
                                            "w",
                                            "restrict",
                                            "display-error-number",
                                            "err-no",
                                            "no-display-error-number",
                                            "no-err-no",
                                            "diag-error",
                                            "diag-suppress",
                                            "diag-warn",
                                            "optimization-info",
                                            "opt-info",
                                            "builtin-move-forward",
                                            "builtin-initializer-list",
                                            "no-source-include",
                                            "version-ident",
                                            "optimize-unused-variables",
                                            "split-compile",
                                            "time",
                                            "minimal",
                                            "brief-diagnostics",
                                            "brief-diag",
                                            "pch",
                                            "create-pch",
                                            "use-pch",
                                            "pch-dir",
                                            "pch-verbose",
                                            "pch-messages",
                                            "modify-stack-limit",
                                            "jump-table-density",
                                            "device-stack-protector",
                                            "fdevice-time-trace",
                                            "Wreorder"};

const std::map<std::string, std::string> kFolders = {
    {"include-path", "-I"}, {"I", "-I"}, {"define-macro", "-D"}, {"D", "-D"}, {"undefine-macro", "-U"}, {"U", "-U"}};

void to_compiler(std::vector<std::string>& words, std::initializer_list<const char*> options) {
  for (const char* option : options) words.insert(words.end(), {"-Xclang", "-mllvm", "-Xclang", option});
}

Error refusal(const std::string& option) {
  return Error{"PGO_UNSUPPORTED", "it is compiled with " + option + ", which clang 22 is not told",
               "the app's own code runs"};
}

}  // namespace

Result<NvrtcOptions> words_of_nvrtc(const std::vector<std::string>& options) {
  NvrtcOptions result;
  std::vector<std::string>& words = result.words;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    // -DNAME and -Ifolder, of one word.
    if (option.size() > 2 && option[0] == '-' && (option[1] == 'D' || option[1] == 'I' || option[1] == 'U')) {
      words.push_back(option);
      continue;
    }
    const size_t dashes = option.starts_with("--") ? 2 : option.starts_with("-") ? 1 : 0;
    const size_t equals = option.find('=');
    const std::string name = option.substr(dashes, equals == option.npos ? option.npos : equals - dashes);
    std::string value = equals == option.npos ? "" : option.substr(equals + 1);
    if (dashes == 0 || name.empty()) return refusal(option);
    const bool takes_next = kFolders.contains(name) || name == "arch" || name == "gpu-architecture" || name == "std" ||
                            name == "pre-include" || name == "include" || name == "maxrregcount";
    if (equals == option.npos && takes_next && i + 1 < options.size()) value = options[++i];
    const bool off = value == "false" || value == "off";
    if (const auto folder = kFolders.find(name); folder != kFolders.end()) {
      words.push_back(folder->second + value);
    } else if (name == "pre-include" || name == "include") {
      words.insert(words.end(), {"-include", value});
    } else if (name == "std") {
      words.push_back("-std=" + value);
    } else if (name == "maxrregcount") {
      words.insert(words.end(), {"-Xcuda-ptxas", "-maxrregcount=" + value});
    } else if (name == "ptxas-options" || name == "Xptxas") {
      for (size_t at = 0; at <= value.size();) {
        const size_t end = std::min(value.find(',', at), value.size());
        if (end > at) words.insert(words.end(), {"-Xcuda-ptxas", value.substr(at, end - at)});
        at = end + 1;
      }
    } else if (name == "ftz") {
      if (!off) words.push_back("-fgpu-flush-denormals-to-zero");
    } else if (name == "prec-sqrt") {
      if (off) to_compiler(words, {"-nvptx-prec-sqrtf32=0"});
    } else if (name == "prec-div") {
      if (off) to_compiler(words, {"-nvptx-prec-divf32=1"});
    } else if (name == "fmad") {
      if (off) words.push_back("-ffp-contract=off");
    } else if (name == "use_fast_math") {
      words.insert(words.end(), {"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals"});
      to_compiler(words, {"-nvptx-prec-divf32=0", "-nvptx-prec-sqrtf32=0"});
    } else if (name == "device-as-default-execution-space" || name == "default-device") {
      result.all_on_device = true;
    } else if (name == "relocatable-device-code" || name == "rdc") {
      if (!off) return refusal(option);
    } else if (std::none_of(std::begin(kWithoutAMeaning), std::end(kWithoutAMeaning),
                            [&](const char* known) { return name == known; })) {
      return refusal(option);
    }
  }
  return result;
}

}  // namespace kernloop::pgo::runtime
