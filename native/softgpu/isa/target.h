// Context of an instruction besides its bytes: the instruction set, and the number of lanes of a wave.
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

enum class Isa : uint8_t { kGfx90a, kGfx1030, kGfx942, kGfx1100 };
inline constexpr Isa kEveryIsa[] = {Isa::kGfx90a, Isa::kGfx1030, Isa::kGfx942, Isa::kGfx1100};
inline constexpr Isa kExecutedIsas[] = {Isa::kGfx90a, Isa::kGfx1030, Isa::kGfx942, Isa::kGfx1100};
inline constexpr unsigned kIsas = sizeof kEveryIsa / sizeof kEveryIsa[0];

constexpr const char* isa_name(Isa isa) {
  constexpr const char* kNames[kIsas] = {"gfx90a", "gfx1030", "gfx942", "gfx1100"};
  return kNames[static_cast<unsigned>(isa)];
}

// Waves of 32 lanes or of 64, as the kernel says.
constexpr bool is_rdna(Isa isa) {
  return isa == Isa::kGfx1030 || isa == Isa::kGfx1100;
}

struct Target {
  Isa isa;
  uint8_t wave_size;  // lanes; masks of lanes are this many bits wide

  bool operator==(const Target&) const = default;
};
inline constexpr Target kGfx90a{Isa::kGfx90a, 64};
inline constexpr Target kGfx942{Isa::kGfx942, 64};
inline constexpr Target kGfx1030{Isa::kGfx1030, 32};
inline constexpr Target kGfx1030Wave64{Isa::kGfx1030, 64};
inline constexpr Target kGfx1100{Isa::kGfx1100, 32};
inline constexpr Target kGfx1100Wave64{Isa::kGfx1100, 64};

}  // namespace kernloop::softgpu
