#include "fakes/cuda/work/streams.h"

#include <chrono>
#include <thread>

#include "fakes/cuda/api.h"
#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/settings.h"

namespace kernloop::cuda::fake {
namespace {

struct StreamHere {
  CUstream stream = nullptr;
  CUresult error = CUDA_SUCCESS;
};

StreamHere stream_here(CUstream handle) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return {nullptr, now.error};
  // Calls about a stream take one of any context.
  const bool special = handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
  if (!special && !alive(handle)) return {nullptr, CUDA_ERROR_INVALID_HANDLE};
  const CUstream stream = resolve_stream(special ? now.context : handle->context, handle);
  return {stream, stream->context->error.load()};
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = create_stream(now.context, flags, priority);
  return CUDA_SUCCESS;
}

// Work submitted before is still done.
CUresult cuStreamDestroy(CUstream stream) {
  if (!alive(stream) || stream == stream->context->legacy) return CUDA_ERROR_INVALID_HANDLE;
  callbacks().resource(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, stream->context, stream, nullptr);
  Live<CUstream>::of().remove(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  if (const CUresult error = check_synchronizing(now.stream); error != CUDA_SUCCESS) return error;
  synchronize(now.stream);
  return now.stream->context->error;
}

CUresult cuStreamQuery(CUstream handle) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  if (const CUresult error = check_synchronizing(now.stream); error != CUDA_SUCCESS) return error;
  if (!idle(now.stream)) return CUDA_ERROR_NOT_READY;
  return now.stream->context->error;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  *context = now.stream->context;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream handle, unsigned int* flags) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  *flags = now.stream->flags;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  *priority = now.stream->priority;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  *id = now.stream->id;
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return cuStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  const auto capture = now.stream->capture;
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (capture == nullptr) {
    // Whether the default stream "captures" is undefined while a stream that blocks it does.
    return handle == nullptr || handle == CU_STREAM_LEGACY ? check_implicit(now.stream) : CUDA_SUCCESS;
  }
  *status = capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph;
  if (dependencies != nullptr) *dependencies = now.stream->capture_tail.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = now.stream->capture_tail.size();
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  const StreamHere now = stream_here(handle);
  const CUresult result = now.error != CUDA_SUCCESS ? now.error : begin_capture(now.stream, mode);
  const std::chrono::microseconds late(settings().begin_capture_us);
  if (result == CUDA_SUCCESS && late.count() != 0) std::this_thread::sleep_for(late);
  return result;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  const StreamHere now = stream_here(handle);
  return now.error != CUDA_SUCCESS ? now.error : end_capture(now.stream, graph);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, capture_mode_of_thread());
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* userdata) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_HOST;
  work.run = [=](CUcontext) { function(userdata); };
  return submit(now.stream, std::move(work));
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* userdata, unsigned int) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_HOST;
  work.run = [=](CUcontext context) { callback(handle, context->error, userdata); };
  return submit(now.stream, std::move(work));
}

// --- Events ---

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  *event = new CUevent_st;
  (*event)->context = now.context;
  (*event)->flags = flags;
  Live<CUevent>::of().add(*event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream handle) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  if (!alive(event) || event->context != now.stream->context) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(event->mutex);
  event->captured = now.stream->capture;
  if (event->captured != nullptr) {
    event->captured_tail = now.stream->capture_tail;
    return CUDA_SUCCESS;
  }
  if (const CUresult error = check_implicit(now.stream); error != CUDA_SUCCESS) return error;
  event->recorded = enqueue(now.stream, nullptr);
  return CUDA_SUCCESS;
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event) {
  if (context == nullptr) {
    const Here now = here();
    if (now.error != CUDA_SUCCESS) return now.error;
    context = now.context;
  }
  if (!alive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!alive(event) || event->context != context) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult error = check_synchronizing(context); error != CUDA_SUCCESS) return error;
  const std::lock_guard lock(event->mutex);
  event->captured = nullptr;
  event->recorded = mark(context);
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int) {
  const StreamHere now = stream_here(handle);
  if (now.error != CUDA_SUCCESS) return now.error;
  if (!alive(event)) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(event->mutex);
  if (event->captured != nullptr) return join_capture(now.stream, event->captured, event->captured_tail);
  if (now.stream->capture != nullptr) {
    now.stream->capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  enqueue(now.stream, nullptr, {event->recorded});
  return CUDA_SUCCESS;
}

namespace {

struct EventHere {
  OperationPtr recorded;
  CUresult error = CUDA_SUCCESS;
};

EventHere event_here(CUevent event) {
  if (!alive(event)) return {nullptr, CUDA_ERROR_INVALID_HANDLE};
  const std::lock_guard lock(event->mutex);
  if (event->captured != nullptr) {
    event->captured->invalidated = true;
    return {nullptr, CUDA_ERROR_CAPTURED_EVENT};
  }
  return {event->recorded, event->context->error.load()};
}

}  // namespace

CUresult cuEventSynchronize(CUevent event) {
  const EventHere now = event_here(event);
  if (now.error != CUDA_SUCCESS) return now.error;
  wait_for(now.recorded);
  return event->context->error;
}

CUresult cuEventQuery(CUevent event) {
  const EventHere now = event_here(event);
  if (now.error != CUDA_SUCCESS) return now.error;
  return is_done(now.recorded) ? event->context->error.load() : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  const EventHere from = event_here(start), to = event_here(end);
  if (from.error != CUDA_SUCCESS) return from.error;
  if (to.error != CUDA_SUCCESS) return to.error;
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  if (from.recorded == nullptr || to.recorded == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!is_done(from.recorded) || !is_done(to.recorded)) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(static_cast<double>(to.recorded->end_ns - from.recorded->end_ns) * 1e-6);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  return Live<CUevent>::of().remove(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace kernloop::cuda::fake
