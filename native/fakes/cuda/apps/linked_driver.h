// The driver's functions as a program has them that links libcuda.so.1: `cuMemAlloc` is its symbol cuMemAlloc_v2.
#pragma once

#include "abi/cuda/driver.h"

namespace kernloop::cuda {

extern "C" {
#define FUNCTION(member, symbol, older, presence, parameters) CUresult member parameters __asm__(symbol);
#include "abi/cuda/driver_functions.def"
#undef FUNCTION

// Symbols of a program that was built for per-thread default streams.
decltype(cuLaunchKernel) cuLaunchKernel_ptsz;
decltype(cuStreamSynchronize) cuStreamSynchronize_ptsz;
}

}  // namespace kernloop::cuda
