// Exception that the readers of code objects throw internally; their entry points turn it into an Error.
#pragma once

#include <string>

namespace kernloop {

struct Malformed {
  std::string why;
};

}  // namespace kernloop
