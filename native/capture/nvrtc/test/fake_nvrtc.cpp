// Plays NVRTC as far as Kernloop depends on it. It compiles nothing: its "cubin" is the file that FAKE_NVRTC_CUBIN
// names (none for a virtual architecture), its "PTX" what follows "//ptx " in the source, and a source with "#error" is
// rejected. The log lists its arguments.
#include "capture/nvrtc/test/fake_nvrtc.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#define EXPORTED __attribute__((visibility("default")))

namespace {

struct FakeProgram {
  std::string source, log, cubin, ptx;
};

FakeProgram& of(void* program) {
  return *static_cast<FakeProgram*>(program);
}

}  // namespace

EXPORTED int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 1;
  return 0;
}

EXPORTED int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers,
                                const char* const* contents, const char* const* names) {
  auto* made = new FakeProgram;
  made->source = source;
  made->log = std::string("name: ") + (name == nullptr ? "(none)" : name) + "\n";
  for (int i = 0; i < headers; ++i) made->log += std::string("header: ") + names[i] + " = " + contents[i] + "\n";
  *program = made;
  return 0;
}

EXPORTED int nvrtcAddNameExpression(void* program, const char* expression) {
  of(program).log += std::string("expression: ") + expression + "\n";
  return 0;
}

EXPORTED int nvrtcCompileProgram(void* program, int options, const char* const* option) {
  FakeProgram& compiled = of(program);
  bool is_virtual = true;
  for (int i = 0; i < options; ++i) {
    compiled.log += std::string("option: ") + option[i] + "\n";
    if (std::strstr(option[i], "=sm_") != nullptr) is_virtual = false;
  }
  if (compiled.source.find("#error") != std::string::npos) {
    compiled.log += "default_program(1): error: #error directive\n";
    return 6;
  }
  const char* path = std::getenv("FAKE_NVRTC_CUBIN");
  if (!is_virtual && path != nullptr) {
    std::ifstream file(path, std::ios::binary);
    compiled.cubin.assign(std::istreambuf_iterator<char>(file), {});
  }
  const size_t at = compiled.source.find("//ptx ");
  compiled.ptx = at == std::string::npos ? "" : compiled.source.substr(at + 6);
  return 0;
}

EXPORTED int nvrtcDestroyProgram(void** program) {
  delete static_cast<FakeProgram*>(*program);
  *program = nullptr;
  return 0;
}

EXPORTED int nvrtcGetCUBINSize(void* program, size_t* size) {
  *size = of(program).cubin.size();
  return 0;
}

EXPORTED int nvrtcGetCUBIN(void* program, char* cubin) {
  std::memcpy(cubin, of(program).cubin.data(), of(program).cubin.size());
  return 0;
}

EXPORTED int nvrtcGetPTXSize(void* program, size_t* size) {
  *size = of(program).ptx.size() + 1;
  return 0;
}

EXPORTED int nvrtcGetPTX(void* program, char* ptx) {
  std::memcpy(ptx, of(program).ptx.c_str(), of(program).ptx.size() + 1);
  return 0;
}

EXPORTED int nvrtcGetProgramLogSize(void* program, size_t* size) {
  *size = of(program).log.size() + 1;
  return 0;
}

EXPORTED int nvrtcGetProgramLog(void* program, char* log) {
  std::memcpy(log, of(program).log.c_str(), of(program).log.size() + 1);
  return 0;
}
