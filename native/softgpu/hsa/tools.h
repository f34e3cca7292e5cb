// Tool libraries named by HSA_TOOLS_LIB, loaded into the program and handed the API table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "softgpu/hsa/api/tables.h"

namespace kernloop::softgpu {

// ROCr's grammar: names separated by spaces; double quotes and backslashes protect a space.
std::vector<std::string> split_tool_names(std::string_view list);

class Tools {
 public:
  // Loads each library and calls its OnLoad. One that cannot be loaded, or refuses, is reported and left out.
  void load(std::string_view list, HsaApiTable& table);
  // Calls OnUnload, last loaded first. The libraries stay mapped: their threads may still be in their code.
  void unload();

 private:
  struct Tool {
    std::string name;
    void* library;
  };
  std::vector<Tool> tools_;
  std::vector<std::string> failed_;
};

}  // namespace kernloop::softgpu
