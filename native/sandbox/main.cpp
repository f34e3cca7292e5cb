// kernloop-sandbox: `kernloop-sandbox --read PATH --write PATH --env NAME=VALUE -- PROGRAM ARGUMENTS` runs a program
// that sees the named files and folders and nothing else: no network, no other process, no other environment
// (docs/contributing/sandbox.md). `--probe` says whether this machine allows it. stdout and exit code are the
// program's; errors of the sandbox are lines `kernloop-sandbox: error: …` on stderr: exit code 2 or 5 if the program
// was not started, 1 if it exceeded a limit.
#include <iostream>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/json.h"
#include "sandbox/options.h"
#include "sandbox/probe.h"
#include "sandbox/supervisor.h"

int main(int count, char** words) {
  using namespace kernloop;
  const std::vector<std::string> given(words + 1, words + count);
  if (given.size() == 1 && given[0] == "--probe") return sandbox::probe();
  const auto options = sandbox::parse_options(given);
  if (!options) {
    std::cout << ndjson(error_event(options.error())) << '\n';
    return kExitBadInput;
  }
  return sandbox::supervise(*options);
}
