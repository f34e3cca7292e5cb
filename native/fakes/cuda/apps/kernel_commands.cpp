// Kernels' use of their arguments and of memory.
#include <cstdio>
#include <cstring>

#include "fakes/cuda/apps/app.h"

namespace kernloop::cuda::app {
namespace {

constexpr size_t kCount = 1000;

const Command kSaxpyCommand("saxpy", "y = 2x + y, once", [] {
  start();
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  saxpy(function(load_module(), kSaxpy), x, y, kCount);
  EXPECT(downloaded(y, kCount)[999] == 2997.0f);
});

const Command kBatched("batched", "a kernel that takes tables of pointers (float**)", [] {
  start();
  constexpr size_t kBatches = 8;
  std::vector<CUdeviceptr> in, out;
  for (size_t i = 0; i < kBatches; ++i) {
    in.push_back(uploaded(std::vector<float>(kCount, static_cast<float>(i))));
    out.push_back(uploaded(std::vector<float>(kCount, -1.0f)));
  }
  const CUdeviceptr in_table = allocate(kBatches * 8), out_table = allocate(kBatches * 8);
  CHECK(cuMemcpyHtoD(in_table, in.data(), kBatches * 8));
  CHECK(cuMemcpyHtoD(out_table, out.data(), kBatches * 8));
  const Blocks blocks = {blocks_for(kCount).x, kBatches};
  launch(function(load_module(), "_Z7batchedPPfS0_ii"), blocks, nullptr, in_table, out_table, int{kCount},
         int{kBatches});
  for (size_t i = 0; i < kBatches; ++i) EXPECT(downloaded(out[i], kCount)[kCount - 1] == 2.0f * static_cast<float>(i));
});

const Command kInPlace("in-place", "a kernel that reads and writes the same memory", [] {
  start();
  const CUdeviceptr x = uploaded(ramp(kCount));
  add_in_place(function(load_module(), kAddInPlace), x, 1.0f, kCount);
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
});

const Command kAtomic("atomic", "a sum by atomics: another rounding in each run", [] {
  start();
  std::vector<float> values = ramp(kCount);
  for (float& value : values) value = 1.0f / (3.0f * value + 1.0f);
  const CUdeviceptr x = uploaded(values), sum = uploaded({0.0f});
  launch(function(load_module(), "_Z10atomic_sumPKfPfi"), blocks_for(kCount), nullptr, x, sum, int{kCount});
  EXPECT(downloaded(sum, 1)[0] > 1.0f);
});

const Command kWriteThroughMemory("write-through-memory", "a kernel that writes where a pointer in memory leads", [] {
  start();
  const CUdeviceptr target = uploaded({0.0f});
  const CUdeviceptr holder = allocate(8);
  CHECK(cuMemcpyHtoD(holder, &target, 8));
  launch(function(load_module(), "_Z20write_through_memoryPPff"), Blocks{1}, nullptr, holder, 7.0f);
  EXPECT(downloaded(target, 1)[0] == 7.0f);
});

const Command kLargeParameters("large-parameters", "more than 4 KiB of kernel parameters", [] {
  start();
  struct Table {
    float values[1536];
  } table;
  for (size_t i = 0; i < 1536; ++i) table.values[i] = static_cast<float>(i);
  const CUdeviceptr out = allocate(kCount * sizeof(float));
  launch(function(load_module(), "_Z16large_parameters10LargeTablePfi"), blocks_for(kCount), nullptr, table, out,
         int{kCount});
  EXPECT(downloaded(out, kCount) == ramp(kCount));
});

const Command kDoNothing("do-nothing", "a kernel that changes nothing", [] {
  start();
  const CUdeviceptr x = uploaded(ramp(kCount));
  launch(function(load_module(), "_Z10do_nothingPf"), Blocks{1}, nullptr, x);
  EXPECT(downloaded(x, kCount) == ramp(kCount));
});

const Command kWildWriteCommand("wild-write", "a kernel that faults", [] {
  start();
  launch(function(load_module(), "_Z10wild_writeyj"), Blocks{1}, nullptr, CUdeviceptr{0x10}, 1u);
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
});

const Command kNcclName("nccl-name", "a kernel with the name of a collective", [] {
  start();
  const CUdeviceptr x = uploaded(ramp(kCount));
  launch(function(load_module(), "ncclDevKernel_AllReduce_Sum_f32"), blocks_for(kCount), nullptr, x, int{kCount});
  EXPECT(downloaded(x, kCount)[10] == 20.0f);
});

// Tensor of 32 x 32 floats, in boxes of 16 x 16.
CUtensorMap tensor_map(CUdeviceptr tensor) {
  CUtensorMap map;
  const uint64_t dimensions[2] = {32, 32}, strides[1] = {32 * sizeof(float)};
  const uint32_t box[2] = {16, 16}, steps[2] = {1, 1};
  CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, reinterpret_cast<void*>(tensor), dimensions,
                               strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

const Command kTensorMapCommand("tensormap", "an address inside of an opaque tensor map; 1: say where", [] {
  start();
  const CUdeviceptr tensor = uploaded(ramp(1024)), out = allocate(1024 * sizeof(float));
  const CUtensorMap map = tensor_map(tensor);
  if (argument(0, 0) != 0) {  // offset of the address in the 128 bytes: a map in memory is then found like a pointer
    for (size_t at = 0; at + 8 <= sizeof map; ++at) {
      uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(&map) + at, sizeof word);
      if ((word & ((uint64_t{1} << 48) - 1)) == tensor) std::printf("address at byte %zu: %016lx\n", at, word);
    }
  }
  launch(function(load_module(), "_Z11read_tensor9TensorMapPfi"), blocks_for(1024), nullptr, map, out, 1024);
  CHECK(cuCtxSynchronize());  // its output is the tensor on the fake, and bytes of the map on a GPU
});

// The map crosses the end of the 4 MiB piece in which memory is read.
const Command kTensorMapInMemory("tensormap-in-memory", "a tensor map in device memory that a pointer leads to", [] {
  start();
  const CUdeviceptr tensor = uploaded(ramp(1024)), holder = allocate(8 << 20);
  const CUtensorMap map = tensor_map(tensor);
  CHECK(cuMemcpyHtoD(holder + (4 << 20) - 64, &map, sizeof map));
  launch(function(load_module(), "_Z10do_nothingPf"), Blocks{1}, nullptr, holder);
  CHECK(cuCtxSynchronize());
});

const Command kTexture("texture", "a texture object as argument", [] {
  start();
  const CUdeviceptr texels = uploaded(ramp(kCount)), out = allocate(kCount * sizeof(float));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {texels, CU_AD_FORMAT_FLOAT, 1, kCount * sizeof(float)};
  const CUDA_TEXTURE_DESC description = {};
  CUtexObject texture = 0;
  CHECK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
  launch(function(load_module(), "_Z12read_textureyPfi"), blocks_for(kCount), nullptr, texture, out, int{kCount});
  EXPECT(downloaded(out, kCount) == ramp(kCount));
});

const Command kCooperative("cooperative", "cuLaunchCooperativeKernel", [] {
  start();
  CUdeviceptr x = uploaded(ramp(kCount));
  float value = 1.0f;
  int count = kCount;
  void* parameters[] = {&x, &value, &count};
  CHECK(cuLaunchCooperativeKernel(function(load_module(), kAddInPlace), blocks_for(kCount).x, 1, 1, kThreads, 1, 1, 0,
                                  nullptr, parameters));
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
});

const Command kCluster("cluster", "cuLaunchKernelEx with clusters of two blocks", [] {
  start();
  CUdeviceptr out = allocate(8 * sizeof(uint32_t));
  void* parameters[] = {&out};
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config = {8, 1, 1, kThreads, 1, 1, 0, nullptr, &cluster, 1};
  CHECK(cuLaunchKernelEx(&config, function(load_module(), "_Z12cluster_sizePj"), parameters, nullptr));
  uint32_t sizes[8] = {};
  CHECK(cuMemcpyDtoH(sizes, out, sizeof sizes));
  EXPECT(sizes[0] == 2 && sizes[7] == 2);
});

const Command kProgrammatic("programmatic", "cuLaunchKernelEx of a kernel that may overlap the one before it", [] {
  start();
  CUdeviceptr x = uploaded(ramp(kCount));
  float value = 1.0f;
  int count = kCount;
  void* parameters[] = {&x, &value, &count};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config = {blocks_for(kCount).x, 1, 1, kThreads, 1, 1, 0, nullptr, &attribute, 1};
  CHECK(cuLaunchKernelEx(&config, function(load_module(), kAddInPlace), parameters, nullptr));
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
});

constexpr CUfunction_attribute kClusterDimensions[] = {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                                       CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                                       CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};

// The launch sets no clusters.
void expect_clusters(CUfunction kernel, uint32_t size) {
  const CUdeviceptr out = allocate(16 * sizeof(uint32_t));
  launch(kernel, Blocks{16}, nullptr, out);
  uint32_t sizes[16] = {};
  CHECK(cuMemcpyDtoH(sizes, out, sizeof sizes));
  EXPECT(sizes[0] == size && sizes[15] == size);
}

const Command kFunctionCluster("function-cluster", "clusters of 16 blocks, by attributes of the function", [] {
  start();
  const CUfunction kernel = function(load_module(), "_Z12cluster_sizePj");
  CHECK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  for (const CUfunction_attribute dimension : kClusterDimensions) {
    const bool is_width = dimension == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
    CHECK(cuFuncSetAttribute(kernel, dimension, is_width ? 16 : 1));
  }
  expect_clusters(kernel, 16);
});

const Command kKernelCluster("kernel-cluster", "clusters of two blocks, by attributes of a library's kernel", [] {
  start();
  CUlibrary library = nullptr;
  CHECK(cuLibraryLoadData(&library, read_cubin("test_kernels.sm_90.cubin"), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = nullptr;
  CHECK(cuLibraryGetKernel(&kernel, library, "_Z12cluster_sizePj"));
  for (const CUfunction_attribute dimension : kClusterDimensions) {
    const bool is_width = dimension == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
    CHECK(cuKernelSetAttribute(dimension, is_width ? 2 : 1, kernel, 0));
  }
  expect_clusters(reinterpret_cast<CUfunction>(kernel), 2);
});

const Command kManyLaunches("many-launches", "N short launches (1000)", [] {
  start();
  const CUfunction add = function(load_module(), kAddInPlace);
  const CUdeviceptr x = uploaded({0.0f});
  const int64_t launches = argument(0, 1000);
  for (int64_t i = 0; i < launches; ++i) add_in_place(add, x, 1.0f, 1);
  EXPECT(downloaded(x, 1)[0] == static_cast<float>(launches));
});

const Command kInterleaved("interleaved", "two kernels in turns, in several geometries", [] {
  start();
  const CUmodule module = load_module();
  const CUfunction add = function(module, kAddInPlace), triple = function(module, kSaxpy);
  const CUdeviceptr x = uploaded(std::vector<float>(kCount));
  add_in_place(add, x, 1.0f, kCount);  // x[0] was 0
  saxpy(triple, x, x, kCount);         // was 1
  add_in_place(add, x, 1.0f, 128);     // was 3
  saxpy(triple, x, x, kCount);         // was 4
  add_in_place(add, x, 1.0f, kCount);  // was 12
  add_in_place(add, x, 1.0f, 256);     // was 13
  saxpy(triple, x, x, 128);            // was 14
  EXPECT(downloaded(x, 1)[0] == 42.0f);
});

}  // namespace
}  // namespace kernloop::cuda::app
