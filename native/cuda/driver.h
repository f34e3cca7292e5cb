// The CUDA driver, reached by dlopen: no part of CUDA is needed to build, and a machine without it gets an error that
// says so.
#pragma once

#include <memory>
#include <string>

#include "abi/cuda/driver.h"
#include "base/result.h"

namespace kernloop::cuda {

// One member a function, named as in cuda.h without the version suffix: `cuMemAlloc` is cuMemAlloc_v2.
// driver_functions.def lists the form of each, and which may be null on older drivers (OPTIONAL).
struct Driver {
#define FUNCTION(member, symbol, older, presence, parameters) CUresult(*member) parameters = nullptr;
#include "abi/cuda/driver_functions.def"
#undef FUNCTION

  std::string path;  // the opened file: "libcuda.so.1" or KERNLOOP_CUDA_DRIVER
  int version = 0;   // cuDriverGetVersion: 13000 is CUDA 13.0

  // Opens the library named by KERNLOOP_CUDA_DRIVER, else libcuda.so.1; initialises nothing. It stays open for ever.
  // Errors: ENVIRONMENT_CUDA_DRIVER_MISSING, ENVIRONMENT_CUDA_DRIVER_TOO_OLD.
  static Result<std::shared_ptr<const Driver>> load();
  static Result<std::shared_ptr<const Driver>> load(const std::string& library);

  // "CUDA_ERROR_INVALID_VALUE (1): invalid argument".
  std::string describe(CUresult result) const;
};

// cuInit with its errors in words: ENVIRONMENT_CUDA_NO_DEVICE, ENVIRONMENT_CUDA_DRIVER_MISMATCH,
// ENVIRONMENT_CUDA_DRIVER_FAILED.
Status initialise(const Driver& driver);

}  // namespace kernloop::cuda
