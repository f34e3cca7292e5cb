// Our declarations against the numbers of the CUDA headers, on every machine. The numbers themselves are checked
// against the headers in conformance_test.cpp.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <string>

#include "abi/cuda/cupti.h"

namespace kernloop::cuda {

#define TYPE(name, bytes) static_assert(sizeof(name) == (bytes), #name);
#define FIELD(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field);
#define VALUE(name, number) static_assert(static_cast<uint32_t>(name) == (number), #name);
#include "abi/cuda/test/abi_facts.def"
#include "abi/cuda/test/cupti_abi_facts.def"
#undef TYPE
#undef FIELD
#undef VALUE

namespace {

TEST(CuptiAbi, DriverCallbackIdsAreDistinct) {
  std::set<uint32_t> ids;
  size_t listed = 0;
#define DRIVER_CALLBACK(function, id) ids.insert(id), ++listed;
#include "abi/cuda/cupti_driver_callbacks.def"
#undef DRIVER_CALLBACK
  EXPECT_EQ(ids.size(), listed);
}

// A launch attribute's value begins 8 bytes in, for any size of the enumeration before it.
TEST(Abi, ReadsALaunchAttributeAsTheDriverLaysItOut) {
  unsigned char bytes[sizeof(CUlaunchAttribute)] = {};
  const uint32_t id = 4, cluster[3] = {2, 1, 1};
  std::memcpy(bytes, &id, sizeof id);
  std::memcpy(bytes + 8, cluster, sizeof cluster);
  CUlaunchAttribute attribute;
  std::memcpy(&attribute, bytes, sizeof attribute);
  EXPECT_EQ(attribute.id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(attribute.value.clusterDim.x, 2u);
  EXPECT_EQ(attribute.value.clusterDim.z, 1u);
}

}  // namespace
}  // namespace kernloop::cuda
