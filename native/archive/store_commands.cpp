#include <functional>
#include <map>

#include "archive/commands.h"
#include "archive/upkeep/store_check.h"
#include "archive/upkeep/store_gc.h"
#include "base/numbers.h"
#include "base/option_table.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

struct StoreArguments {
  fs::path store;
  std::vector<fs::path> roots, skip, others;
  uint64_t grace_seconds = 0;
  bool dry_run = false;
};

template <typename Items, typename Describe>
Json listed(const Items& items, Describe&& describe) {
  Json list = Json::array();
  for (size_t i = 0; i < items.size() && i < kProblemsListed; ++i) list.push_back(describe(items[i]));
  return list;
}

Json problem_json(const StoreProblem& problem) {
  const Json captures = listed(problem.captures, [](const fs::path& path) { return Json(path.string()); });
  return {{"sha256", problem.digest.hex()}, {"message", problem.message}, {"captures", captures}};
}

Json unreadable_json(const Error& error) {
  return {{"code", error.code}, {"message", error.message}};
}

Result<CaptureScan> scan(const StoreArguments& arguments) {
  std::vector<fs::path> skip = arguments.skip;
  skip.push_back(arguments.store);
  return scan_captures(arguments.roots, skip);
}

int verify(const StoreArguments& arguments) {
  const auto captures = scan(arguments);
  if (!captures) return print(error_event(captures.error()));
  const auto check = check_store(arguments.store, *captures, arguments.others);
  if (!check) return print(error_event(check.error()));
  print({{"event", ArchiveEvent::store_verified},
         {"chunks", check->chunks},
         {"bytes_stored", check->bytes},
         {"captures", check->captures},
         {"damaged_count", check->damaged.count},
         {"damaged", listed(check->damaged.listed, problem_json)},
         {"missing_count", check->missing.count},
         {"missing", listed(check->missing.listed, problem_json)},
         {"unreadable", listed(check->unreadable, unreadable_json)}});
  return check->damaged.count == 0 && check->missing.count == 0 && check->unreadable.empty() ? kExitPass : kExitFail;
}

int stats(const StoreArguments& arguments) {
  const auto captures = scan(arguments);
  if (!captures) return print(error_event(captures.error()));
  const auto stats = measure_store(arguments.store, *captures);
  if (!stats) return print(error_event(stats.error()));
  Json uses = Json::array();
  for (const CaptureUse& use : stats->captures) {
    uses.push_back({{"path", use.directory.string()},
                    {"kernel", use.kernel},
                    {"chunks", use.chunks},
                    {"bytes_stored", use.bytes},
                    {"bytes_own", use.bytes_own},
                    {"chunks_missing", use.chunks_missing}});
  }
  return print({{"event", ArchiveEvent::store_stats},
                {"chunks", stats->chunks},
                {"bytes_stored", stats->bytes_stored},
                {"bytes_raw", stats->bytes_raw},
                {"chunks_shared", stats->chunks_shared},
                {"bytes_shared", stats->bytes_shared},
                {"chunks_unused", stats->chunks_unused},
                {"bytes_unused", stats->bytes_unused},
                {"captures", uses},
                {"unreadable", listed(stats->unreadable, unreadable_json)}});
}

int collect(const StoreArguments& arguments) {
  const auto result = collect_garbage({arguments.store, arguments.roots, arguments.skip,
                                       std::chrono::seconds(arguments.grace_seconds), arguments.dry_run});
  if (!result) return print(error_event(result.error()));
  return print({{"event", ArchiveEvent::store_collected},
                {"dry_run", arguments.dry_run},
                {"captures", result->captures},
                {"chunks_kept", result->chunks_kept},
                {"bytes_kept", result->bytes_kept},
                {"chunks_recent", result->chunks_recent},
                {"bytes_recent", result->bytes_recent},
                {"chunks_removed", result->chunks_removed},
                {"bytes_removed", result->bytes_removed}});
}

// Seconds, up to a hundred years: more would overflow as nanoseconds.
std::optional<uint64_t> parse_seconds(const std::string& text) {
  constexpr uint64_t kMax = 100ull * 366 * 24 * 3600;
  const auto seconds = number_of<uint64_t>(text);
  return seconds && *seconds <= kMax ? seconds : std::nullopt;
}

OptionTable table_of(StoreArguments& arguments) {
  return OptionTable("kernloop-archive store-verify|store-stats|store-gc STORE",
                     {{"--root", "DIR", append_to(arguments.roots), {.is_repeated = true}},
                      {"--skip", "DIR", append_to(arguments.skip), {.is_repeated = true}},
                      {"--store", "DIR", append_to(arguments.others), {.is_repeated = true}},
                      {"--grace-seconds",
                       "N",
                       parsed(parse_seconds, arguments.grace_seconds),
                       {.expected = "a whole number, up to a hundred years"}},
                      {"--dry-run", "", set(arguments.dry_run)}});
}

Result<StoreArguments> parse(const std::vector<std::string>& words) {
  StoreArguments arguments;
  const OptionTable table = table_of(arguments);
  std::vector<std::string> stores;
  if (const auto given = table.parse(std::span(words).subspan(1), &stores); !given) return given.error();
  if (stores.size() != 1) return table.wrong("exactly one store is needed");
  if (words[0] == "store-gc" && arguments.roots.empty())
    return table.wrong("store-gc needs --root: it keeps what the captures there name");
  arguments.store = stores[0];
  return arguments;
}

const std::map<std::string, std::function<int(const StoreArguments&)>>& commands() {
  static const std::map<std::string, std::function<int(const StoreArguments&)>> table = {
      {"store-verify", verify}, {"store-stats", stats}, {"store-gc", collect}};
  return table;
}

}  // namespace

bool is_store_command(const std::string& verb) {
  return commands().contains(verb);
}

int run_store_command(const std::vector<std::string>& words) {
  const auto arguments = parse(words);
  if (!arguments) return print(error_event(arguments.error()));
  return commands().at(words[0])(*arguments);
}

std::string store_usage() {
  StoreArguments none;
  return table_of(none).usage();
}

}  // namespace kernloop::archive
