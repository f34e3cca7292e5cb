#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "codeobject/code_object.h"

namespace kernloop::codeobject {

namespace {

// nvcc puts `__nv_static_<length>_<id of the unit>_` before the names of static functions in relocatable code.
std::string without_unit(const std::string& name) {
  constexpr std::string_view kPrefix = "__nv_static_";
  if (!name.starts_with(kPrefix)) return name;
  size_t length = 0;
  const char* const begin = name.data() + kPrefix.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), length);
  const size_t id = static_cast<size_t>(end - name.data()) + 1;
  if (error != std::errc() || id >= name.size() || length >= name.size() - id || name[id - 1] != '_') return name;
  const size_t rest = id + length;
  return name[rest] == '_' && rest + 1 < name.size() ? name.substr(rest + 1) : name;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  std::string name = without_unit(symbol);
  // The demangler recurses; names longer than any compiler makes are not handed to it.
  constexpr size_t kMaxName = 16384;
  if (!name.starts_with("_Z") || name.size() > kMaxName) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace kernloop::codeobject
