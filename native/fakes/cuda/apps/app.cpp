#include "fakes/cuda/apps/app.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

namespace kernloop::cuda::app {
namespace {

struct Entry {
  const char* what;
  void (*run)();
};

std::map<std::string, Entry>& commands() {
  static std::map<std::string, Entry> all;
  return all;
}

std::vector<std::string> arguments;

std::string cubin_folder() {
  const char* folder = std::getenv("CUDA_APP_CUBINS");
  return folder != nullptr ? folder : KERNLOOP_FAKE_CUDA_TEST_DATA;
}

// Reads the count as python/shim does.
void tell_captures() {
  void* const agent = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
  const void* const begun = agent != nullptr ? dlsym(agent, "kernloop_captures_begun") : nullptr;
  if (begun != nullptr) std::printf("captures begun: %d\n", static_cast<int>(*static_cast<const uint64_t*>(begun)));
}

int list() {
  std::fprintf(stderr, "usage: cuda_app COMMAND [ARGUMENT]…\n");
  for (const auto& [name, entry] : commands()) std::fprintf(stderr, "  %-24s %s\n", name.c_str(), entry.what);
  return 2;
}

}  // namespace

Command::Command(const char* name, const char* what, void (*run)()) {
  commands()[name] = {what, run};
}

int64_t argument(size_t index, int64_t otherwise) {
  return index < arguments.size() ? std::strtoll(arguments[index].c_str(), nullptr, 0) : otherwise;
}

void fail(const std::string& what) {
  std::fprintf(stderr, "cuda_app: %s\n", what.c_str());
  std::_Exit(1);  // other threads may be in the driver
}

void check(CUresult result, const char* call, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  fail(std::string(call) + " (line " + std::to_string(line) + "): " + name);
}

void expect(bool right, const char* what, int line) {
  if (!right) fail(std::string("wrong: ") + what + " (line " + std::to_string(line) + ")");
}

CUcontext start(CUdevice device) {
  CHECK(cuInit(0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  return context;
}

const char* read_cubin(const std::string& name) {
  static std::map<std::string, std::vector<char>> cubins;
  std::vector<char>& cubin = cubins[name];
  if (!cubin.empty()) return cubin.data();
  std::ifstream file(cubin_folder() + "/" + name, std::ios::binary);
  cubin.assign(std::istreambuf_iterator<char>(file), {});
  if (cubin.empty())
    fail(cubin_folder() + "/" + name + " cannot be read: name the folder of the cubins in CUDA_APP_CUBINS");
  return cubin.data();
}

CUmodule load_module(const char* cubin) {
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, read_cubin(cubin)));
  return module;
}

CUstream new_stream() {
  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

CUfunction function(CUmodule module, const char* name) {
  CUfunction function = nullptr;
  CHECK(cuModuleGetFunction(&function, module, name));
  return function;
}

CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr base = 0;
  CHECK(cuMemAlloc(&base, bytes));
  return base;
}

void upload(CUdeviceptr to, const std::vector<float>& values) {
  CHECK(cuMemcpyHtoD(to, values.data(), values.size() * sizeof(float)));
}

CUdeviceptr uploaded(const std::vector<float>& values) {
  const CUdeviceptr base = allocate(values.size() * sizeof(float));
  upload(base, values);
  return base;
}

std::vector<float> downloaded(CUdeviceptr from, size_t count) {
  std::vector<float> values(count);
  CHECK(cuMemcpyDtoH(values.data(), from, count * sizeof(float)));
  return values;
}

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

void saxpy(CUfunction function, CUdeviceptr x, CUdeviceptr y, size_t count, CUstream stream) {
  launch(function, blocks_for(count), stream, 2.0f, x, y, static_cast<int>(count));
}

void add_in_place(CUfunction function, CUdeviceptr x, float value, size_t count, CUstream stream) {
  launch(function, blocks_for(count), stream, x, value, static_cast<int>(count));
}

int main(int count, char** values) {
  if (count < 2 || commands().count(values[1]) == 0) return list();
  arguments.assign(values + 2, values + count);
  commands()[values[1]].run();
  if (std::getenv("CUDA_APP_CAPTURES") != nullptr) tell_captures();
  std::printf("%s: done\n", values[1]);
  return 0;
}

}  // namespace kernloop::cuda::app

int main(int count, char** values) {
  return kernloop::cuda::app::main(count, values);
}
