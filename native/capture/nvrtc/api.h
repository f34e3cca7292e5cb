// The part of nvrtc.h in use, in declarations of our own. Results are `nvrtcResult`: 0 is success.
#pragma once

#include <cstddef>

namespace kernloop::nvrtc {

using Program = void*;

struct Api {
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* header_contents,
                const char* const* header_names) = nullptr;
  int (*compile)(Program, int options, const char* const* option) = nullptr;
  int (*add_name_expression)(Program, const char* expression) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*version)(int* major, int* minor) = nullptr;
  int (*cubin_size)(Program, size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*ptx_size)(Program, size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
};

}  // namespace kernloop::nvrtc
