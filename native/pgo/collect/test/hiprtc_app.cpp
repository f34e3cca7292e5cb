// Compiles a module at run time, whose counters are a unit's with counts in them already, and counts 5 more. HIPRTC
// takes no plugin: the counters are written into the source.
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pgo/format/test/image.h"

namespace {

using namespace kernloop::pgo;

template <typename Result>
void check(Result result, Result good) {
  if (result == good) return;
  std::fprintf(stderr, "error %d\n", static_cast<int>(result));
  std::exit(3);
}

std::string source() {
  const DeviceImage image = test::sample_image();
  std::string text;
  for (const ImagePart& part : image_parts()) {
    text += "extern \"C\" __device__ __attribute__((aligned(8))) unsigned char " + std::string(part.prefix) +
            image.cuid + "[] = {";
    for (const uint8_t byte : image.*part.bytes) text += std::to_string(byte) + ",";
    text += "};\n";
  }
  return text + "extern \"C\" __global__ void five() { atomicAdd(reinterpret_cast<unsigned long long*>(__profc_all_" +
         image.cuid + ") + 1, 1ull); }\n";
}

}  // namespace

int main() {
  const std::string text = source();
  hiprtcProgram program = nullptr;
  check(hiprtcCreateProgram(&program, text.c_str(), "counted.hip", 0, nullptr, nullptr), HIPRTC_SUCCESS);
  check(hiprtcCompileProgram(program, 0, nullptr), HIPRTC_SUCCESS);
  size_t size = 0;
  check(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
  std::vector<char> code(size);
  check(hiprtcGetCode(program, code.data()), HIPRTC_SUCCESS);
  check(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  hipModule_t module = nullptr;
  hipFunction_t five = nullptr;
  check(hipModuleLoadData(&module, code.data()), hipSuccess);
  check(hipModuleGetFunction(&five, module, "five"), hipSuccess);
  check(hipModuleLaunchKernel(five, 1, 1, 1, 5, 1, 1, 0, nullptr, nullptr, nullptr), hipSuccess);
  check(hipModuleUnload(module), hipSuccess);
  return 0;
}
