// Runs another program to its end: by its arguments alone, without a shell, and with an explicit environment.
#pragma once

#include <string>
#include <vector>

namespace kernloop::pgo::runtime {

struct ChildRequest {
  std::vector<std::string> words;        // the program first, as a path
  std::vector<std::string> environment;  // NAME=VALUE
  std::string input;
  double limit_seconds = 600;
};

struct ChildEnd {
  bool ran = false;  // it was started, and ended by itself with 0
  std::string output, errors;
  std::string problem;  // how it ended, if not successfully
};

ChildEnd run_child(const ChildRequest& request);

// Variables of this process's environment by which programs find their files; none that changes their behaviour.
std::vector<std::string> plain_environment();

}  // namespace kernloop::pgo::runtime
