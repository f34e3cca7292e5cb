// softgpu_hip_surface_test --object=FILE [GoogleTest's options]
#include <cstdio>
#include <cstring>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {
const char* object = nullptr;
}

const char* object_path() {
  return object;
}

hipModule_t module() {
  static const hipModule_t loaded = [] {
    hipModule_t made = nullptr;
    EXPECT_EQ(hipModuleLoad(&made, object), hipSuccess) << object;
    return made;
  }();
  return loaded;
}

hipFunction_t kernel(const char* name) {
  hipFunction_t function = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, module(), name), hipSuccess) << name;
  return function;
}

}  // namespace kernloop::softgpu::surface

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  constexpr char kObject[] = "--object=";
  if (count != 2 || std::strncmp(words[1], kObject, sizeof kObject - 1) != 0) {
    std::fprintf(stderr, "usage: %s --object=FILE [GoogleTest's options]\n", words[0]);
    return 2;
  }
  kernloop::softgpu::surface::object = words[1] + sizeof kObject - 1;
  return RUN_ALL_TESTS();
}
