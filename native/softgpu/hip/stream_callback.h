// hipStreamAddCallback hands its callback a hipError_t of its own.
#pragma once

namespace kernloop::softgpu::hip {

// Function to call instead of `real`.
void* stream_add_callback_before(void* real);

}  // namespace kernloop::softgpu::hip
