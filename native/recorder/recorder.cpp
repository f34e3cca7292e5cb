// kernloop-recorder: runs beside the app, receives its agents' streams, and writes captures
// (docs/contributing/seams.md).
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>

#include "base/exit_code.h"
#include "base/option_table.h"
#include "recorder/server.h"

namespace kernloop::recorder {
namespace {

using archive::Json;

struct Arguments {
  std::filesystem::path socket, config;
};

Result<Arguments> parse_arguments(int count, char** words) {
  Arguments arguments;
  const OptionTable table("kernloop-recorder", {{"--socket", "PATH", into(arguments.socket), {.is_required = true}},
                                                {"--config", "FILE", into(arguments.config), {.is_required = true}}});
  const auto given = table.parse(std::vector<std::string>(words + 1, words + count));
  if (!given) return given.error();
  if (const auto missing = table.missing(*given)) return *missing;
  return arguments;
}

// Blocked in every thread, and read from a descriptor: cleaning up is then ordinary code.
FileDescriptor block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A closed stdout and a file-size limit are errors of a write, not deaths.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return FileDescriptor(signalfd(-1, &set, SFD_CLOEXEC));
}

int exit_code_of(const Error& error) {
  return error.code == "USAGE" || error.code == "CONFIG_INVALID" || error.code == "CAPTURE_BUSY" ||
                 error.code == "FILE_NOT_FOUND"
             ? kExitBadInput
             : kExitEnvironment;
}

int run(int count, char** values) {
  Events events(std::cout);
  const auto fail = [&](const Error& error) {
    events.error(error);
    return exit_code_of(error);
  };
  const FileDescriptor signals = block_signals();
  const auto arguments = parse_arguments(count, values);
  if (!arguments) return fail(arguments.error());
  const auto config = read_config(arguments->config);
  if (!config) return fail(config.error());

  SelectionBoard board(*config, events);
  if (auto claimed = board.claim_outputs(); !claimed) return fail(claimed.error());
  Profile profile;
  Totals totals;
  Shared shared{*config, events, board, profile, totals};
  Server server(shared);
  if (auto listening = server.listen(arguments->socket); !listening) return fail(listening.error());
  events.print(RecorderEvent::listening);

  const int signal_number = server.serve(STDIN_FILENO, signals.get());
  board.close();
  if (signal_number != 0) {
    events.error({"INTERRUPTED", std::string("stopped by ") + strsignal(signal_number), "capture again"});
    return 128 + signal_number;
  }
  Json summary = totals.summary();
  summary["selections"] = Json::array();
  for (uint32_t i = 0; i < config->selections.size(); ++i)
    summary["selections"].push_back({{"id", config->selections[i].id}, {"matches", totals.matches(i)}});
  summary["captured"] = board.captured_ids();
  summary["refused"] = board.refused_ids();
  if (config->mode == protocol::Mode::kProfile) {
    summary["kernel_profile"] = profile.rows();
    summary["kernel_launches"] = profile.launches();
    for (const std::string& text : profile.notes())
      events.print(RecorderEvent::note, {{"code", "PROFILE_LIMIT"}, {"text", text}});
  }
  events.print(RecorderEvent::summary, std::move(summary));
  return kExitPass;
}

}  // namespace
}  // namespace kernloop::recorder

int main(int argument_count, char** arguments) {
  return kernloop::recorder::run(argument_count, arguments);
}
