#include "capture/hsa/queues/signal.h"

#include <hsa/amd_hsa_signal.h>

namespace kernloop::capture {

void complete_for_app(const HsaOriginals& hsa, hsa_signal_t own, hsa_signal_t app) {
  if (app.handle == 0) return;
  // A signal's handle is the address of its amd_signal_t (amd_hsa_signal.h); packet processors write the stamps there.
  const auto* from = reinterpret_cast<const amd_signal_t*>(own.handle);
  auto* to = reinterpret_cast<amd_signal_t*>(app.handle);
  to->start_ts = from->start_ts;
  to->end_ts = from->end_ts;
  hsa.core.hsa_signal_subtract_screlease_fn(app, 1);
}

}  // namespace kernloop::capture
