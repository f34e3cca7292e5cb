// The CUDA headers themselves against the numbers that abi_test.cpp holds our declarations to, and the driver function
// table read with cuda.h's types. Compiled only if a toolkit of CUDA 13 or newer is installed.

// Ours first: cuda.h defines macros of the same names.
#include "abi/cuda/cupti.h"

#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>

#if CUDA_VERSION >= 13000

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define TEXT_OF(name) #name
#define EXPANDED_TEXT_OF(name) TEXT_OF(name)

namespace {

struct Fact {
  const char* name;
  size_t in_the_headers;
  size_t in_our_table;
};

constexpr Fact kFacts[] = {
#define TYPE(name, bytes) {#name, sizeof(::name), bytes},
#define FIELD(type, field, offset) {#type "." #field, offsetof(::type, field), offset},
#define VALUE(name, number) {#name, static_cast<uint32_t>(::name), number},
#define DRIVER_CALLBACK(function, id) {#function, ::CUPTI_DRIVER_TRACE_CBID_##function, id},
#include "abi/cuda/cupti_driver_callbacks.def"
#include "abi/cuda/test/abi_facts.def"
#include "abi/cuda/test/cupti_abi_facts.def"
#undef TYPE
#undef FIELD
#undef VALUE
#undef DRIVER_CALLBACK
};

TEST(Conformance, SizesOffsetsValuesAndCallbackIds) {
  for (const Fact& fact : kFacts) EXPECT_EQ(fact.in_the_headers, fact.in_our_table) << fact.name;
}

// cuda.h's own macros turn `cuMemAlloc` into the newest form: both its name and its signature are compared.
// cuCtxCreate_v2 is older than what cuda.h maps to, by choice.
TEST(Conformance, DriverFunctions) {
#define FUNCTION(member, symbol, older, presence, parameters)                               \
  if (std::string(symbol) != "cuCtxCreate_v2") {                                            \
    EXPECT_STREQ(EXPANDED_TEXT_OF(member), symbol);                                         \
    EXPECT_TRUE((std::is_same_v<decltype(&::member), ::CUresult(*) parameters>)) << symbol; \
  }
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
}

TEST(Conformance, CuptiFunctions) {
#define FUNCTION(name, presence, parameters) \
  EXPECT_TRUE((std::is_same_v<decltype(&::name), ::CUptiResult(*) parameters>)) << #name;
#include "abi/cuda/cupti_functions.def"
#undef FUNCTION
}

template <typename Record>
void expect_kernel_prefix() {
  using kernloop::cuda::KernelActivityPrefix;
#define SAME(field) EXPECT_EQ(offsetof(Record, field), offsetof(KernelActivityPrefix, field)) << #field;
  SAME(kind)
  SAME(registersPerThread)
  SAME(start)
  SAME(end)
  SAME(completed)
  SAME(deviceId)
  SAME(contextId)
  SAME(streamId)
  SAME(gridX)
  SAME(gridZ)
  SAME(blockX)
  SAME(blockZ)
  SAME(staticSharedMemory)
  SAME(dynamicSharedMemory)
  SAME(localMemoryPerThread)
  SAME(localMemoryTotal)
  SAME(correlationId)
  SAME(gridId)
  SAME(name)
#undef SAME
  EXPECT_GE(sizeof(Record), sizeof(KernelActivityPrefix));
}

TEST(Conformance, KernelRecordsBeginAlikeInEveryVersion) {
  expect_kernel_prefix<CUpti_ActivityKernel3>();
  expect_kernel_prefix<CUpti_ActivityKernel4>();
  expect_kernel_prefix<CUpti_ActivityKernel5>();
  expect_kernel_prefix<CUpti_ActivityKernel6>();
  expect_kernel_prefix<CUpti_ActivityKernel7>();
  expect_kernel_prefix<CUpti_ActivityKernel8>();
  expect_kernel_prefix<CUpti_ActivityKernel9>();
  expect_kernel_prefix<CUpti_ActivityKernel10>();
}

}  // namespace

#endif
