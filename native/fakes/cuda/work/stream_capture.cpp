#include <algorithm>

#include "fakes/cuda/process.h"
#include "fakes/cuda/work/graphs.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {
namespace {

struct Captures {
  std::mutex mutex;
  std::vector<std::shared_ptr<StreamCapture>> active;
  uint64_t next_id = 1;
};

Captures& captures() {
  static Captures* const kCaptures = new Captures;
  return *kCaptures;
}

// The rules of cuThreadExchangeStreamCaptureMode.
bool forbids_unsafe_calls(const StreamCapture& capture) {
  if (capture_mode_of_thread() == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  const bool own = capture.thread == std::this_thread::get_id();
  if (own) return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return capture_mode_of_thread() == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

template <typename Predicate>
CUresult invalidate_if(Predicate in_the_way, CUresult error) {
  const std::lock_guard lock(captures().mutex);
  CUresult result = CUDA_SUCCESS;
  for (const auto& capture : captures().active) {
    if (!in_the_way(*capture)) continue;
    capture->invalidated = true;
    result = error;
  }
  return result;
}

}  // namespace

CUstreamCaptureMode& capture_mode_of_thread() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

CUresult check_unsafe_call() {
  return invalidate_if(forbids_unsafe_calls, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult check_synchronizing(CUcontext context) {
  return invalidate_if([&](const StreamCapture& capture) { return capture.origin->context == context; },
                       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult check_synchronizing(CUstream stream) {
  if (stream == stream->context->legacy) return check_implicit(stream);
  return invalidate_if([&](const StreamCapture& capture) { return capture.streams.count(stream) == 1; },
                       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult check_implicit(CUstream stream) {
  if (stream != stream->context->legacy) return CUDA_SUCCESS;
  const auto blocks_the_default_stream = [&](const StreamCapture& capture) {
    return std::any_of(capture.streams.begin(), capture.streams.end(),
                       [&](CUstream captured) { return captured->context == stream->context && captured->blocking(); });
  };
  return invalidate_if(blocks_the_default_stream, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  if (stream == stream->context->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const std::lock_guard lock(captures().mutex);
  if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<StreamCapture>();
  capture->id = captures().next_id++;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream;
  capture->graph = create_graph(stream->context);
  capture->streams = {stream};
  stream->capture = capture;
  stream->capture_tail.clear();
  captures().active.push_back(std::move(capture));
  return CUDA_SUCCESS;
}

CUresult join_capture(CUstream stream, const std::shared_ptr<StreamCapture>& capture,
                      const std::vector<CUgraphNode>& tail) {
  const std::lock_guard lock(captures().mutex);
  if (stream->capture != nullptr && stream->capture != capture) return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  if (std::find(captures().active.begin(), captures().active.end(), capture) == captures().active.end()) {
    return CUDA_SUCCESS;  // the capture is over, and with it the event's recording
  }
  stream->capture = capture;
  capture->streams.insert(stream);
  stream->capture_tail.insert(stream->capture_tail.end(), tail.begin(), tail.end());
  return CUDA_SUCCESS;
}

CUresult end_capture(CUstream stream, CUgraph* graph) {
  const std::lock_guard lock(captures().mutex);
  const auto capture = stream->capture;
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->thread != std::this_thread::get_id() && capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  for (const CUstream captured : capture->streams) {
    captured->capture = nullptr;
    captured->capture_tail.clear();
  }
  auto& active = captures().active;
  active.erase(std::find(active.begin(), active.end(), capture));
  *graph = capture->invalidated ? nullptr : capture->graph;
  return capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
