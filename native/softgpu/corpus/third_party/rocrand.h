// Debian's librocrand through its host API, on buffers that come back as vectors.
#pragma once

#include <hip/hip_runtime_api.h>
#include <rocrand/rocrand.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "softgpu/corpus/harness/device.h"

namespace kernloop::softgpu::corpus {

inline void require(rocrand_status status, const char* what) {
  if (status != ROCRAND_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": rocRAND status " + std::to_string(status));
}

constexpr bool is_quasi(rocrand_rng_type type) {
  return type >= ROCRAND_RNG_QUASI_DEFAULT;
}

class Generator {
 public:
  static constexpr unsigned kSeed = 1234;
  explicit Generator(rocrand_rng_type type) {
    require(rocrand_create_generator(&handle_, type), "rocrand_create_generator");
    if (!is_quasi(type)) require(rocrand_set_seed(handle_, kSeed), "rocrand_set_seed");
  }
  ~Generator() { (void)rocrand_destroy_generator(handle_); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  void set_dimensions(unsigned dimensions) {
    require(rocrand_set_quasi_random_generator_dimensions(handle_, dimensions),
            "rocrand_set_quasi_random_generator_dimensions");
  }

  // `call(handle, pointer, count)` is one of rocrand_generate_….
  template <typename T, typename Call>
  std::vector<T> generate(size_t count, Call call) {
    const DeviceArray<T> data(count);
    require(call(handle_, data.get(), count), "rocrand_generate");
    HIP_CHECK(hipDeviceSynchronize());
    return data.download();
  }

 private:
  rocrand_generator handle_ = nullptr;
};

}  // namespace kernloop::softgpu::corpus
