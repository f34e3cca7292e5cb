#include "pgo/collect/log.h"

#include <cstdio>
#include <cstdlib>

namespace kernloop::pgo {

bool verbose() {
  const char* value = std::getenv("LLVM_PROFILE_VERBOSE");
  return value && *value && std::string(value) != "0";
}

void note(const std::string& text) {
  if (verbose()) std::fprintf(stderr, "kernloop-pgo: %s\n", text.c_str());
}

void warn(const std::string& text) {
  std::fprintf(stderr, "kernloop-pgo: warning: %s\n", text.c_str());
}

void warn(const Error& error) {
  std::fprintf(stderr, "kernloop-pgo: error: %s (%s)\n  -> %s\n", error.message.c_str(), error.code.c_str(),
               error.hint.c_str());
}

}  // namespace kernloop::pgo
