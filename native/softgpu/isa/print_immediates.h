// The symbolic immediates of scalar instructions: s_waitcnt, s_sendmsg, hwreg(), gpr_idx().
#pragma once

#include <string>

#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

std::string print_waitcnt(Isa isa, unsigned simm16);
std::string print_message(Isa isa, unsigned simm16);
std::string print_hwreg(Isa isa, unsigned simm16);
std::string print_gpr_index(unsigned modes);

}  // namespace kernloop::softgpu
