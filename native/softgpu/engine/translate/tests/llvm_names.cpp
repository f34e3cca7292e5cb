// A program that has an LLVM of its own, and exports it: names that take the place of the library's.
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] void* LLVMContextCreate() {
  std::abort();
}
