// A name for temporary files of this process.
#pragma once

#include <unistd.h>

#include <string>

namespace kernloop {

// The number alone may be that of a process of another machine or container that shares the folder. partialOf of
// lib/support/leftovers.ts has the same form.
inline std::string process_name() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return std::string(host) + "-" + std::to_string(getpid());
}

}  // namespace kernloop
