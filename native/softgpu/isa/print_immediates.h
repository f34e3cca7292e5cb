// The symbolic immediates of scalar instructions: s_waitcnt, s_sendmsg, hwreg(), gpr_idx().
#pragma once

#include <string>

namespace kernloop::softgpu {

std::string print_waitcnt(unsigned simm16);
std::string print_message(unsigned simm16);
std::string print_hwreg(unsigned simm16);
std::string print_gpr_index(unsigned modes);

}  // namespace kernloop::softgpu
