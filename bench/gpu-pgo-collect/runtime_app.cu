// A program of the runtime's API: its code is a library that it never unloads.
#include <cuda_runtime.h>
#include <cstdio>
#define C(x)                                                       \
  do {                                                             \
    cudaError_t e = (x);                                           \
    if (e != cudaSuccess) {                                        \
      std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); \
      return 3;                                                    \
    }                                                              \
  } while (0)
int main(int count, char** arguments) {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  int* out;
  int n = 997;
  C(cudaLibraryLoadFromFile(&library, arguments[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
  C(cudaLibraryGetKernel(&kernel, library, "alpha"));
  C(cudaMalloc(&out, n * sizeof(int)));
  void* parameters[] = {&out, &n};
  for (int i = 0; i < 5; ++i) C(cudaLaunchKernel((const void*)kernel, dim3(4), dim3(256), parameters, 0, 0));
  C(cudaDeviceSynchronize());
  if (count > 2) C(cudaDeviceReset());
  std::puts("done");
}
