// What the readers of cubins throw to parse_cubin, which turns it into an Error.
#pragma once

#include <string>

namespace kernloop::codeobject::cubin {

struct Malformed {
  std::string why;
};

}  // namespace kernloop::codeobject::cubin
