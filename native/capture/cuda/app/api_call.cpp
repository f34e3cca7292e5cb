#include "capture/cuda/app/api_call.h"

namespace kernloop::capture {

using namespace cuda;

ApiTable::ApiTable() {
  add_memory_calls(*this);
  add_mapping_calls(*this);
  add_module_calls(*this);
  add_launch_calls(*this);
  add_graph_calls(*this);
  add_graph_exec_calls(*this);
  add_opaque_calls(*this);
  for (uint32_t id : {CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                      CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz, CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
                      CUPTI_DRIVER_TRACE_CBID_cuStreamQuery, CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz,
                      CUPTI_DRIVER_TRACE_CBID_cuEventQuery}) {
    set_waits(id);
  }
}

}  // namespace kernloop::capture
