// A small complete capture for tests: two regions, one module variable, one code object (of any bytes).
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "archive/capture/capture_writer.h"
#include "archive/capture/reader.h"
#include "archive/files/file.h"

namespace kernloop::archive {

inline Buffer noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Buffer bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

inline Buffer bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

// The sample's contents, by their ContentView names.
struct SampleContents {
  Buffer r0_pre = noise(5000, 1), r0_post = noise(5000, 2);
  Buffer r1 = Buffer(100000, 7);  // compresses; unchanged by the kernel
  Buffer variable_pre = {3, 0, 0, 0}, variable_post = {4, 0, 0, 0};
  Buffer code_object = noise(300, 3);
};

inline Manifest sample_manifest(CaptureWriter& writer, const SampleContents& contents) {
  const auto put = [&](const Buffer& bytes) {
    auto content = writer.put(bytes);
    EXPECT_TRUE(content) << content.error().message;
    return *content;
  };
  Manifest manifest;
  manifest.tool.version = "0.1.0";
  manifest.app = {{"name", "sample"},
                  {"command", {"build/sample"}},
                  {"files", {{{"path", "build/sample"}, {"sha256", std::string(64, 'a')}, {"role", "executable"}}}}};
  manifest.device = {"softgpu", "softgpu-gfx90a-1", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "Software AMD GPU",
                     64,        Json::object()};
  manifest.kernel.name = "scale(float*, int)";
  manifest.kernel.symbol = "_Z5scalePfi";
  manifest.kernel.code_object = sha256(contents.code_object);
  manifest.kernel.kernarg_bytes = 16;
  manifest.dispatch.ordinal = 1;
  manifest.geometry.grid_blocks = {5, 1, 1};
  manifest.geometry.block_threads = {64, 1, 1};
  manifest.geometry.grid_work_items = {300, 1, 1};
  manifest.kernarg.bytes = {0x10, 0, 0, 0, 0, 0x40, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0};
  KernargSlot pointer;
  pointer.size = 8;
  pointer.kind = "global_buffer";
  pointer.value = "0x400000000010";
  pointer.region = "r0";
  KernargSlot hidden;
  hidden.offset = 8;
  hidden.size = 8;
  hidden.kind = "hidden_hostcall_buffer";
  hidden.policy = SlotPolicy::kZero;
  manifest.kernarg.slots = {pointer, hidden};
  manifest.scope = {"reachable", false, 12, 1 << 30, Json::object()};

  Region r0;
  r0.id = "r0";
  r0.base = 0x400000000010;
  r0.size = contents.r0_pre.size();
  r0.api = "hsa_amd_memory_pool_allocate";
  r0.pre = put(contents.r0_pre);
  r0.post = put(contents.r0_post);
  Region r1 = r0;
  r1.id = "r1";
  r1.base = 0x400000100000;
  r1.size = contents.r1.size();
  r1.memory_class = RegionClass::kHost;
  r1.pre = r1.post = put(contents.r1);
  manifest.regions = {r0, r1};

  ModuleVariable variable;
  variable.code_object = manifest.kernel.code_object;
  variable.name = "d_counter";
  variable.address = 0x500000001000;
  variable.size = 4;
  variable.pre = put(contents.variable_pre);
  variable.post = put(contents.variable_post);
  manifest.module_variables = {variable};

  CodeObject code_object;
  code_object.sha256 = manifest.kernel.code_object;
  code_object.size = contents.code_object.size();
  code_object.load_base = 0x500000000000;
  code_object.content = put(contents.code_object);
  manifest.code_objects = {code_object};
  manifest.execution.wave_instructions = 1234;
  return manifest;
}

inline Manifest write_sample(const std::filesystem::path& directory, const SampleContents& contents = {},
                             std::optional<std::filesystem::path> store = std::nullopt,
                             uint64_t inline_limit_bytes = 256u << 20) {
  auto writer = CaptureWriter::create({directory, std::move(store), inline_limit_bytes});
  EXPECT_TRUE(writer) << writer.error().message;
  Manifest manifest = sample_manifest(**writer, contents);
  const auto finished = (*writer)->finish(manifest, {{"host", "here"}});
  EXPECT_TRUE(finished) << finished.error().message;
  return manifest;
}

}  // namespace kernloop::archive
