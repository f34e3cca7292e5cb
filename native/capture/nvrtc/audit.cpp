// An audit library of the dynamic loader (LD_AUDIT, rtld-audit(7)): it is notified of every loaded object, before
// anything is bound to it. In libnvrtc it replaces four functions by ours; nothing else of the process is touched, and
// calls cost nothing more.
#include <link.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "capture/nvrtc/recorder.h"
#include "interpose/dynamic_symbols.h"

namespace kernloop::nvrtc {
using interpose::DynamicSymbols;
namespace {

Recorder* recorder = nullptr;

/// A loaded libnvrtc: a process may have several (PyTorch's own and the toolkit's).
struct Library {
  const link_map* object = nullptr;
  Api api;
  std::string path;
};
std::array<Library, 8> libraries;

/// The app must not learn of our troubles.
template <typename Record>
void record_safely(Record record) {
  try {
    record();
  } catch (...) {
    recorder->log("nvrtc: out of memory; a program is not recorded");
  }
}

/// The functions that replace those of library number `slot`.
template <size_t slot>
struct StandIn {
  static Api& api() { return libraries[slot].api; }

  static int create(Program* program, const char* source, const char* name, int headers,
                    const char* const* header_contents, const char* const* header_names) {
    const int result = api().create(program, source, name, headers, header_contents, header_names);
    if (result != 0 || program == nullptr || source == nullptr) return result;
    record_safely([&] {
      if (headers > max_list) {
        recorder->log("nvrtc: a program with %d headers is not recorded", headers);
        return;
      }
      ProgramRecord made;
      made.library = libraries[slot].path;
      if (api().version != nullptr) api().version(&made.version_major, &made.version_minor);
      made.source = source;
      if (name != nullptr) made.name = name;
      for (int i = 0; i < headers; ++i) made.headers.push_back({header_names[i], header_contents[i]});
      recorder->created(*program, std::move(made));
    });
    return result;
  }

  static int add_name_expression(Program program, const char* expression) {
    const int result = api().add_name_expression(program, expression);
    if (result == 0) record_safely([&] { recorder->name_expression(program, expression); });
    return result;
  }

  static int compile(Program program, int options, const char* const* option) {
    const int result = api().compile(program, options, option);
    if (result == 0) record_safely([&] { recorder->compiled(api(), program, options, option); });
    return result;
  }

  static int destroy(Program* program) {
    // Done before: the address may be another program's as soon as it is gone.
    if (program != nullptr) recorder->destroyed(*program);
    return api().destroy(program);
  }
};

template <typename Function>
    const ElfW(Sym) * find(const DynamicSymbols& symbols, const char* name, Function*& function) {
  const ElfW(Sym)* found = symbols.find(name);
  if (found != nullptr) function = reinterpret_cast<Function*>(symbols.address(*found));
  return found;
}

template <size_t slot>
void stand_in(const link_map& object) {
  Library& library = libraries[slot];
  library = {&object, {}, object.l_name};
  const DynamicSymbols symbols(object);
  Api& api = library.api;
  const ElfW(Sym)* create = find(symbols, "nvrtcCreateProgram", api.create);
  const ElfW(Sym)* compile = find(symbols, "nvrtcCompileProgram", api.compile);
  const ElfW(Sym)* add_name_expression = find(symbols, "nvrtcAddNameExpression", api.add_name_expression);
  const ElfW(Sym)* destroy = find(symbols, "nvrtcDestroyProgram", api.destroy);
  find(symbols, "nvrtcVersion", api.version);
  find(symbols, "nvrtcGetCUBINSize", api.cubin_size);
  find(symbols, "nvrtcGetCUBIN", api.cubin);
  find(symbols, "nvrtcGetPTXSize", api.ptx_size);
  find(symbols, "nvrtcGetPTX", api.ptx);
  if (create == nullptr || compile == nullptr || add_name_expression == nullptr || destroy == nullptr) {
    recorder->log("nvrtc: %s has not the functions of NVRTC", object.l_name);
    library = {};
    return;
  }
  using Ours = StandIn<slot>;
  // nvrtcCreateProgram last: without it the others have no effect.
  const bool redirected = symbols.redirect(*destroy, reinterpret_cast<void*>(&Ours::destroy)) &&
                          symbols.redirect(*compile, reinterpret_cast<void*>(&Ours::compile)) &&
                          symbols.redirect(*add_name_expression, reinterpret_cast<void*>(&Ours::add_name_expression)) &&
                          symbols.redirect(*create, reinterpret_cast<void*>(&Ours::create));
  if (!redirected)
    recorder->log("nvrtc: the symbols of %s cannot be changed; its programs are not seen", object.l_name);
}

template <size_t... slots>
bool stand_in_first_free(const link_map& object, std::index_sequence<slots...>) {
  return ((libraries[slots].object == nullptr && (stand_in<slots>(object), true)) || ...);
}

/// Also `libnvrtc-672ee683.so.11.2`, as wheels have it.
bool is_nvrtc(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  if (std::strncmp(name, "libnvrtc", 8) != 0 || (name[8] != '.' && name[8] != '-')) return false;
  return std::strncmp(name, "libnvrtc-builtins", 17) != 0 && std::strstr(name, ".so") != nullptr;
}

}  // namespace
}  // namespace kernloop::nvrtc

#define EXPORTED extern "C" __attribute__((visibility("default")))

/// 0: the loader leaves us out of this process.
EXPORTED unsigned la_version(unsigned loader) {
  using namespace kernloop::nvrtc;
  const char* folder = std::getenv("KERNLOOP_NVRTC_DIR");
  if (folder == nullptr || *folder == 0) return 0;
  const char* log = std::getenv("KERNLOOP_LOG_FILE");
  // Never freed: calls may come while the process ends.
  recorder = new (std::nothrow) Recorder(folder, log == nullptr ? "" : log);
  if (recorder == nullptr) return 0;
  return loader < LAV_CURRENT ? loader : LAV_CURRENT;
}

/// The loader calls it under its lock. The answer: no binding from or to it is of interest.
EXPORTED unsigned la_objopen(link_map* object, Lmid_t, uintptr_t*) {
  using namespace kernloop::nvrtc;
  if (!is_nvrtc(object->l_name)) return 0;
  if (!stand_in_first_free(*object, std::make_index_sequence<std::tuple_size_v<decltype(libraries)>>()))
    recorder->log("nvrtc: %s is one library too many; its programs are not seen", object->l_name);
  return 0;
}

EXPORTED unsigned la_objclose(uintptr_t* cookie) {
  using namespace kernloop::nvrtc;
  // By default the cookie is the object itself.
  for (Library& library : libraries) {
    if (reinterpret_cast<uintptr_t>(library.object) == *cookie) library = {};
  }
  return 0;
}
