#include "fakes/cuda/work/streams.h"

#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/work/execution.h"
#include "fakes/cuda/work/graphs.h"

namespace kernloop::cuda::fake {
namespace {

std::atomic<uint32_t> next_stream_id{1};

CUstream per_thread_stream(CUcontext context) {
  {
    const std::lock_guard lock(context->mutex);
    const auto found = context->per_thread.find(std::this_thread::get_id());
    if (found != context->per_thread.end()) return found->second;
  }
  const CUstream stream = create_stream(context, CU_STREAM_DEFAULT, 0);
  const std::lock_guard lock(context->mutex);
  return context->per_thread[std::this_thread::get_id()] = stream;
}

// Operations that one of the stream waits for besides its predecessor. Holds the context's mutex.
std::vector<OperationPtr> implicit_order(CUstream stream) {
  std::vector<OperationPtr> after;
  const CUcontext context = stream->context;
  if (stream == context->legacy) {
    for (const CUstream other : context->streams) {
      if (other != stream && other->blocking() && !is_done(other->last)) after.push_back(other->last);
    }
  } else if (stream->blocking() && context->legacy != nullptr && !is_done(context->legacy->last)) {
    after.push_back(context->legacy->last);
  }
  return after;
}

std::vector<OperationPtr> last_operations(CUcontext context, bool blocking_only) {
  const std::lock_guard lock(context->mutex);
  std::vector<OperationPtr> operations;
  for (const CUstream stream : context->streams) {
    if (!blocking_only || stream->blocking()) operations.push_back(stream->last);
  }
  return operations;
}

OperationPtr last_operation(CUstream stream) {
  const std::lock_guard lock(stream->context->mutex);
  return stream->last;
}

}  // namespace

CUstream create_stream(CUcontext context, unsigned int flags, int priority) {
  auto* const stream = new CUstream_st;
  stream->context = context;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_stream_id++;
  Live<CUstream>::of().add(stream);
  {
    const std::lock_guard lock(context->mutex);
    context->streams.push_back(stream);
  }
  callbacks().resource(CUPTI_CBID_RESOURCE_STREAM_CREATED, context, stream, nullptr);
  return stream;
}

CUstream resolve_stream(CUcontext context, CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return context->legacy;
  if (handle == CU_STREAM_PER_THREAD) return per_thread_stream(context);
  return alive(handle) && handle->context == context ? handle : nullptr;
}

OperationPtr enqueue(CUstream stream, std::function<void()> work, std::vector<OperationPtr> also) {
  auto operation = std::make_shared<Operation>();
  operation->work = std::move(work);
  const std::lock_guard lock(stream->context->mutex);
  operation->after = implicit_order(stream);
  for (OperationPtr& other : also) operation->after.push_back(std::move(other));
  stream->last = operation;
  stream->worker.push(operation);
  return operation;
}

void synchronize(CUcontext context) {
  for (const OperationPtr& operation : last_operations(context, false)) wait_for(operation);
}

OperationPtr mark(CUcontext context) {
  auto operation = std::make_shared<Operation>();
  operation->after = last_operations(context, false);
  context->marks.push(operation);
  return operation;
}

bool idle(CUstream stream) {
  if (stream != stream->context->legacy) return is_done(last_operation(stream));
  for (const OperationPtr& operation : last_operations(stream->context, true)) {
    if (!is_done(operation)) return false;
  }
  return true;
}

void synchronize(CUstream stream) {
  if (stream != stream->context->legacy) return wait_for(last_operation(stream));
  for (const OperationPtr& operation : last_operations(stream->context, true)) wait_for(operation);
}

CUresult submit(CUstream stream, Work work) {
  if (stream->capture != nullptr) return add_captured_node(stream, std::move(work));
  if (const CUresult error = check_implicit(stream); error != CUDA_SUCCESS) return error;
  const CUcontext context = stream->context;
  if (work.launch) work.launch->stream_id = stream->id;
  enqueue(stream, [context, work = std::move(work)] { perform(context, work); });
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
