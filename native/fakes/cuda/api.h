// The driver functions of the fake under the names of cuda.h without version suffix; exports.cpp makes the library's
// symbols of them, with callbacks around each.
#pragma once

#include "abi/cuda/driver.h"

namespace kernloop::cuda::fake {

#define FUNCTION(member, symbol, older, presence, parameters) CUresult member parameters;
#include "abi/cuda/driver_functions.def"
#undef FUNCTION

}  // namespace kernloop::cuda::fake
