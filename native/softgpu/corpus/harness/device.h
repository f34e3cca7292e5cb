// The corpus's view of the device: buffers, code objects by theme, launches. Stock HIP, through its driver-style API.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace kernloop::softgpu::corpus {

// Throws with HIP's own name of the error.
void check(hipError_t status, const char* call);
#define HIP_CHECK(call) ::kernloop::softgpu::corpus::check(call, #call)

// The folder with one code object a theme, THEME.hsaco. Set once by main().
void set_object_directory(const std::string& directory);
std::string object_path(const std::string& theme);

// A kernel of THEME.hsaco; the module stays loaded for the life of the process.
hipFunction_t kernel(const std::string& theme, const std::string& name);
// A __device__ variable of THEME.hsaco.
void* variable(const std::string& theme, const std::string& name, size_t* bytes = nullptr);

// Lanes of a wave on the device under test: the language's warpSize.
unsigned wave_size();

// Folds downloaded results into the running test's digest, which a matrix of builds compares.
void add_to_digest(std::span<const std::byte> bytes);
uint64_t take_digest();

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
    HIP_CHECK(hipMemset(data_, 0xa5, count * sizeof(T)));  // exposes elements that a kernel leaves out
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { upload(values); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { (void)hipFree(data_); }

  void upload(const std::vector<T>& values) {
    if (values.size() != count_) throw std::logic_error("upload of another size");
    HIP_CHECK(hipMemcpy(data_, values.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    HIP_CHECK(hipMemcpy(values.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost));
    add_to_digest(std::as_bytes(std::span(values)));
    return values;
  }
  T* get() const { return data_; }
  size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  size_t count_;
};

struct Shape {
  dim3 grid, block;
  unsigned lds_bytes = 0;
};

// Enough blocks of `block` for `threads`, the last one partial if need be.
inline Shape cover(size_t threads, unsigned block = 256) {
  return {dim3(static_cast<unsigned>((threads + block - 1) / block)), dim3(block)};
}

void launch_with(hipFunction_t function, const Shape& shape, void** arguments);

// Launches and waits. The arguments' types must be the kernel's own: HIP copies as many bytes as the kernel declares.
template <typename... Arguments>
void launch(const std::string& theme, const std::string& name, const Shape& shape, Arguments... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  launch_with(kernel(theme, name), shape, pointers);
}

}  // namespace kernloop::softgpu::corpus
