// CUPTI, reached by dlopen. A copy that the process has already loaded (PyTorch brings its own) is used, since two
// copies in one process do not work together.
#pragma once

#include <memory>
#include <string>

#include "abi/cuda/cupti.h"
#include "base/result.h"

namespace kernloop::cuda {

struct Cupti {
#define FUNCTION(name, presence, parameters) CUptiResult(*name) parameters = nullptr;
#include "abi/cuda/cupti_functions.def"
#undef FUNCTION

  std::string path;         // the opened file
  bool was_loaded = false;  // the process had it before: others may use it

  // Looks for, in this order: the library named by KERNLOOP_CUPTI; one that the process has loaded; one on the library
  // path; one in a toolkit's folder (CUDA_HOME, CUDA_PATH, /usr/local/cuda). Among several versions, the one that
  // matches the driver's comes first (`driver_version` as in Driver::version, 0: the newest known first). Errors:
  // ENVIRONMENT_CUPTI_MISSING (with what was tried), ENVIRONMENT_CUPTI_TOO_OLD.
  static Result<std::shared_ptr<const Cupti>> load(int driver_version = 0);

  // "CUPTI_ERROR_NOT_READY (13)".
  std::string describe(CUptiResult result) const;
};

// An error of subscribing or enabling, in words: CUPTI_BUSY (another tool has the one subscription),
// CUPTI_NOT_PERMITTED, …
Error subscription_error(const Cupti& cupti, CUptiResult result, const std::string& call);

}  // namespace kernloop::cuda
