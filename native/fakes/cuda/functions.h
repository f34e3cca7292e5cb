// Attributes of functions, and checks whether a launch is possible.
#pragma once

#include <map>

#include "fakes/cuda/objects.h"

namespace kernloop::cuda::fake {

using Attributes = std::map<CUfunction_attribute, int>;

CUresult get_attribute(const ImageKernel& kernel, const Attributes& set, CUfunction_attribute attribute, int* value);
CUresult set_attribute(const ImageKernel& kernel, Attributes& set, CUfunction_attribute attribute, int value);

// If the launch gives no clusters, those of the function apply: compiled in, or set. Clusters that it gives must be the
// same.
CUresult complete_cluster(const CUfunc_st& function, LaunchShape& shape);

// The errors that a real driver gives for a shape that the device cannot run.
CUresult check_shape(const CUfunc_st& function, const LaunchShape& shape);
int resident_blocks(const ImageKernel& kernel, uint64_t threads, size_t dynamic_shared_bytes);

// Copies the parameters out of either form of a launch.
CUresult gather_parameters(const ImageKernel& kernel, void** parameters, void** extra, std::vector<uint8_t>* bytes);

}  // namespace kernloop::cuda::fake
