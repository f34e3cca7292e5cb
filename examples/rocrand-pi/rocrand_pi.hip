// Estimates pi from points that Debian's rocRAND library draws on the device with its Philox generator. The kernel that
// draws them is the library's own, as shipped; the program checks the estimate and the moments of the numbers.
#include <hip/hip_runtime.h>
#include <rocrand/rocrand.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                              \
  do {                                                                                               \
    hipError_t status = (call);                                                                      \
    if (status != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status)); \
      std::exit(1);                                                                                  \
    }                                                                                                \
  } while (0)

#define ROCRAND_CHECK(call)                                                                                        \
  do {                                                                                                             \
    rocrand_status status = (call);                                                                                \
    if (status != ROCRAND_STATUS_SUCCESS) {                                                                        \
      std::fprintf(stderr, "%s:%d: %s: rocrand status %d\n", __FILE__, __LINE__, #call, static_cast<int>(status)); \
      std::exit(1);                                                                                                \
    }                                                                                                              \
  } while (0)

__global__ void count_inside(const float* coordinates, unsigned* inside, int points) {
  unsigned count = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
    const float x = coordinates[2 * i], y = coordinates[2 * i + 1];
    count += x * x + y * y <= 1.0f;
  }
  if (count != 0) atomicAdd(inside, count);
}

int main() {
  constexpr int kPoints = 1 << 17;
  float* coordinates = nullptr;
  unsigned* inside = nullptr;
  HIP_CHECK(hipMalloc(&coordinates, 2 * kPoints * sizeof(float)));
  HIP_CHECK(hipMalloc(&inside, sizeof(unsigned)));
  HIP_CHECK(hipMemset(inside, 0, sizeof(unsigned)));

  rocrand_generator generator;
  ROCRAND_CHECK(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
  ROCRAND_CHECK(rocrand_set_seed(generator, 20261121));
  ROCRAND_CHECK(rocrand_generate_uniform(generator, coordinates, 2 * kPoints));
  count_inside<<<64, 256>>>(coordinates, inside, kPoints);
  HIP_CHECK(hipGetLastError());

  unsigned count = 0;
  std::vector<float> host(2 * kPoints);
  HIP_CHECK(hipMemcpy(&count, inside, sizeof(count), hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(host.data(), coordinates, host.size() * sizeof(float), hipMemcpyDeviceToHost));
  ROCRAND_CHECK(rocrand_destroy_generator(generator));

  unsigned expected = 0;
  double sum = 0.0;
  bool in_range = true;
  for (int i = 0; i < kPoints; ++i) {
    const float x = host[2 * i], y = host[2 * i + 1];
    expected += std::fmaf(x, x, y * y) <= 1.0f;
    in_range = in_range && x > 0.0f && x <= 1.0f && y > 0.0f && y <= 1.0f;
    sum += x + y;
  }
  const double pi = 4.0 * count / kPoints, mean = sum / (2.0 * kPoints);
  const bool ok = in_range && std::abs(static_cast<int>(count) - static_cast<int>(expected)) <= 1 &&
                  std::fabs(pi - M_PI) < 0.02 && std::fabs(mean - 0.5) < 0.005;
  std::printf("rocrand-pi: %d points, pi = %.4f, mean = %.4f: %s\n", kPoints, pi, mean, ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}
