// Streams: the order of work within one, between the default stream and the others, and the effect of a stream's
// capture on calls.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "fakes/cuda/objects.h"

namespace kernloop::cuda::fake {

CUstream create_stream(CUcontext context, unsigned int flags, int priority);

// Handles 0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD become their stream. Null: no stream of the context.
CUstream resolve_stream(CUcontext context, CUstream handle);

// Puts work behind the stream's earlier work, and behind `also` (of other streams).
OperationPtr enqueue(CUstream stream, std::function<void()> work, std::vector<OperationPtr> also = {});

void synchronize(CUcontext context);
// Done when all that the streams have now is done.
OperationPtr mark(CUcontext context);
bool idle(CUstream stream);         // the default stream: all that block it, too
void synchronize(CUstream stream);  // likewise

// --- Capture into a graph ---

struct StreamCapture {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  CUstream origin = nullptr;
  CUgraph graph = nullptr;
  std::atomic<bool> invalidated{false};
  std::set<CUstream> streams;  // streams whose work goes to the graph
};

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode);
// A stream that waits for an event of a capture is captured too.
CUresult join_capture(CUstream stream, const std::shared_ptr<StreamCapture>& capture,
                      const std::vector<CUgraphNode>& tail);
CUresult end_capture(CUstream stream, CUgraph* graph);
CUstreamCaptureMode& capture_mode_of_thread();

// Calls that may block or touch more than their stream (allocation, synchronous copies): an error, and the captures in
// the way are invalid, unless their modes allow it.
CUresult check_unsafe_call();
// Synchronising calls: no mode allows them on a stream being captured.
CUresult check_synchronizing(CUcontext context);
CUresult check_synchronizing(CUstream stream);
// Work for the default stream while a stream that blocks it is captured.
CUresult check_implicit(CUstream stream);

// One piece of work for a stream: done there, or, if the stream is captured, a node of the graph.
struct Work {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::optional<KernelLaunch> launch;  // for kernel nodes
  std::function<void(CUcontext)> run;  // for other nodes
  CUgraph child = nullptr;             // for child graph nodes
};
CUresult submit(CUstream stream, Work work);

}  // namespace kernloop::cuda::fake
