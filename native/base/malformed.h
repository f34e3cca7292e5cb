// What the readers of code objects throw inside of themselves, to be turned into an Error where they are entered.
#pragma once

#include <string>

namespace kernloop {

struct Malformed {
  std::string why;
};

}  // namespace kernloop
