#include "pgo/runtime/config.h"

#include "base/json.h"
#include "pgo/format/files.h"

namespace kernloop::pgo::runtime {

Result<Config> read_config(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  const auto parsed = parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path.string());
  if (!parsed) return Error{"PGO_RUNTIME_CONFIG", parsed.error().message, "run the app with `kernloop pgo-runtime`"};
  try {
    const Json& json = *parsed;
    if (json.at("schema") != "kernloop.pgo-runtime/1") throw std::runtime_error("it is of another schema");
    Config config;
    config.path = path;
    config.builder = json.at("builder").get<std::string>();
    config.cache = json.at("cache").get<std::string>();
    config.events = json.at("events").get<std::string>();
    const std::string mode = json.at("mode");
    config.mode = mode == "measure" ? Mode::kMeasure : mode == "production" ? Mode::kProduction : Mode::kAuto;
    json.at("measure_launches").get_to(config.measure_launches);
    json.at("sample_one_in").get_to(config.sample_one_in);
    json.at("window").get_to(config.window);
    json.at("bound").get_to(config.bound);
    json.at("compile_limit_seconds").get_to(config.compile_limit_seconds);
    json.at("clang").get_to(config.clang);
    json.at("profdata").get_to(config.profdata);
    json.at("conditions").get_to(config.conditions);
    json.at("arguments").get_to(config.arguments);
    json.at("generate").get_to(config.generate);
    json.at("use").get_to(config.use);
    json.at("gates").get_to(config.gates);
    if (config.measure_launches == 0 || config.window == 0) throw std::runtime_error("0 launches tell nothing");
    return config;
  } catch (const std::exception& problem) {
    return Error{"PGO_RUNTIME_CONFIG", path.string() + ": " + problem.what(),
                 "run the app with `kernloop pgo-runtime`"};
  }
}

}  // namespace kernloop::pgo::runtime
