// Collects profiles of CUDA programs through the driver's API, from modules and libraries: when they are unloaded, when
// their context goes, or at the end. Programs of the runtime's API have libraries, too: the runtime loads its code as
// those.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "cuda/driver.h"
#include "pgo/collect/session.h"

namespace kernloop::pgo::cuda {

using namespace kernloop::cuda;

class Collector {
 public:
  static Collector& instance();
  const Driver* driver();

  void module_loaded(CUmodule module, const void* image);
  void module_loaded_from(CUmodule module, const char* file);
  void library_loaded(CUlibrary library, const void* image);
  void library_loaded_from(CUlibrary library, const char* file);
  void unloaded(const void* module_or_library);
  void context_goes(CUcontext context);
  // The context, if there is one; `went` must be called with it afterwards: others may hold it.
  CUcontext primary_context_may_go(CUdevice device);
  void primary_context_went(CUdevice device, CUcontext context);
  bool collect();
  void finish();
  void warn_of_the_rest();

 private:
  struct Loaded {
    std::vector<Unit> units;
    bool library = false;
    CUcontext context = nullptr;  // a module's own
    bool was_read = false;        // once, at least
  };
  void add(const void* handle, bool library, const void* image, const char* file);
  bool usable() const;
  std::vector<CUcontext> contexts_of(const Loaded& loaded);
  bool read(const void* handle, Loaded& loaded, CUcontext only = nullptr);
  void forget(CUcontext context);

  std::mutex mutex_;
  std::shared_ptr<const Driver> driver_;
  bool looked_for_ = false;
  Session session_;
  std::map<const void*, Loaded> loaded_;
  int next_number_ = 0;
  std::map<CUcontext, int> numbers_;  // numbers of contexts, in order of their first code
  int process_ = 0;
};

}  // namespace kernloop::pgo::cuda
