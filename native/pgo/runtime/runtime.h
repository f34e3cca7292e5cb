// The process's state: the app's modules that are managed, and the kernels of their function handles.
#pragma once

#include <atomic>

#include "pgo/runtime/managed_module.h"
#include "pgo/runtime/rtc_programs.h"

namespace kernloop::pgo::runtime {

class Runtime {
 public:
  // Null if this process is not managed: no configuration, or a fork of one that is.
  static Runtime* instance();

  RtcPrograms programs;
  std::atomic<int> captures = 0;  // running captures of streams into graphs

  void module_loaded(void* module, const void* image);
  void module_unloaded(void* module);
  void function_found(void* function, void* module, const char* name);

  // `launch` launches a function, and gives the runtime's error.
  template <typename Launch>
  int launch(void* function, Launch launch) {
    const Place place = place_of(function);
    if (!place.module) return launch(function);
    const std::lock_guard lock(place.module->mutex);
    ManagedModule& managed = place.module->managed;
    const ManagedModule::Choice choice = managed.choose(place.kernel, captures == 0);
    int error = launch(choice.function ? choice.function : function);
    if (error != 0 && choice.function) {
      managed.failed(place.kernel, choice, error);
      return launch(function);
    }
    if (error == 0) managed.after(place.kernel, choice);
    return error;
  }

  void finish();

 private:
  struct Managed {
    std::mutex mutex;
    ManagedModule managed;
  };
  struct Place {
    std::shared_ptr<Managed> module;
    std::string kernel;
  };
  explicit Runtime(Config config);
  Place place_of(void* function);

  const Config config_;
  const int process_;
  Events events_;
  std::mutex mutex_;
  std::map<void*, std::shared_ptr<Managed>> modules_;
  std::map<void*, std::pair<void*, std::string>> functions_;  // module and kernel
  bool at_exit_ = false;
};

}  // namespace kernloop::pgo::runtime
