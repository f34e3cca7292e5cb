// Objects behind the driver's handles. They are never freed, only removed from the list of live ones: a stale handle is
// always distinguishable from a valid one, and threads may still use an object.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "abi/cuda/driver.h"
#include "fakes/cuda/image.h"
#include "fakes/cuda/work/launch.h"
#include "fakes/cuda/work/operation.h"

namespace kernloop::cuda {

namespace fake {
struct StreamCapture;
}

struct CUctx_st {
  int device = 0;
  uint32_t uid = 0;
  unsigned int flags = 0;
  bool primary = false;
  std::map<CUlimit, size_t> limits;
  std::atomic<CUresult> error{CUDA_SUCCESS};  // sticky
  std::atomic<bool> going_away{false};

  std::mutex mutex;  // guards the following members, and the last operations of the streams
  CUstream legacy = nullptr;
  std::map<std::thread::id, CUstream> per_thread;
  std::vector<CUstream> streams;  // all of them
  fake::Worker marks;             // ends of all streams' work, for events of the whole context
};

struct CUstream_st {
  CUcontext context = nullptr;
  unsigned int flags = 0;
  int priority = 0;
  uint32_t id = 0;
  fake::Worker worker;
  fake::OperationPtr last;
  std::shared_ptr<fake::StreamCapture> capture;
  std::vector<CUgraphNode> capture_tail;  // dependencies of the next captured node
  bool blocking() const { return (flags & CU_STREAM_NON_BLOCKING) == 0; }
};

struct CUevent_st {
  CUcontext context = nullptr;
  unsigned int flags = 0;
  std::mutex mutex;
  fake::OperationPtr recorded;
  std::shared_ptr<fake::StreamCapture> captured;  // set: recorded in a capture, which is not an execution
  std::vector<CUgraphNode> captured_tail;
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::shared_ptr<const fake::Image> image;
  uint32_t id = 0;
  struct Variable {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };
  std::map<std::string, Variable, std::less<>> variables;
  std::map<std::string, CUfunction, std::less<>> functions;
  CUlibrary library = nullptr;  // set: loaded for it
};

struct CUfunc_st {
  CUmodule module = nullptr;
  const fake::ImageKernel* kernel = nullptr;
  std::map<CUfunction_attribute, int> attributes;
};

struct CUlib_st {
  std::shared_ptr<const fake::Image> image;
  std::map<std::string, CUkernel, std::less<>> kernels;
  std::recursive_mutex mutex;             // a subscriber that hears of a module may call back
  std::map<CUcontext, CUmodule> modules;  // loaded when first needed in a context
};

struct CUkern_st {
  CUlibrary library = nullptr;
  const fake::ImageKernel* kernel = nullptr;
  std::map<CUfunction_attribute, int> attributes;
};

struct CUgraphNode_st {
  uint64_t id = 0;
  CUgraph graph = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  fake::KernelLaunch launch;            // for kernel nodes
  std::function<void(CUcontext)> work;  // for other nodes
  CUgraph child = nullptr;              // a copy of its own, of child graph nodes
  std::vector<CUgraphNode> dependencies;
  bool device_updatable = false;
  bool enabled = true;                    // for an executable graph's nodes
  std::vector<void*> parameter_pointers;  // into launch.parameters, for GetParams
};

struct CUgraph_st {
  uint32_t id = 0;
  CUcontext context = nullptr;
  std::vector<CUgraphNode> nodes;             // in the order in which they were added
  std::map<CUgraphNode, CUgraphNode> copies;  // in a clone: from the original's nodes
};

struct CUgraphExec_st {
  CUgraph graph = nullptr;                    // a copy of its own
  std::map<CUgraphNode, CUgraphNode> copies;  // from the original's nodes
  std::mutex mutex;
  fake::OperationPtr last;  // its last launch: the next one waits for it, in any stream
};

struct CUmemPoolHandle_st {
  int device = 0;
};

struct CUarray_st {
  CUcontext context = nullptr;
  CUdeviceptr base = 0;
};

namespace fake {

// The live handles of one kind.
template <typename Handle>
class Live {
 public:
  Handle add(Handle handle) {
    const std::unique_lock lock(mutex_);
    handles_.insert(handle);
    return handle;
  }
  bool remove(Handle handle) {
    const std::unique_lock lock(mutex_);
    return handles_.erase(handle) == 1;
  }
  bool has(Handle handle) const {
    const std::shared_lock lock(mutex_);
    return handles_.count(handle) == 1;
  }
  static Live& of() {
    static Live* const kLive = new Live;
    return *kLive;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_set<Handle> handles_;
};

template <typename Handle>
bool alive(Handle handle) {
  return handle != nullptr && Live<Handle>::of().has(handle);
}

}  // namespace fake
}  // namespace kernloop::cuda
