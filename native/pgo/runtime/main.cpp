// kernloop-pgo-runtime: serves requests of the library in an app. `open` finds or makes the cache's entry of a program,
// `use` takes a measured profile and returns the code made of it, `build` makes what another machine lacks, `forget`
// lets the next process measure anew. One JSON object on stdout; requests come on stdin.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <set>

#include "base/events/pgo_runtime.h"
#include "base/json.h"
#include "base/option_table.h"
#include "pgo/runtime/compile.h"

namespace {

using namespace kernloop;
using namespace kernloop::pgo::runtime;

int print(const Json& event) {
  std::cout << ndjson(event) << std::endl;
  return 0;
}

int fail(const Error& error) {
  print(error_event(error));
  return 2;
}

struct Arguments {
  fs::path config, folder, profile;
};

OptionTable table_of(Arguments& arguments) {
  return OptionTable("kernloop-pgo-runtime open|use|build|forget",
                     {{"--config", "FILE", into(arguments.config), {.is_required = true}},
                      {"--folder", "FOLDER", into(arguments.folder)},
                      {"--profile", "FILE", into(arguments.profile), {.with = "--folder"}}});
}

Error wrong(const std::string& what) {
  Arguments none;
  return table_of(none).wrong(what);
}

struct Answer {
  Json event = {
      {"event", PgoRuntimeEvent::entry}, {"instrumented", ""}, {"production", ""}, {"gate", ""}, {"profile", nullptr}};
  bool compiled = false;

  void problem(const Error& error) {
    event["problem"] = {{"code", error.code}, {"message", error.message}, {"hint", error.hint}};
  }
  void describe(const CachedProfile& profile) {
    event["profile"] = {{"id", profile.id}, {"raw", profile.raw.string()}, {"kernels", profile.kernels}};
  }
  void instrumented(const Compiler& compiler) {
    const auto code = compiler.instrumented(compiled);
    if (!code) return problem(code.error());
    event["instrumented"] = code->string();
  }
  void production(const ProgramFolder& program, const Compiler& compiler, const CachedProfile& profile) {
    const auto code = compiler.production(profile, compiled);
    if (!code) return problem(code.error());
    event["production"] = code->string();
    event["gate"] = program.facts(*code).value("gate", "");
  }
};

int finish(Answer& answer, const ProgramFolder& program) {
  answer.event["folder"] = program.folder().string();
  answer.event["compiled"] = answer.compiled;
  return print(answer.event);
}

int open(const Config& config, const std::string& input) {
  const auto program = ProgramFolder::make(config, input);
  if (!program) return fail(program.error());
  if (auto locked = program->lock(); !locked) return fail(locked.error());
  const Compiler compiler(config, *program);
  Answer answer;
  answer.instrumented(compiler);
  if (config.mode != Mode::kMeasure) {
    if (const auto profile = program->current()) {
      answer.describe(*profile);
      answer.production(*program, compiler, *profile);
    }
  }
  return finish(answer, *program);
}

int use(const Config& config, const fs::path& folder, const fs::path& raw, const std::string& input) {
  const auto program = ProgramFolder::at(config, folder);
  if (!program) return fail(program.error());
  if (auto locked = program->lock(); !locked) return fail(locked.error());
  const auto kernels = parse_json(input, "the names of kernels");
  if (!kernels || !kernels->is_array() || program->built().empty())
    return fail(wrong("the names of the measured kernels are missing"));
  const auto names = kernels->get<std::set<std::string>>();
  Answer answer;
  auto profile = program->nearest(raw, names);
  answer.event["known"] = profile.has_value();
  if (!profile) {
    auto added = program->add_profile(raw, names);
    if (!added) return fail(added.error());
    profile = *added;
  }
  answer.describe(*profile);
  if (auto done = program->set_current(profile->id); !done) return fail(done.error());
  if (config.mode != Mode::kMeasure) answer.production(*program, Compiler(config, *program), *profile);
  return finish(answer, *program);
}

// Builds what another machine asked for and could not build: the code with counters, and that of the profile it
// measured.
int build(const Config& config, const fs::path& folder) {
  const auto program = ProgramFolder::at(config, folder);
  if (!program) return fail(program.error());
  if (auto locked = program->lock(); !locked) return fail(locked.error());
  const Compiler compiler(config, *program);
  Answer answer;
  answer.instrumented(compiler);
  // A workload that returns finds its code there, too.
  size_t profiles = 0;
  for (const CachedProfile& profile : program->profiles()) {
    answer.production(*program, compiler, profile);
    profiles += !answer.event["production"].get<std::string>().empty();
    answer.event["production"] = "";
  }
  answer.event["profiles"] = profiles;
  return finish(answer, *program);
}

int forget(const Config& config, const fs::path& folder) {
  const auto program = ProgramFolder::at(config, folder);
  if (!program) return fail(program.error());
  if (auto locked = program->lock(); !locked) return fail(locked.error());
  if (auto done = program->drop_current(); !done) return fail(done.error());
  Answer answer;
  return finish(answer, *program);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string command = words.empty() ? "" : words[0];
  Arguments arguments;
  const OptionTable table = table_of(arguments);
  const auto given = table.parse(std::span(words).subspan(words.empty() ? 0 : 1));
  if (!given) return fail(given.error());
  if (const auto missing = table.missing(*given)) return fail(*missing);
  const std::string input{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  const auto config = read_config(arguments.config);
  if (!config) return fail(config.error());
  const fs::path &folder = arguments.folder, &profile = arguments.profile;
  try {
    if (command == "open") return open(*config, input);
    if (command == "use") return use(*config, folder, profile, input);
    if (command == "build") return build(*config, folder);
    if (command == "forget") return forget(*config, folder);
  } catch (const std::exception& problem) {
    return fail(
        {"IO_ERROR", std::string("the cache cannot be used: ") + problem.what(), "remove the folder of the cache"});
  }
  return fail(table.wrong("unknown command " + command));
}
