// A library's handlers of the program's end.
#pragma once

namespace kernloop::softgpu {

// From now on the library (a handle of dlopen) registers no destructors of static objects any more. Its code may then
// run while others end the program: what it makes from now on lives until the process is gone. False if the library
// registers them in a way that is not known.
bool drop_exit_handlers_of(void* library);

}  // namespace kernloop::softgpu
