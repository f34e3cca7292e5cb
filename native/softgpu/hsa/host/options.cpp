#include "softgpu/hsa/host/options.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "base/numbers.h"
#include "softgpu/engine/translate/compiler.h"
#include "softgpu/engine/translate/translator.h"

namespace kernloop::softgpu {
namespace {

Status read_number(const char* (*environment)(const char*), const char* name, uint64_t limit, uint64_t& value) {
  const char* text = environment(name);
  if (text == nullptr || *text == '\0') return Unit{};
  const auto parsed = number_of<uint64_t>(text);
  if (!parsed || *parsed > limit) {
    return Error{"BAD_OPTION", std::string(name) + "=" + text + " is not a number from 0 to " + std::to_string(limit),
                 "unset it or give a decimal number"};
  }
  value = *parsed;
  return Unit{};
}

struct Word {
  std::string_view name;
  bool* is_set;
};

Status read_words(const char* (*environment)(const char*), const char* variable, std::span<const Word> words) {
  const char* text = environment(variable);
  if (text == nullptr) return Unit{};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view given = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), given.size() + 1));
    bool is_known = false;
    for (const Word& word : words) {
      if (given != "all" && given != word.name) continue;
      *word.is_set = is_known = true;
    }
    if (is_known) continue;
    std::string names;
    for (const Word& word : words) names += ", " + std::string(word.name);
    return Error{"BAD_OPTION",
                 std::string(variable) + "=" + text + ": '" + std::string(given) + "' is none of its words",
                 "give all, or some of these with commas between them: " + names.substr(2)};
  }
  return Unit{};
}

// The engine reads the variable itself (translate/translator.h): here it is only judged.
Status check_translation(const char* (*environment)(const char*)) {
  const char* text = environment("KERNLOOP_SOFTGPU_TRANSLATE");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "off") return Unit{};
  const std::string given = std::string("KERNLOOP_SOFTGPU_TRANSLATE=") + text;
  if (!Translator::read_options(text))
    return Error{"BAD_OPTION", given + " is none of its words",
                 "give on, off, now, or a number of executions from 1 on"};
  if (const std::string problem = LaneCompiler::find_llvm(); !problem.empty()) {
    return Error{"BAD_OPTION", given + ": " + problem,
                 "install LLVM 15 or later (Debian: apt-get install libllvm15), name its libLLVM in "
                 "KERNLOOP_SOFTGPU_LLVM, or unset the variable"};
  }
  return Unit{};
}

}  // namespace

Result<Options> read_options(const char* (*environment)(const char*)) {
  Options options;
  const char* target = environment("KERNLOOP_SOFTGPU");
  if (target != nullptr && *target != '\0') options.target = target;
  const auto is_named = [&](Isa isa) { return options.target == isa_name(isa); };
  if (std::ranges::none_of(kExecutedIsas, is_named)) {
    return Error{"UNSUPPORTED_TARGET", "KERNLOOP_SOFTGPU=" + options.target + " is not a target of the software GPU",
                 "the supported targets are gfx90a, gfx1030, gfx942 and gfx1100"};
  }
  uint64_t threads = 0, log_level = 0, api_tables = 1;
  if (Status s = read_number(environment, "KERNLOOP_SOFTGPU_THREADS", 4096, threads); !s) return s.error();
  if (Status s = read_number(environment, "KERNLOOP_SOFTGPU_LOG", 3, log_level); !s) return s.error();
  if (Status s = read_number(environment, "KERNLOOP_SOFTGPU_API_TABLES", 2, api_tables); !s) return s.error();
  if (api_tables == 0) {
    return Error{"BAD_OPTION", "KERNLOOP_SOFTGPU_API_TABLES=0 is no version of the HSA API tables",
                 "give 1 (ROCm 5.2) or 2 (ROCm 6 and later)"};
  }
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  if (Status s = read_number(environment, "KERNLOOP_SOFTGPU_SEED", kAny, options.seed); !s) return s.error();
  if (Status s = read_number(environment, "KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS", kAny, options.max_wave_instructions); !s)
    return s.error();
  if (Status s = check_translation(environment); !s) return s.error();
  Checks& checks = options.checks;
  const Word of_checks[] = {{"bounds", &checks.bounds},
                            {"uninitialized", &checks.uninitialized},
                            {"races", &checks.races},
                            {"waits", &checks.waits}};
  if (Status s = read_words(environment, "KERNLOOP_SOFTGPU_CHECK", of_checks); !s) return s.error();
  const Word of_faults[] = {{"lds", &options.faults_past_lds}};
  if (Status s = read_words(environment, "KERNLOOP_SOFTGPU_FATAL", of_faults); !s) return s.error();
  Hostility& hostility = options.hostility;
  const Word of_hostility[] = {{"writer-once", &hostility.writer_once},
                               {"cooperative", &hostility.cooperative},
                               {"failed-frees", &hostility.failed_frees},
                               {"old-driver", &hostility.old_driver},
                               {"xnack", &hostility.xnack}};
  if (Status s = read_words(environment, "KERNLOOP_SOFTGPU_HOSTILE", of_hostility); !s) return s.error();
  options.threads = static_cast<uint32_t>(threads);
  options.log_level = static_cast<int>(log_level);
  options.api_tables = static_cast<int>(api_tables);
  return options;
}

}  // namespace kernloop::softgpu
