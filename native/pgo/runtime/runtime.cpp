#include "pgo/runtime/runtime.h"

#include <unistd.h>

#include <cstdlib>

#include "pgo/collect/log.h"
#include "pgo/runtime/gpu.h"

namespace kernloop::pgo::runtime {

Runtime* Runtime::instance() {
  // Never destroyed: the app's last modules go when everything static is gone already.
  static Runtime* const one = []() -> Runtime* {
    const char* path = std::getenv(kConfigVariable);
    if (!path || !*path) return nullptr;
    auto config = read_config(path);
    if (!config) return warn(config.error()), nullptr;
    return new Runtime(std::move(*config));
  }();
  return one && one->process_ == ::getpid() ? one : nullptr;
}

Runtime::Runtime(Config config) : config_(std::move(config)), process_(::getpid()), events_(config_.events) {}

void Runtime::module_loaded(void* module, const void* image) {
  if (!module || !image) return;
  const Bytes code = gpu().code_at(image);
  if (code.empty()) return;
  const auto program = programs.program_of(code);
  if (!program) return;
  const std::string name = program->name.empty() ? "a program without a name" : program->name;
  if (const std::string variable = gpu().variable_of_its_own(code); !variable.empty()) {
    return events_.refused(
        name, "PGO_RUNTIME_VARIABLES",
        "it has variables of its own (" + variable + "), which each code object would have once more");
  }
  const std::string target = gpu().target(code, *program);
  const auto request = program->request(target);
  if (target.empty() || !request)
    return events_.refused(name, "PGO_RUNTIME_SOURCE",
                           target.empty() ? "its code names no target" : "it is no text in UTF-8");
  uint64_t place = 0;
  if (gpu().place(&place) != 0) return;
  auto entry = Builder(config_).open(*request);
  if (!entry) return events_.refused(name, entry.error().code, entry.error().message);
  auto managed = std::shared_ptr<Managed>(new Managed{{}, {config_, events_, std::move(*entry), name, place}});
  const std::lock_guard lock(mutex_);
  modules_[module] = std::move(managed);
  if (!at_exit_) {
    at_exit_ = true;
    // The device's runtime is initialised first, so that its own end comes after this.
    std::atexit([] {
      if (Runtime* runtime = Runtime::instance()) runtime->finish();
    });
  }
}

void Runtime::module_unloaded(void* module) {
  std::shared_ptr<Managed> managed;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(functions_, [&](const auto& one) { return one.second.first == module; });
    const auto found = modules_.find(module);
    if (found == modules_.end()) return;
    managed = std::move(found->second);
    modules_.erase(found);
  }
  const std::lock_guard lock(managed->mutex);
  managed->managed.finish(true);
}

void Runtime::function_found(void* function, void* module, const char* name) {
  const std::lock_guard lock(mutex_);
  if (function && name && modules_.contains(module)) functions_[function] = {module, name};
}

Runtime::Place Runtime::place_of(void* function) {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(function);
  if (found == functions_.end()) return {};
  const auto module = modules_.find(found->second.first);
  return module == modules_.end() ? Place{} : Place{module->second, found->second.second};
}

void Runtime::finish() {
  std::map<void*, std::shared_ptr<Managed>> modules;
  {
    const std::lock_guard lock(mutex_);
    modules.swap(modules_);
  }
  for (const auto& [module, managed] : modules) {
    const std::lock_guard lock(managed->mutex);
    try {
      managed->managed.finish(false);
    } catch (const std::exception& problem) {
      warn(std::string("what was counted is lost: ") + problem.what());
    }
  }
}

}  // namespace kernloop::pgo::runtime
