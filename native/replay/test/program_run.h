// A program of ours in a process of its own, and the events that it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "archive/manifest/manifest.h"
#include "base/testing/seen_events.h"

namespace kernloop::replay {

struct ProgramRun {
  int exit_code = -1;  // 1000 + signal when one ended it
  std::vector<archive::Json> events;
  uint64_t peak_bytes = 0;  // most memory that it had at once

  archive::Json last() const { return events.empty() ? archive::Json() : events.back(); }
  // The first event of that kind; null if there is none.
  archive::Json first(const std::string& kind) const {
    for (const archive::Json& event : events) {
      if (event.at("event") == kind) return event;
    }
    return nullptr;
  }
  // Events of that kind and of one side of a replay side by side.
  std::vector<archive::Json> of_side(const std::string& kind, const std::string& side) const {
    std::vector<archive::Json> found;
    for (const archive::Json& event : events) {
      if (event.at("event") == kind && event.value("side", "") == side) found.push_back(event);
    }
    return found;
  }
  size_t count(const std::string& kind) const {
    return static_cast<size_t>(
        std::count_if(events.begin(), events.end(), [&](auto& event) { return event.at("event") == kind; }));
  }
};

inline ProgramRun run_program(const std::string& program, std::vector<std::string> arguments,
                              const std::map<std::string, std::string>& environment) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::alarm(240);  // survives exec: a test never hangs
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  ::close(ends[0]);
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  ProgramRun run;
  run.peak_bytes = static_cast<uint64_t>(used.ru_maxrss) << 10;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto event = parse_json(line, "output line");
    EXPECT_TRUE(event) << line;
    if (!event) continue;
    saw_event(std::filesystem::path(program).filename(), *event);
    run.events.push_back(std::move(*event));
  }
  return run;
}

}  // namespace kernloop::replay
