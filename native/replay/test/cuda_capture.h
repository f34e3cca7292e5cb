// Captures of the kernels in data/replay_kernels.cu, computed on the host: the oracle of the CUDA replay tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "archive/capture/capture_writer.h"
#include "archive/files/file.h"
#include "codeobject/code_object.h"

namespace kernloop::replay {

inline std::filesystem::path cuda_test_code(const std::string& name) {
  return std::filesystem::path(KERNLOOP_REPLAY_TEST_DATA) / ("replay_" + name + ".cubin");
}

inline Buffer read_cuda_test_code(const std::string& name) {
  const auto text = archive::read_text(cuda_test_code(name), 1 << 24);
  EXPECT_TRUE(text) << text.error().message;
  return {text->begin(), text->end()};
}

// Tests that need nothing of the fake driver run on the machine's own GPU then (sm_90).
inline bool on_real_gpu() {
  const char* wanted = std::getenv("KERNLOOP_TEST_REAL_GPU");
  return wanted && std::string(wanted) == "1";
}

template <typename T>
Buffer to_buffer(const std::vector<T>& values) {
  Buffer bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct CudaCapture {
  // Both arrays share a granule with bytes of no region. A driver never places module variables where they were
  // captured.
  static constexpr uint64_t kIn = 0x400000000100, kOut = 0x400000001a40, kFar = 0x400003fff000;
  static constexpr uint64_t kTable = 0x410000000000, kBig = 0x420000000200, kCounter = 0x420000000400;
  static constexpr int kCount = 200;  // the last block is partial

  std::vector<float> in, out_pre, out_post, big, table = {5, 6, 7, 8};  // the app has set the table
  int32_t counter_pre = 41, counter_post = 42;
  std::string isa = "sm_90", symbol = "replay_fill";
  uint64_t in_address = kIn;  // the kernel's argument for `in`
  archive::RegionClass in_class = archive::RegionClass::kDevice;
  std::string in_api = "cuMemAlloc_v2";
  std::vector<uint64_t> pointers;    // a third region full of these, when not empty
  std::vector<uint32_t> shape_post;  // result of replay_shape
  archive::Geometry geometry;
  std::vector<uint8_t> far_bytes;  // a region across two windows, when not empty; unchanged

  CudaCapture() {
    for (int i = 0; i < 8; ++i) big.push_back(static_cast<float>(i) * 100);
    for (int i = 0; i < kCount; ++i) {
      in.push_back(static_cast<float>(i) * 0.25f + 1);
      out_pre.push_back(-7);
    }
    for (int i = 0; i < kCount; ++i) out_post.push_back(in[i] * table[i % 4] + big[i % 8]);
    geometry.grid_blocks = {4, 1, 1};
    geometry.block_threads = {64, 1, 1};
    geometry.grid_work_items = {256, 1, 1};
  }

  archive::Manifest write(const std::filesystem::path& directory) const {
    auto writer = archive::CaptureWriter::create({directory, std::nullopt});
    EXPECT_TRUE(writer) << writer.error().message;
    const auto put = [&](const Buffer& bytes) { return *(*writer)->put(bytes); };
    const Buffer code = read_cuda_test_code("baseline");
    const auto info = codeobject::parse_code_object(code, "replay_baseline.cubin");
    EXPECT_TRUE(info) << info.error().message;
    const codeobject::Kernel& kernel = *info->find_kernel(symbol);
    const bool fill = symbol == "replay_fill";

    archive::Manifest manifest;
    manifest.tool.version = "0.1.0";
    manifest.device = {"cuda", "cuda-test", isa, "a GPU", 32, archive::Json::object()};
    manifest.kernel.name = fill ? "replay_fill(float*, float const*, int)" : "replay_shape(unsigned int*)";
    manifest.kernel.symbol = symbol;
    manifest.kernel.code_object = info->sha256;
    manifest.kernel.kernarg_bytes = kernel.kernarg_bytes;
    manifest.dispatch.ordinal = 1;
    manifest.geometry = geometry;
    manifest.geometry.group_segment_bytes += kernel.group_segment_bytes;
    Buffer& arguments = manifest.kernarg.bytes = Buffer(kernel.kernarg_bytes, 0);
    const uint64_t addresses[] = {kOut, in_address};
    std::memcpy(arguments.data(), addresses, std::min<size_t>(16, arguments.size()));
    if (fill) std::memcpy(arguments.data() + 16, &kCount, 4);
    manifest.scope.mode = "reachable";

    const auto region = [&](const char* id, uint64_t base, const Buffer& pre, const Buffer& post) {
      archive::Region r;
      r.id = id;
      r.base = base;
      r.size = pre.size();
      r.api = "cuMemAlloc_v2";
      r.pre = put(pre);
      r.post = put(post);
      manifest.regions.push_back(r);
    };
    if (fill) {
      region("in", kIn, to_buffer(in), to_buffer(in));
      manifest.regions[0].memory_class = in_class;
      manifest.regions[0].api = in_api;
      region("out", kOut, to_buffer(out_pre), to_buffer(out_post));
    } else {
      region("out", kOut, Buffer(shape_post.size() * 4, 0), to_buffer(shape_post));
    }
    if (!pointers.empty()) region("pointers", 0x400000100000, to_buffer(pointers), to_buffer(pointers));
    if (!far_bytes.empty()) region("far", kFar, far_bytes, far_bytes);

    const auto variable = [&](const char* name, uint64_t address, const Buffer& pre, const Buffer& post) {
      archive::ModuleVariable v;
      v.code_object = info->sha256;
      v.name = name;
      v.address = address;
      v.size = pre.size();
      v.pre = put(pre);
      v.post = put(post);
      manifest.module_variables.push_back(v);
    };
    if (fill) {
      variable("c_tab", kTable, to_buffer(table), to_buffer(table));
      variable("d_big", kBig, to_buffer(big), to_buffer(big));
      variable("d_counter", kCounter, to_buffer<int32_t>({counter_pre}), to_buffer<int32_t>({counter_post}));
    }
    archive::CodeObject object;
    object.sha256 = info->sha256;
    object.size = code.size();
    object.content = put(code);
    manifest.code_objects.push_back(object);
    const auto finished = (*writer)->finish(manifest, archive::Json::object());
    EXPECT_TRUE(finished) << finished.error().message;
    return manifest;
  }
};

}  // namespace kernloop::replay
