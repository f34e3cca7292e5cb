// -kernloop-pgo=use: optimises device code by a profile. LLVM's own PGOInstrumentationUse reads it, behind the passes
// that stock runs before it, so that functions have the hashes that they were instrumented with. Data that stock has no
// place for (wave visits, U or D of a block) is read from the side file and stays on the blocks (block_info.h) for the
// gate of the register allocator (gate.h) and the report (report.h).
//
// Control height reduction, which stock schedules with a profile at -O3, is left out for device code.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace kernloop::pgo_pass {

void register_use(llvm::PassBuilder& builder);

}  // namespace kernloop::pgo_pass
