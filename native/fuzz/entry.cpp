// libFuzzer's entry point of the program for one target. `--seeds FOLDER` writes its seeds instead.
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "fuzz/target.h"

namespace {

using namespace kernloop::fuzz;

const Target& target() {
  for (const Target& candidate : targets()) {
    if (candidate.name == KERNLOOP_FUZZ_TARGET) return candidate;
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count != 3 || std::strcmp((*arguments)[1], "--seeds") != 0) return 0;
  int number = 0;
  for (const Input& seed : target().seeds()) {
    const std::string name = std::string((*arguments)[2]) + "/seed-" + std::to_string(number++);
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  }
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Target& chosen = target();
  chosen.run({data, size});
  return 0;
}
