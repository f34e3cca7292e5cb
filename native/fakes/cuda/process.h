// The driver's state in this process: whether it was initialised, the contexts, and which one each thread uses.
#pragma once

#include <vector>

#include "fakes/cuda/objects.h"

namespace kernloop::cuda::fake {

// cuInit. In a forked child the driver is, as the real one, not initialised and cannot be.
CUresult initialise_process();
CUresult check_initialised();
bool has_ended();

// State that a call in the current context needs.
struct Here {
  CUcontext context = nullptr;
  CUresult error = CUDA_SUCCESS;  // no context, or one that a fault has made unusable
};
Here here();

std::vector<CUcontext>& context_stack();  // this thread's; the current one is last
CUcontext current_context();              // null: none

CUcontext create_context(int device, unsigned int flags, bool primary);
void destroy_context(CUcontext context);
CUresult retain_primary(int device, CUcontext* context);
CUresult release_primary(int device);
CUresult reset_primary(int device);
void primary_state(int device, unsigned int* flags, int* active);
CUresult set_primary_flags(int device, unsigned int flags);

// Makes the context unusable for ever.
void poison(CUcontext context, CUresult error);

}  // namespace kernloop::cuda::fake
