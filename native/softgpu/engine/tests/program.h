// Minimal runtime for the engine's tests: code objects in memory, buffers on the device, launches. Only
// position-independent code objects without relocations, like the test kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "softgpu/engine/engine.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu::testing {

// Memory that the device sees. Surrounded by an unmapped gap on the device.
class Buffer {
 public:
  Buffer(AddressSpace& space, size_t bytes, std::string label,
         AddressSpace::Access access = AddressSpace::Access::kReadWrite);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(block_.data()); }
  size_t size() const { return bytes_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(block_.data());
  }

 private:
  AddressSpace& space_;
  PageBlock block_;
  size_t bytes_;
};

template <typename T>
class Array : public Buffer {
 public:
  Array(AddressSpace& space, size_t count, std::string label = "array")
      : Buffer(space, count * sizeof(T), std::move(label)), count_(count) {}
  T& operator[](size_t i) { return as<T>()[i]; }
  size_t count() const { return count_; }
  T* begin() { return as<T>(); }
  T* end() { return as<T>() + count_; }

 private:
  size_t count_;
};

// A loaded code object.
class Program {
 public:
  Program(AddressSpace& space, const std::string& path);
  ~Program();
  uint64_t kernel_object(const std::string& kernel) const;  // address of its descriptor
  uint64_t symbol(const std::string& name) const;
  uint8_t* host(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }
  uint64_t base() const { return reinterpret_cast<uint64_t>(image_.data()); }
  uint64_t size() const { return image_.size(); }

 private:
  AddressSpace& space_;
  PageBlock image_;
  std::map<std::string, uint64_t> symbols_;
};

// Kernel arguments, laid out by their natural alignment.
class Arguments {
 public:
  template <typename... Values>
  explicit Arguments(Values... values) {
    (push(values), ...);
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  template <typename T>
  void push(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(&bytes_[at], &value, sizeof(T));
  }
  std::vector<uint8_t> bytes_;
};

struct Geometry {
  uint32_t items[3] = {1, 1, 1};
  uint32_t workgroup[3] = {1, 1, 1};
};

inline Geometry linear(uint32_t items, uint32_t workgroup) {
  return Geometry{{items, 1, 1}, {workgroup, 1, 1}};
}

// An address space, an engine on it, and a code object.
class Device {
 public:
  explicit Device(const std::string& code_object, Isa isa = Isa::kGfx90a)
      : engine(space, isa), program(space, code_object), kernarg_(space, 4096, "kernarg") {}

  DispatchRequest request(const std::string& kernel, Geometry geometry, const Arguments& arguments,
                          size_t kernarg_slot = 0);
  DispatchOutcome run(const std::string& kernel, Geometry geometry, const Arguments& arguments,
                      const DispatchOptions& options = {});

  AddressSpace space;
  Engine engine;
  Program program;
  uint64_t kernarg_address() const { return kernarg_.address(); }

 private:
  Buffer kernarg_;
};

}  // namespace kernloop::softgpu::testing
