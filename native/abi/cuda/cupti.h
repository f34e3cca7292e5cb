// The part of CUPTI's ABI in use, under the names of the CUPTI headers (cupti_callbacks.h, cupti_activity.h,
// generated_cuda_meta.h of CUDA 13.0). conformance_test.cpp compares it with them if a toolkit is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/cuda/driver.h"

namespace kernloop::cuda {

enum CUptiResult : uint32_t {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_PARAMETER = 1,
  CUPTI_ERROR_INVALID_DEVICE = 2,
  CUPTI_ERROR_INVALID_CONTEXT = 3,
  CUPTI_ERROR_INVALID_OPERATION = 7,
  CUPTI_ERROR_OUT_OF_MEMORY = 8,
  CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
  CUPTI_ERROR_NOT_READY = 13,
  CUPTI_ERROR_NOT_COMPATIBLE = 14,
  CUPTI_ERROR_NOT_INITIALIZED = 15,
  CUPTI_ERROR_QUEUE_EMPTY = 18,
  CUPTI_ERROR_INVALID_KIND = 21,
  CUPTI_ERROR_DISABLED = 23,
  CUPTI_ERROR_HARDWARE_BUSY = 26,
  CUPTI_ERROR_NOT_SUPPORTED = 27,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
  CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
  CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED = 43,
  CUPTI_ERROR_UNKNOWN = 999,
};

// --- Callbacks ---

enum CUpti_CallbackDomain : uint32_t {
  CUPTI_CB_DOMAIN_INVALID = 0,
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RUNTIME_API = 2,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
  CUPTI_CB_DOMAIN_SYNCHRONIZE = 4,
  CUPTI_CB_DOMAIN_NVTX = 5,
  CUPTI_CB_DOMAIN_STATE = 6,
};

using CUpti_CallbackId = uint32_t;

enum CUpti_CallbackIdResource : uint32_t {
  CUPTI_CBID_RESOURCE_INVALID = 0,
  CUPTI_CBID_RESOURCE_CONTEXT_CREATED = 1,
  CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
  CUPTI_CBID_RESOURCE_STREAM_CREATED = 3,
  CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING = 4,
  CUPTI_CBID_RESOURCE_CU_INIT_FINISHED = 5,
  CUPTI_CBID_RESOURCE_MODULE_LOADED = 6,
  CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING = 7,
  CUPTI_CBID_RESOURCE_MODULE_PROFILED = 8,
  CUPTI_CBID_RESOURCE_GRAPH_CREATED = 9,
  CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING = 10,
  CUPTI_CBID_RESOURCE_GRAPH_CLONED = 11,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING = 12,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
  CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING = 14,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING = 17,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED = 18,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING = 19,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20,
};

enum CUpti_CallbackIdSync : uint32_t {
  CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED = 1,
  CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED = 2,
};

enum CUpti_CallbackIdState : uint32_t {
  CUPTI_CBID_STATE_FATAL_ERROR = 1,
  CUPTI_CBID_STATE_ERROR = 2,
  CUPTI_CBID_STATE_WARNING = 3,
};

// Domain DRIVER_API.
enum CUpti_driver_api_trace_cbid : uint32_t {
#define DRIVER_CALLBACK(function, id) CUPTI_DRIVER_TRACE_CBID_##function = id,
#include "abi/cuda/cupti_driver_callbacks.def"
#undef DRIVER_CALLBACK
};

enum CUpti_ApiCallbackSite : uint32_t {
  CUPTI_API_ENTER = 0,
  CUPTI_API_EXIT = 1,
};

struct CUpti_CallbackData {
  CUpti_ApiCallbackSite callbackSite;
  const char* functionName;
  const void* functionParams;  // a cuXxx_params
  void* functionReturnValue;   // a CUresult*, valid at API_EXIT only
  const char* symbolName;      // mangled name of the kernel, of launches only
  CUcontext context;
  uint32_t contextUid;
  uint64_t* correlationData;  // one word of the subscriber's, shared by the ENTER and the EXIT of one call
  uint32_t correlationId;
};

struct CUpti_ResourceData {
  CUcontext context;
  union {
    CUstream stream;
  } resourceHandle;
  void* resourceDescriptor;  // MODULE_…: a CUpti_ModuleResourceData; GRAPH…: a CUpti_GraphData
};

struct CUpti_ModuleResourceData {
  uint32_t moduleId;
  size_t cubinSize;
  const char* pCubin;  // valid during the callback
};

struct CUpti_GraphData {
  CUgraph graph;
  CUgraph originalGraph;
  CUgraphNode node;
  CUgraphNode originalNode;
  CUgraphNodeType nodeType;
  CUgraphNode dependency;
  CUgraphExec graphExec;
};

struct CUpti_SynchronizeData {
  CUcontext context;
  CUstream stream;
};

struct CUpti_SubscriberParams {
  size_t structSize;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
};

using CUpti_SubscriberHandle = struct CUpti_Subscriber_st*;
using CUpti_CallbackFunc = void (*)(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                    const void* cbdata);

// --- Activity records ---

enum CUpti_ActivityKind : uint32_t {
  CUPTI_ACTIVITY_KIND_INVALID = 0,
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
};

inline constexpr uint32_t CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1;  // also hands out buffers with unfinished records

enum CUpti_ActivityAttribute : uint32_t {
  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE = 0,
  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT = 2,
  CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE = 3,
  CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT = 4,
  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE = 6,
};

enum CUpti_ExternalCorrelationKind : uint32_t {
  CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN = 1,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1 = 4,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 = 5,
};

struct __attribute__((packed, aligned(8))) CUpti_Activity {
  CUpti_ActivityKind kind;
};

struct __attribute__((packed, aligned(8))) CUpti_ActivityExternalCorrelation {
  CUpti_ActivityKind kind;
  CUpti_ExternalCorrelationKind externalKind;
  uint64_t externalId;
  uint32_t correlationId;
  uint32_t reserved;
};

// Common beginning of the records of KIND_KERNEL and KIND_CONCURRENT_KERNEL since CUpti_ActivityKernel3 (CUDA 7.0),
// through CUpti_ActivityKernel10 (CUDA 13): the same fields at the same offsets (cupti_activity_deprecated.h;
// conformance_test.cpp checks each). A real record is longer (120 to 216 bytes): step with cuptiActivityGetNextRecord,
// never with sizeof. Times are nanoseconds of the clock of cuptiGetTimestamp; 0 in `start` and `end`: not measured.
struct __attribute__((packed, aligned(8))) KernelActivityPrefix {
  CUpti_ActivityKind kind;
  uint8_t cacheConfig;
  uint8_t sharedMemoryConfig;
  uint16_t registersPerThread;
  uint32_t partitionedGlobalCacheRequested;
  uint32_t partitionedGlobalCacheExecuted;
  uint64_t start;
  uint64_t end;
  uint64_t completed;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  int32_t gridX;
  int32_t gridY;
  int32_t gridZ;
  int32_t blockX;
  int32_t blockY;
  int32_t blockZ;
  int32_t staticSharedMemory;
  int32_t dynamicSharedMemory;
  uint32_t localMemoryPerThread;
  uint32_t localMemoryTotal;
  uint32_t correlationId;
  int64_t gridId;
  const char* name;  // mangled; belongs to CUPTI
};

// Asks for a buffer of records: 8-byte aligned. *maxNumRecords 0: as many as fit.
using CUpti_BuffersCallbackRequestFunc = void (*)(uint8_t** buffer, size_t* size, size_t* maxNumRecords);
using CUpti_BuffersCallbackCompleteFunc = void (*)(CUcontext context, uint32_t streamId, uint8_t* buffer, size_t size,
                                                   size_t validSize);

// --- Parameters of driver functions, as CUpti_CallbackData::functionParams holds them ---
// The _ptsz and _ptds forms have the same layout as the plain ones.

struct cuInit_params {
  unsigned int Flags;
};
struct cuDevicePrimaryCtxRetain_params {
  CUcontext* pctx;
  CUdevice dev;
};
struct cuDevicePrimaryCtxRelease_v2_params {
  CUdevice dev;
};
struct cuDevicePrimaryCtxReset_v2_params {
  CUdevice dev;
};
struct cuCtxDestroy_v2_params {
  CUcontext ctx;
};
struct cuCtxSetLimit_params {
  CUlimit limit;
  size_t value;
};
struct cuStreamDestroy_v2_params {
  CUstream hStream;
};
struct cuStreamSynchronize_params {
  CUstream hStream;
};
struct cuStreamBeginCapture_v2_params {
  CUstream hStream;
  CUstreamCaptureMode mode;
};
struct cuStreamEndCapture_params {
  CUstream hStream;
  CUgraph* phGraph;
};
struct cuEventRecord_params {
  CUevent hEvent;
  CUstream hStream;
};
struct cuStreamWaitEvent_params {
  CUstream hStream;
  CUevent hEvent;
  unsigned int Flags;
};

// Memory.
struct cuMemAlloc_v2_params {
  CUdeviceptr* dptr;
  size_t bytesize;
};
struct cuMemAllocPitch_v2_params {
  CUdeviceptr* dptr;
  size_t* pPitch;
  size_t WidthInBytes;
  size_t Height;
  unsigned int ElementSizeBytes;
};
struct cuMemAllocManaged_params {
  CUdeviceptr* dptr;
  size_t bytesize;
  unsigned int flags;
};
struct cuMemAllocAsync_params {
  CUdeviceptr* dptr;
  size_t bytesize;
  CUstream hStream;
};
struct cuMemAllocFromPoolAsync_params {
  CUdeviceptr* dptr;
  size_t bytesize;
  CUmemoryPool pool;
  CUstream hStream;
};
struct cuMemFree_v2_params {
  CUdeviceptr dptr;
};
struct cuMemFreeAsync_params {
  CUdeviceptr dptr;
  CUstream hStream;
};
struct cuMemAllocHost_v2_params {
  void** pp;
  size_t bytesize;
};
struct cuMemHostAlloc_params {
  void** pp;
  size_t bytesize;
  unsigned int Flags;
};
struct cuMemFreeHost_params {
  void* p;
};
struct cuMemHostRegister_params {
  void* p;
  size_t bytesize;
  unsigned int Flags;
};
struct cuMemHostRegister_v2_params {
  void* p;
  size_t bytesize;
  unsigned int Flags;
};
struct cuMemHostUnregister_params {
  void* p;
};
struct cuMemHostGetDevicePointer_v2_params {
  CUdeviceptr* pdptr;
  void* p;
  unsigned int Flags;
};
struct cuIpcOpenMemHandle_params {
  CUdeviceptr* pdptr;
  CUipcMemHandle handle;
  unsigned int Flags;
};
struct cuIpcOpenMemHandle_v2_params {
  CUdeviceptr* pdptr;
  CUipcMemHandle handle;
  unsigned int Flags;
};
struct cuIpcCloseMemHandle_params {
  CUdeviceptr dptr;
};
struct cuIpcGetMemHandle_params {
  CUipcMemHandle* pHandle;
  CUdeviceptr dptr;
};
struct cuMemPoolImportPointer_params {
  CUdeviceptr* ptr_out;
  CUmemoryPool pool;
  CUmemPoolPtrExportData* shareData;
};
struct cuMemPoolDestroy_params {
  CUmemoryPool pool;
};
struct cuExternalMemoryGetMappedBuffer_params {
  CUdeviceptr* devPtr;
  CUexternalMemory extMem;
  const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* bufferDesc;
};
struct cuDestroyExternalMemory_params {
  CUexternalMemory extMem;
};
struct cuGraphicsResourceGetMappedPointer_v2_params {
  CUdeviceptr* pDevPtr;
  size_t* pSize;
  CUgraphicsResource resource;
};

// Virtual memory.
struct cuMemAddressReserve_params {
  CUdeviceptr* ptr;
  size_t size;
  size_t alignment;
  CUdeviceptr addr;
  unsigned long long flags;
};
struct cuMemAddressFree_params {
  CUdeviceptr ptr;
  size_t size;
};
struct cuMemCreate_params {
  CUmemGenericAllocationHandle* handle;
  size_t size;
  const CUmemAllocationProp* prop;
  unsigned long long flags;
};
struct cuMemRelease_params {
  CUmemGenericAllocationHandle handle;
};
struct cuMemMap_params {
  CUdeviceptr ptr;
  size_t size;
  size_t offset;
  CUmemGenericAllocationHandle handle;
  unsigned long long flags;
};
struct cuMemUnmap_params {
  CUdeviceptr ptr;
  size_t size;
};
struct cuMemSetAccess_params {
  CUdeviceptr ptr;
  size_t size;
  const CUmemAccessDesc* desc;
  size_t count;
};
struct cuMemRetainAllocationHandle_params {
  CUmemGenericAllocationHandle* handle;
  void* addr;
};
struct cuMemImportFromShareableHandle_params {
  CUmemGenericAllocationHandle* handle;
  void* osHandle;
  CUmemAllocationHandleType shHandleType;
};
struct cuMemExportToShareableHandle_params {
  void* shareableHandle;
  CUmemGenericAllocationHandle handle;
  CUmemAllocationHandleType handleType;
  unsigned long long flags;
};
struct cuMulticastBindMem_params {
  CUmemGenericAllocationHandle mcHandle;
  size_t mcOffset;
  CUmemGenericAllocationHandle memHandle;
  size_t memOffset;
  size_t size;
  unsigned long long flags;
};
struct cuMulticastBindAddr_params {
  CUmemGenericAllocationHandle mcHandle;
  size_t mcOffset;
  CUdeviceptr memptr;
  size_t size;
  unsigned long long flags;
};

// Modules, libraries, functions.
struct cuModuleLoad_params {
  CUmodule* module;
  const char* fname;
};
struct cuModuleLoadData_params {
  CUmodule* module;
  const void* image;
};
struct cuModuleLoadDataEx_params {
  CUmodule* module;
  const void* image;
  unsigned int numOptions;
  CUjit_option* options;
  void** optionValues;
};
struct cuModuleLoadFatBinary_params {
  CUmodule* module;
  const void* fatCubin;
};
struct cuModuleUnload_params {
  CUmodule hmod;
};
struct cuModuleGetFunction_params {
  CUfunction* hfunc;
  CUmodule hmod;
  const char* name;
};
struct cuModuleGetGlobal_v2_params {
  CUdeviceptr* dptr;
  size_t* bytes;
  CUmodule hmod;
  const char* name;
};
struct cuFuncSetAttribute_params {
  CUfunction hfunc;
  CUfunction_attribute attrib;
  int value;
};
struct cuFuncSetCacheConfig_params {
  CUfunction hfunc;
  CUfunc_cache config;
};
struct cuLibraryLoadData_params {
  CUlibrary* library;
  const void* code;
  CUjit_option* jitOptions;
  void** jitOptionsValues;
  unsigned int numJitOptions;
  CUlibraryOption* libraryOptions;
  void** libraryOptionValues;
  unsigned int numLibraryOptions;
};
struct cuLibraryLoadFromFile_params {
  CUlibrary* library;
  const char* fileName;
  CUjit_option* jitOptions;
  void** jitOptionsValues;
  unsigned int numJitOptions;
  CUlibraryOption* libraryOptions;
  void** libraryOptionValues;
  unsigned int numLibraryOptions;
};
struct cuLibraryUnload_params {
  CUlibrary library;
};
struct cuLibraryGetKernel_params {
  CUkernel* pKernel;
  CUlibrary library;
  const char* name;
};
struct cuLibraryGetModule_params {
  CUmodule* pMod;
  CUlibrary library;
};
struct cuLibraryGetGlobal_params {
  CUdeviceptr* dptr;
  size_t* bytes;
  CUlibrary library;
  const char* name;
};
struct cuKernelGetFunction_params {
  CUfunction* pFunc;
  CUkernel kernel;
};
struct cuKernelSetAttribute_params {
  CUfunction_attribute attrib;
  int val;
  CUkernel kernel;
  CUdevice dev;
};

// Launches. cuLaunch, cuLaunchGrid and cuLaunchGridAsync are of CUDA 3.
struct cuLaunch_params {
  CUfunction f;
};
struct cuLaunchGrid_params {
  CUfunction f;
  int grid_width;
  int grid_height;
};
struct cuLaunchGridAsync_params {
  CUfunction f;
  int grid_width;
  int grid_height;
  CUstream hStream;
};
struct cuLaunchKernel_params {
  CUfunction f;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  void** kernelParams;
  void** extra;
};
struct cuLaunchKernelEx_params {
  const CUlaunchConfig* config;
  CUfunction f;
  void** kernelParams;
  void** extra;
};
struct cuLaunchCooperativeKernel_params {
  CUfunction f;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  void** kernelParams;
};
struct cuLaunchCooperativeKernelMultiDevice_params {
  CUDA_LAUNCH_PARAMS* launchParamsList;
  unsigned int numDevices;
  unsigned int flags;
};
struct cuLaunchHostFunc_params {
  CUstream hStream;
  CUhostFn fn;
  void* userData;
};

// Graphs.
struct cuGraphInstantiateWithFlags_params {
  CUgraphExec* phGraphExec;
  CUgraph hGraph;
  unsigned long long flags;
};
struct cuGraphInstantiateWithParams_params {
  CUgraphExec* phGraphExec;
  CUgraph hGraph;
  CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams;
};
struct cuGraphLaunch_params {
  CUgraphExec hGraph;
  CUstream hStream;
};
struct cuGraphUpload_params {
  CUgraphExec hGraph;
  CUstream hStream;
};
struct cuGraphExecDestroy_params {
  CUgraphExec hGraphExec;
};
struct cuGraphDestroy_params {
  CUgraph hGraph;
};
struct cuGraphAddKernelNode_v2_params {
  CUgraphNode* phGraphNode;
  CUgraph hGraph;
  const CUgraphNode* dependencies;
  size_t numDependencies;
  const CUDA_KERNEL_NODE_PARAMS* nodeParams;
};
struct cuGraphAddNode_v2_params {
  CUgraphNode* phGraphNode;
  CUgraph hGraph;
  const CUgraphNode* dependencies;
  const CUgraphEdgeData* dependencyData;
  size_t numDependencies;
  CUgraphNodeParams* nodeParams;
};
struct cuGraphAddMemAllocNode_params {
  CUgraphNode* phGraphNode;
  CUgraph hGraph;
  const CUgraphNode* dependencies;
  size_t numDependencies;
  CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams;
};
struct cuGraphKernelNodeSetParams_v2_params {
  CUgraphNode hNode;
  const CUDA_KERNEL_NODE_PARAMS* nodeParams;
};
struct cuGraphExecKernelNodeSetParams_v2_params {
  CUgraphExec hGraphExec;
  CUgraphNode hNode;
  const CUDA_KERNEL_NODE_PARAMS* nodeParams;
};
struct cuGraphExecMemsetNodeSetParams_params {
  CUgraphExec hGraphExec;
  CUgraphNode hNode;
  const CUDA_MEMSET_NODE_PARAMS* memsetParams;
  CUcontext ctx;
};
struct cuGraphExecMemcpyNodeSetParams_params {
  CUgraphExec hGraphExec;
  CUgraphNode hNode;
  const CUDA_MEMCPY3D* copyParams;
  CUcontext ctx;
};
struct cuGraphExecHostNodeSetParams_params {
  CUgraphExec hGraphExec;
  CUgraphNode hNode;
  const CUDA_HOST_NODE_PARAMS* nodeParams;
};
struct cuGraphExecNodeSetParams_params {
  CUgraphExec hGraphExec;
  CUgraphNode hNode;
  CUgraphNodeParams* nodeParams;
};
struct cuGraphNodeSetEnabled_params {
  CUgraphExec hGraphExec;
  CUgraphNode hNode;
  unsigned int isEnabled;
};
struct cuGraphExecUpdate_v2_params {
  CUgraphExec hGraphExec;
  CUgraph hGraph;
  CUgraphExecUpdateResultInfo* resultInfo;
};

// Textures, tensor maps.
struct cuTexObjectCreate_params {
  CUtexObject* pTexObject;
  const CUDA_RESOURCE_DESC* pResDesc;
  const CUDA_TEXTURE_DESC* pTexDesc;
  const CUDA_RESOURCE_VIEW_DESC* pResViewDesc;
};
struct cuTexObjectDestroy_params {
  CUtexObject texObject;
};
struct cuSurfObjectCreate_params {
  CUsurfObject* pSurfObject;
  const CUDA_RESOURCE_DESC* pResDesc;
};
struct cuSurfObjectDestroy_params {
  CUsurfObject surfObject;
};
struct cuTensorMapEncodeTiled_params {
  CUtensorMap* tensorMap;
  CUtensorMapDataType tensorDataType;
  cuuint32_t tensorRank;
  void* globalAddress;
  const cuuint64_t* globalDim;
  const cuuint64_t* globalStrides;
  const cuuint32_t* boxDim;
  const cuuint32_t* elementStrides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion l2Promotion;
  CUtensorMapFloatOOBfill oobFill;
};
struct cuTensorMapEncodeIm2col_params {
  CUtensorMap* tensorMap;
  CUtensorMapDataType tensorDataType;
  cuuint32_t tensorRank;
  void* globalAddress;
  const cuuint64_t* globalDim;
  const cuuint64_t* globalStrides;
  const int* pixelBoxLowerCorner;
  const int* pixelBoxUpperCorner;
  cuuint32_t channelsPerPixel;
  cuuint32_t pixelsPerColumn;
  const cuuint32_t* elementStrides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion l2Promotion;
  CUtensorMapFloatOOBfill oobFill;
};
struct cuTensorMapEncodeIm2colWide_params {
  CUtensorMap* tensorMap;
  CUtensorMapDataType tensorDataType;
  cuuint32_t tensorRank;
  void* globalAddress;
  const cuuint64_t* globalDim;
  const cuuint64_t* globalStrides;
  int pixelBoxLowerCornerWidth;
  int pixelBoxUpperCornerWidth;
  cuuint32_t channelsPerPixel;
  cuuint32_t pixelsPerColumn;
  const cuuint32_t* elementStrides;
  CUtensorMapInterleave interleave;
  CUtensorMapIm2ColWideMode mode;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion l2Promotion;
  CUtensorMapFloatOOBfill oobFill;
};
struct cuTensorMapReplaceAddress_params {
  CUtensorMap* tensorMap;
  void* globalAddress;
};

// Copies.
struct cuMemcpyHtoD_v2_params {
  CUdeviceptr dstDevice;
  const void* srcHost;
  size_t ByteCount;
};
struct cuMemcpyHtoDAsync_v2_params {
  CUdeviceptr dstDevice;
  const void* srcHost;
  size_t ByteCount;
  CUstream hStream;
};
struct cuMemcpyDtoH_v2_params {
  void* dstHost;
  CUdeviceptr srcDevice;
  size_t ByteCount;
};
struct cuMemcpyDtoHAsync_v2_params {
  void* dstHost;
  CUdeviceptr srcDevice;
  size_t ByteCount;
  CUstream hStream;
};
struct cuMemcpyDtoD_v2_params {
  CUdeviceptr dstDevice;
  CUdeviceptr srcDevice;
  size_t ByteCount;
};
struct cuMemcpyDtoDAsync_v2_params {
  CUdeviceptr dstDevice;
  CUdeviceptr srcDevice;
  size_t ByteCount;
  CUstream hStream;
};
struct cuMemcpy_params {
  CUdeviceptr dst;
  CUdeviceptr src;
  size_t ByteCount;
};
struct cuMemcpyAsync_params {
  CUdeviceptr dst;
  CUdeviceptr src;
  size_t ByteCount;
  CUstream hStream;
};

}  // namespace kernloop::cuda
