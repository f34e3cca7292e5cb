// Source of a module: a cubin, read by kernloop::codeobject, or PTX, of which only the entries are read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "abi/cuda/driver.h"

namespace kernloop::cuda::fake {

struct ImageParameter {
  size_t offset = 0, bytes = 0;
};

struct ImageKernel {
  std::string name;
  std::vector<ImageParameter> parameters;
  size_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;
  uint32_t registers = 32;
  uint32_t max_threads = 1024;               // a block, by launch bounds
  uint32_t required_threads[3] = {0, 0, 0};  // zeros: any
  uint32_t cluster[3] = {0, 0, 0};           // compiled in; zeros: a launch or an attribute says
  uint32_t max_cluster_blocks = 0;           // 0: any
  bool needs_cluster = false;                // a launch without clusters is refused
};

struct ImageVariable {
  std::string name;
  std::vector<uint8_t> initial;
};

struct Image {
  std::vector<uint8_t> bytes;
  std::vector<ImageKernel> kernels;
  std::vector<ImageVariable> variables;
  const ImageKernel* find(std::string_view name) const;
};

// `data` is the argument of cuModuleLoadData: it contains its size. CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_INVALID_PTX.
CUresult read_image(const void* data, std::shared_ptr<const Image>* image);

}  // namespace kernloop::cuda::fake
