// kernloop-nvrtc: compiles one file with libnvrtc, as an app did at run time.
//   kernloop-nvrtc --library LIB --describe
//   kernloop-nvrtc --library LIB --source FILE --output FILE [--name NAME] [--header-name NAME --header-file FILE]…
//                  [--name-expression TEXT]… [--option TEXT]…
// The compiler's log goes to stderr. Exit codes: 0; 1 the source was rejected; 2 usage or files; 5 the library cannot
// be used.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "capture/nvrtc/api.h"

namespace kernloop::nvrtc {
namespace {

enum Exit { done = 0, rejected = 1, usage = 2, environment = 5 };

struct Arguments {
  std::string library, source, output;
  std::optional<std::string> name;
  std::vector<std::string> header_names, header_files, name_expressions, options;
  bool describe = false;
};

bool parse(int count, char** words, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--describe") {
      arguments.describe = true;
      continue;
    }
    if (++i >= count) return false;
    const std::string value = words[i];
    if (word == "--library")
      arguments.library = value;
    else if (word == "--source")
      arguments.source = value;
    else if (word == "--output")
      arguments.output = value;
    else if (word == "--name")
      arguments.name = value;
    else if (word == "--header-name")
      arguments.header_names.push_back(value);
    else if (word == "--header-file")
      arguments.header_files.push_back(value);
    else if (word == "--name-expression")
      arguments.name_expressions.push_back(value);
    else if (word == "--option")
      arguments.options.push_back(value);
    else
      return false;
  }
  const bool has_files = !arguments.source.empty() && !arguments.output.empty();
  return !arguments.library.empty() && arguments.header_names.size() == arguments.header_files.size() &&
         (arguments.describe || has_files);
}

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) std::fprintf(stderr, "error: libnvrtc has no %s\n", name);
  return function != nullptr;
}

bool load(const std::string& path, Api& api) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "error: %s\n", dlerror());
    return false;
  }
  return find(library, "nvrtcVersion", api.version) && find(library, "nvrtcCreateProgram", api.create) &&
         find(library, "nvrtcAddNameExpression", api.add_name_expression) &&
         find(library, "nvrtcCompileProgram", api.compile) && find(library, "nvrtcDestroyProgram", api.destroy) &&
         find(library, "nvrtcGetCUBINSize", api.cubin_size) && find(library, "nvrtcGetCUBIN", api.cubin) &&
         find(library, "nvrtcGetProgramLogSize", api.log_size) && find(library, "nvrtcGetProgramLog", api.log);
}

bool read(const std::string& path, std::string& content) {
  std::ifstream file(path, std::ios::binary);
  content.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || content.find('\0') != content.npos) {
    std::fprintf(stderr, "error: %s cannot be read as source\n", path.c_str());
    return false;
  }
  return true;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const std::string& text : texts) list.push_back(text.c_str());
  return list;
}

void print_log(const Api& api, Program program) {
  size_t size = 0;
  if (api.log_size(program, &size) != 0 || size <= 1) return;
  std::string text(size, '\0');
  if (api.log(program, text.data()) == 0) std::fprintf(stderr, "%s\n", text.c_str());
}

int write_cubin(const Api& api, Program program, const std::string& path) {
  size_t size = 0;
  if (api.cubin_size(program, &size) != 0 || size == 0) {
    std::fputs("error: NVRTC made no cubin: the options name no real architecture (--gpu-architecture=sm_…)\n", stderr);
    return rejected;
  }
  std::string cubin(size, '\0');
  std::ofstream file(path, std::ios::binary);
  if (api.cubin(program, cubin.data()) == 0 && file.write(cubin.data(), static_cast<std::streamsize>(size)).flush())
    return done;
  std::fprintf(stderr, "error: %s cannot be written\n", path.c_str());
  return usage;
}

int compile(const Api& api, const Arguments& arguments) {
  std::string source;
  std::vector<std::string> headers(arguments.header_files.size());
  if (!read(arguments.source, source)) return usage;
  for (size_t i = 0; i < headers.size(); ++i) {
    if (!read(arguments.header_files[i], headers[i])) return usage;
  }
  const auto contents = pointers(headers), names = pointers(arguments.header_names);
  Program program = nullptr;
  int result = api.create(&program, source.c_str(), arguments.name ? arguments.name->c_str() : nullptr,
                          static_cast<int>(contents.size()), contents.data(), names.data());
  for (const std::string& expression : arguments.name_expressions) {
    if (result == 0) result = api.add_name_expression(program, expression.c_str());
  }
  if (result != 0) {
    std::fprintf(stderr, "error: NVRTC did not take the program (nvrtcResult %d)\n", result);
    return rejected;
  }
  const auto options = pointers(arguments.options);
  result = api.compile(program, static_cast<int>(options.size()), options.data());
  print_log(api, program);
  if (result != 0) std::fprintf(stderr, "NVRTC ended with nvrtcResult %d\n", result);
  const int code = result == 0 ? write_cubin(api, program, arguments.output) : rejected;
  api.destroy(&program);
  return code;
}

int run(int count, char** words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) {
    std::fputs("error: usage: kernloop-nvrtc --library LIB (--describe | --source FILE --output FILE …)\n", stderr);
    return usage;
  }
  Api api;
  if (!load(arguments.library, api)) return environment;
  if (!arguments.describe) return compile(api, arguments);
  int major = 0, minor = 0;
  if (api.version(&major, &minor) != 0) return environment;
  std::printf("{\"event\":\"nvrtc\",\"version\":\"%d.%d\"}\n", major, minor);
  return done;
}

}  // namespace
}  // namespace kernloop::nvrtc

int main(int count, char** words) {
  return kernloop::nvrtc::run(count, words);
}
