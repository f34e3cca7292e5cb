// hipHostUnregister of HIP 5.2 ends the program if the device's address of registered memory is the host's.
#pragma once

namespace kernloop::softgpu::hip {

// Functions to call instead of `real`.
void* host_register_before(void* real);
void* host_unregister_before(void* real);

}  // namespace kernloop::softgpu::hip
