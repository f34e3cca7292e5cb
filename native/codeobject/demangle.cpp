#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "codeobject/code_object.h"

namespace kernloop::codeobject {

std::string demangle(const std::string& name) {
  // The demangler recurses; names longer than any compiler makes are not handed to it.
  constexpr size_t kMaxName = 16384;
  if (!name.starts_with("_Z") || name.size() > kMaxName) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace kernloop::codeobject
