// The symbols of libcupti.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fakes/cuda/api_call.h"
#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/objects.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/work/activity.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {
namespace {

constexpr uint32_t kCuptiVersion = 130000;

const char* name_of(CUptiResult result) {
  switch (result) {
    case CUPTI_SUCCESS:
      return "CUPTI_SUCCESS";
    case CUPTI_ERROR_INVALID_PARAMETER:
      return "CUPTI_ERROR_INVALID_PARAMETER";
    case CUPTI_ERROR_INVALID_OPERATION:
      return "CUPTI_ERROR_INVALID_OPERATION";
    case CUPTI_ERROR_MAX_LIMIT_REACHED:
      return "CUPTI_ERROR_MAX_LIMIT_REACHED";
    case CUPTI_ERROR_INVALID_KIND:
      return "CUPTI_ERROR_INVALID_KIND";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
    default:
      return "CUPTI_ERROR_UNKNOWN";
  }
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = kCuptiVersion;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = name_of(result);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function, void* userdata) {
  return callbacks().subscribe(subscriber, function, userdata);
}

EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function, void* userdata,
                                     CUpti_SubscriberParams* params) {
  const CUptiResult result = callbacks().subscribe(subscriber, function, userdata);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params != nullptr && params->oldSubscriberSize > 0) {
    std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "another tool");
  }
  return result;
}

EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return callbacks().unsubscribe(subscriber);
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId id) {
  return callbacks().enable(enable != 0, subscriber, domain, id);
}

EXPORT CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  return callbacks().enable_domain(enable != 0, subscriber, domain);
}

EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || callback_name(id) == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = callback_name(id);
  return CUPTI_SUCCESS;
}

// Waits until the device is idle, like the real one.
EXPORT CUptiResult cuptiFinalize() {
  if (CUcontext context = current_context()) synchronize(context);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  *timestamp = now_ns() + kCuptiClockAheadNs;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* device) {
  if (!alive(context)) return CUPTI_ERROR_INVALID_CONTEXT;
  *device = static_cast<uint32_t>(context->device);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  if (!alive(context)) return CUPTI_ERROR_INVALID_CONTEXT;
  *id = context->uid;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return enable_activity(kind, true);
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return enable_activity(kind, false);
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                  CUpti_BuffersCallbackCompleteFunc complete) {
  return register_activity_buffers(request, complete);
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t) {
  return flush_activity();
}

EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t) {
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  return next_activity_record(buffer, bytes, record);
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = take_dropped_records();
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  push_external_id(kind, id);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* id) {
  return pop_external_id(kind, id);
}

}  // namespace kernloop::cuda::fake
