#include "softgpu/hsa/tools.h"

#include <dlfcn.h>

#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu {

std::vector<std::string> split_tool_names(std::string_view list) {
  std::vector<std::string> names;
  std::string name;
  bool quoted = false;
  auto end_name = [&] {
    if (!name.empty()) names.push_back(name);
    name.clear();
  };
  for (size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\\' && i + 1 < list.size()) {
      name += list[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      end_name();
    } else {
      name += c;
    }
  }
  end_name();
  return names;
}

void Tools::load(std::string_view list, HsaApiTable& table) {
  using OnLoad = bool (*)(HsaApiTable*, uint64_t, uint64_t, const char* const*);
  for (const std::string& name : split_tool_names(list)) {
    void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      report_error("tool %s (HSA_TOOLS_LIB) is not loaded: %s", name.c_str(), ::dlerror());
      failed_.push_back(name);
      continue;
    }
    auto on_load = reinterpret_cast<OnLoad>(::dlsym(library, "OnLoad"));
    if (on_load == nullptr) {
      report_error("tool %s (HSA_TOOLS_LIB) has no OnLoad function: it sees nothing", name.c_str());
      failed_.push_back(name);
      ::dlclose(library);
      continue;
    }
    std::vector<const char*> failed;
    for (const std::string& other : failed_) failed.push_back(other.c_str());
    if (!on_load(&table, table.version.major_id, failed.size(), failed.data())) {
      report_error("tool %s (HSA_TOOLS_LIB) refused to be loaded", name.c_str());
      failed_.push_back(name);  // stays mapped: it may have put its functions into the table already
      continue;
    }
    log_line(LogLevel::kSetup, "tool %s loaded", name.c_str());
    tools_.push_back({name, library});
  }
}

void Tools::unload() {
  using OnUnload = void (*)();
  while (!tools_.empty()) {
    if (auto on_unload = reinterpret_cast<OnUnload>(::dlsym(tools_.back().library, "OnUnload"))) on_unload();
    tools_.pop_back();
  }
}

}  // namespace kernloop::softgpu
