// A set of the vector registers of a wave: accumulation registers behind the others, as in WaveSlot.
#pragma once

#include <bitset>

namespace kernloop::softgpu {

using VectorRegisterSet = std::bitset<512>;

}  // namespace kernloop::softgpu
