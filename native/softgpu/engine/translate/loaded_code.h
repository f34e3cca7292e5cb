// Machine code of a relocatable object, in this process.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace kernloop::softgpu {

// Its memory is writable until it is relocated, then never again; only code is executable.
class LoadedCode {
 public:
  // nullptr and the reason if the object is none, or wants something from outside.
  static std::shared_ptr<const LoadedCode> load(std::span<const char> object, std::string& problem);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  // The sum of all objects in this process.
  static size_t all_bytes();

  // nullptr if it has no such function.
  const void* symbol(const std::string& name) const;

 private:
  LoadedCode(char* memory, size_t bytes);

  char* const memory_;
  const size_t bytes_;
  std::map<std::string, const void*> symbols_;

  friend class ObjectReader;
};

}  // namespace kernloop::softgpu
