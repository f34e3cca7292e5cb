// CUPTI's activity records of kernels, gathered in buffers that the tool provides and gets back filled.
#pragma once

#include "abi/cuda/cupti.h"
#include "fakes/cuda/work/launch.h"

namespace kernloop::cuda::fake {

// CUPTI's clock differs from the steady clock of the fake: like real ones it counts from about 1970.
constexpr uint64_t kCuptiClockAheadNs = 1'700'000'000'000'000'000;

CUptiResult enable_activity(CUpti_ActivityKind kind, bool on);
CUptiResult register_activity_buffers(CUpti_BuffersCallbackRequestFunc request,
                                      CUpti_BuffersCallbackCompleteFunc complete);
CUptiResult flush_activity();
CUptiResult next_activity_record(uint8_t* buffer, size_t bytes, CUpti_Activity** record);
size_t take_dropped_records();

void push_external_id(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult pop_external_id(CUpti_ExternalCorrelationKind kind, uint64_t* id);
// Called at each driver call that may start work: links the tool's id to the call.
void record_external_ids(uint32_t correlation);

void record_kernel(CUcontext context, const KernelLaunch& launch, uint64_t start_ns, uint64_t end_ns);

}  // namespace kernloop::cuda::fake
