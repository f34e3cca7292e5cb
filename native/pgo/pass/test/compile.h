// clang 22 with the plugin, run by tests.
#pragma once

#include <sys/wait.h>
#include <array>
#include <cstdio>
#include <string>

namespace kernloop::pgo_pass {

struct Outcome {
  int status;        // exit status of the command
  std::string text;  // stdout and stderr
};

inline Outcome runCommand(const std::string& command) {
  Outcome outcome{-1, {}};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 65536> buffer;
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) outcome.text.append(buffer.data(), size);
  const int ended = pclose(pipe);
  outcome.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  return outcome;
}

/// An option of the plugin, for clang's driver.
inline std::string pluginOption(const std::string& option) {
  return " -Xclang -mllvm -Xclang " + option;
}

}  // namespace kernloop::pgo_pass
