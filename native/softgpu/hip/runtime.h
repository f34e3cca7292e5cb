// The HIP runtime of the program: libamdhip64, linked, or loaded by name.
#pragma once

namespace kernloop::softgpu::hip {

// The next definition of a function of HIP, or of a library that HIP needs; nullptr if there is none.
void* next_function(const char* name);

// Whether this is code of HIP's library.
bool is_of_hip(const void* code);

// Whether the library is one whose functions all have gates: HIP 5.2.
bool knows_this_hip();

}  // namespace kernloop::softgpu::hip
