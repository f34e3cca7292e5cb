// The HIP runtime of the program: libamdhip64, linked, or loaded by name.
#pragma once

namespace kernloop::softgpu::hip {

// glibc's, as the program's dlsym is ours.
void* real_dlsym(void* handle, const char* name);

// The next definition of a function after ours: that of another tool in front of HIP, or HIP's; nullptr if there is
// none.
void* next_function(const char* name);

// Whether this is code of HIP's library.
bool is_of_hip(const void* code);

// Whether the library is one whose functions all have gates: HIP 5.2.
bool knows_this_hip();

}  // namespace kernloop::softgpu::hip
