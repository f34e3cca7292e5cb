// kernloop-nvrtc: compiles one file with libnvrtc, as an app did at run time.
// The compiler's log goes to stderr. Exit codes: 0; 1 the source was rejected; 2 usage or files; 5 the library cannot
// be used.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/option_table.h"
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

// An app may pass empty names and options.
std::optional<std::string> any(const std::string& text) {
  return text;
}

OptionTable table_of(Arguments& arguments) {
  return OptionTable(
      "kernloop-nvrtc",
      {{"--library", "LIB", into(arguments.library), {.is_required = true}},
       {"--describe", "", set(arguments.describe)},
       {"--source", "FILE", into(arguments.source)},
       {"--output", "FILE", into(arguments.output), {.with = "--source", .is_required = true}},
       {"--name", "NAME", parsed(any, arguments.name), {.with = "--source"}},
       {"--header-name", "NAME", append_parsed(any, arguments.header_names), {.with = "--source", .is_repeated = true}},
       {"--header-file", "FILE", append_to(arguments.header_files), {.with = "--header-name", .is_required = true}},
       {"--name-expression",
        "TEXT",
        append_parsed(any, arguments.name_expressions),
        {.with = "--source", .is_repeated = true}},
       {"--option", "TEXT", append_parsed(any, arguments.options), {.with = "--source", .is_repeated = true}}});
}

Result<Arguments> parse(const std::vector<std::string>& words) {
  Arguments arguments;
  const OptionTable table = table_of(arguments);
  const auto given = table.parse(words);
  if (!given) return given.error();
  if (const auto missing = table.missing(*given)) return *missing;
  if (!arguments.describe && arguments.source.empty()) return table.wrong("--describe or --source is missing");
  if (arguments.header_names.size() != arguments.header_files.size())
    return table.wrong("each --header-name goes with a --header-file");
  return arguments;
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

int run(const std::vector<std::string>& words) {
  const auto parsed = parse(words);
  if (!parsed) {
    std::fprintf(stderr, "error: %s\nusage: %s\n", parsed.error().message.c_str(), parsed.error().hint.c_str());
    return usage;
  }
  const Arguments& arguments = *parsed;
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
  return kernloop::nvrtc::run({words + 1, words + count});
}
