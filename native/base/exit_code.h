// Exit codes of programs (docs/contributing/seams.md).
#pragma once

namespace kernloop {

enum ExitCode : int {
  kExitPass = 0,
  kExitFail = 1,
  kExitBadInput = 2,
  kExitVacuous = 3,
  kExitDevice = 4,
  kExitEnvironment = 5,
};

}  // namespace kernloop
