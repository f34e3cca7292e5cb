// The entry points of the plugin. It has no static object whose constructor would call LLVM: if loaded into another
// LLVM, it can still report that.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <llvm/Plugins/PassPlugin.h>

#include "pgo/pass/generate/generate.h"
#include "pgo/pass/shared/options.h"
#include "pgo/pass/use/options.h"
#include "pgo/pass/use/use.h"

namespace kernloop::pgo_pass {

namespace {

// The plugin brings libLLVM.so.22 along, whose symbols have versions. Another one in the process is the host's.
int lookAtLibrary(dl_phdr_info* info, size_t, void* other) {
  const char* name = std::strrchr(info->dlpi_name, '/');
  name = name ? name + 1 : info->dlpi_name;
  int major = 0;
  if ((std::sscanf(name, "libLLVM-%d", &major) == 1 || std::sscanf(name, "libLLVM.so.%d", &major) == 1) &&
      major != KERNLOOP_PGO_LLVM)
    *static_cast<int*>(other) = major;
  return 0;
}

int foreignMajor() {
  int major = 0;
  dl_iterate_phdr(lookAtLibrary, &major);
  if (major != 0) return major;
  // A compiler that has LLVM inside, and says which.
  using Version = void (*)(unsigned*, unsigned*, unsigned*);
  if (const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"))) {
    unsigned found = 0;
    version(&found, nullptr, nullptr);
    if (found != KERNLOOP_PGO_LLVM) return static_cast<int>(found);
  }
  return 0;
}

void requireOurLlvm() {
  const int other = foreignMajor();
  if (other == 0) return;
  std::fprintf(stderr,
               "error: kernloop-pgo-pass-%d.so is built for LLVM %d and was loaded by LLVM %d: compile with clang-%d, "
               "or build the plugin for LLVM %d (native/pgo/pass)\n",
               KERNLOOP_PGO_LLVM, KERNLOOP_PGO_LLVM, other, KERNLOOP_PGO_LLVM, other);
  std::_Exit(1);
}

void registerPasses(llvm::PassBuilder& builder) {
  registerGenerate(builder);
  register_use(builder);
}

}  // namespace

}  // namespace kernloop::pgo_pass

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  kernloop::pgo_pass::requireOurLlvm();
  kernloop::pgo_pass::registerOptions();
  kernloop::pgo_pass::register_use_options();
  return {LLVM_PLUGIN_API_VERSION, "kernloop-pgo", "1", kernloop::pgo_pass::registerPasses};
}
