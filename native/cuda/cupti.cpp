#include "cuda/cupti.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace kernloop::cuda {
namespace {

enum Presence { REQUIRED, OPTIONAL };

// CUPTI's soname has its CUDA major version.
constexpr int kNewestMajor = 13;
constexpr int kOldestMajor = 12;

std::vector<std::string> sonames(int driver_version) {
  std::vector<int> majors;
  for (int major = kNewestMajor; major >= kOldestMajor; --major) majors.push_back(major);
  const int preferred = driver_version / 1000;
  std::stable_partition(majors.begin(), majors.end(), [&](int major) { return major == preferred; });
  std::vector<std::string> names;
  for (int major : majors) names.push_back("libcupti.so." + std::to_string(major));
  return names;
}

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  std::vector<std::string> folders;
  for (const std::string& root : roots) {
    for (const char* folder : {"/lib64", "/lib", "/extras/CUPTI/lib64"}) folders.push_back(root + folder);
  }
  return folders;
}

struct Opened {
  void* handle = nullptr;
  std::string path;
  bool was_loaded = false;
};

Opened try_open(const std::string& path, int flags) {
  return {dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | flags), path, (flags & RTLD_NOLOAD) != 0};
}

std::string tried() {
  std::string list = "the library path";
  for (const std::string& folder : toolkit_folders()) list += ", " + folder;
  return list;
}

// Includes dlerror's message of an attempt that a user can fix.
Error missing(const std::string& reason) {
  return {"ENVIRONMENT_CUPTI_MISSING", "CUPTI cannot be opened: " + reason + " (looked in " + tried() + ")",
          "install CUPTI (package cuda-cupti of the CUDA toolkit, or the Python package nvidia-cuda-cupti), or name "
          "libcupti.so in KERNLOOP_CUPTI"};
}

Result<Opened> open_any(int driver_version) {
  std::string reason;
  const std::vector<std::string> names = sonames(driver_version);
  for (const std::string& name : names) {
    if (Opened opened = try_open(name, RTLD_NOLOAD); opened.handle != nullptr) return opened;
  }
  for (const std::string& name : names) {
    if (Opened opened = try_open(name, 0); opened.handle != nullptr) return opened;
    if (const char* why = dlerror(); why != nullptr && reason.empty()) reason = why;
  }
  for (const std::string& name : names) {
    for (const std::string& folder : toolkit_folders()) {
      if (Opened opened = try_open(folder + "/" + name, 0); opened.handle != nullptr) return opened;
    }
  }
  return missing(reason);
}

Result<Opened> open_library(int driver_version) {
  const char* named = std::getenv("KERNLOOP_CUPTI");
  if (named == nullptr || *named == '\0') return open_any(driver_version);
  for (const int flags : {RTLD_NOLOAD, 0}) {
    if (Opened opened = try_open(named, flags); opened.handle != nullptr) return opened;
  }
  const char* why = dlerror();
  return missing(why != nullptr ? why : "");
}

struct Lookup {
  void* library;
  std::string missing;

  template <typename Function>
  void find(Function& function, const char* symbol, Presence presence) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    if (function == nullptr && presence == REQUIRED) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
  }
};

}  // namespace

Result<std::shared_ptr<const Cupti>> Cupti::load(int driver_version) {
  const auto opened = open_library(driver_version);
  if (!opened) return opened.error();
  auto cupti = std::make_shared<Cupti>();
  cupti->path = opened->path;
  cupti->was_loaded = opened->was_loaded;
  Lookup lookup{opened->handle, {}};
#define FUNCTION(name, presence, parameters) lookup.find(cupti->name, #name, presence);
#include "abi/cuda/cupti_functions.def"
#undef FUNCTION
  if (!lookup.missing.empty()) {
    return Error{"ENVIRONMENT_CUPTI_TOO_OLD", opened->path + " lacks " + lookup.missing,
                 "use the CUPTI of CUDA 12.4 or newer; KERNLOOP_CUPTI names one"};
  }
  return std::shared_ptr<const Cupti>(std::move(cupti));
}

std::string Cupti::describe(CUptiResult result) const {
  const char* name = nullptr;
  if (cuptiGetResultString(result, &name) != CUPTI_SUCCESS || name == nullptr) name = "an unknown CUPTI error";
  return std::string(name) + " (" + std::to_string(static_cast<uint32_t>(result)) + ")";
}

Error subscription_error(const Cupti& cupti, CUptiResult result, const std::string& call) {
  const std::string what = call + ": " + cupti.describe(result);
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_MAX_LIMIT_REACHED:
      return {"CUPTI_BUSY", what,
              "CUPTI serves one tool a process: run the app without its profiler (Nsight, compute-sanitizer, "
              "torch.profiler)"};
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return {"CUPTI_NOT_PERMITTED", what,
              "the driver restricts profiling to administrators: set NVreg_RestrictProfilingToAdminUsers=0 or add "
              "CAP_SYS_ADMIN"};
    case CUPTI_ERROR_NOT_COMPATIBLE:
      return {"ENVIRONMENT_CUPTI_MISMATCH", what,
              cupti.path + " is newer than the driver: name the CUPTI of the driver's CUDA version in KERNLOOP_CUPTI"};
    default:
      return {"CUPTI_FAILED", what, "run with KERNLOOP_CUPTI naming the CUPTI of the driver's CUDA version"};
  }
}

}  // namespace kernloop::cuda
