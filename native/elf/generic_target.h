// Generic processors of AMD, whose code runs on every processor of a family (LLVM's AMDGPUUsage, "Generic processors").
#pragma once

#include <string_view>

namespace kernloop::elf {

// "gfx10-3-generic" includes "gfx1030". gfx908 and gfx90a are in no family.
inline bool generic_includes(std::string_view generic, std::string_view processor) {
  using Names = std::string_view[];
  const auto among = [&](const auto& names) {
    for (const std::string_view name : names) {
      if (name == processor) return true;
    }
    return false;
  };
  if (generic == "gfx9-generic") return among(Names{"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"});
  if (generic == "gfx9-4-generic") return among(Names{"gfx940", "gfx941", "gfx942", "gfx950"});
  if (generic == "gfx10-1-generic") return among(Names{"gfx1010", "gfx1011", "gfx1012", "gfx1013"});
  if (generic == "gfx10-3-generic")
    return among(Names{"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"});
  if (generic == "gfx11-generic")
    return among(Names{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"});
  if (generic == "gfx12-generic") return among(Names{"gfx1200", "gfx1201"});
  return false;
}

}  // namespace kernloop::elf
