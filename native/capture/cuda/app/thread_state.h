// State that the agent keeps for a thread of the app.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/cuda/memory/tracked_memory.h"

namespace kernloop::capture {

class CapturedLaunch;
struct GraphExec;

struct ThreadState {
  ThreadState();
  ~ThreadState();

  uint32_t own_calls = 0;        // inside calls of the driver that are ours
  uint32_t own_modules = 0;      // …which load modules that are ours, too
  std::vector<uint32_t> calls;   // correlation ids of the app's calls that the gate has let in
  std::vector<uint32_t> loaded;  // cubins loaded since the app's call began, by number
  std::optional<TrackedAllocation> freeing;
  std::unique_ptr<CapturedLaunch> capturing;
  cuda::CUgraphExec launch_instead = nullptr;    // by a call of ours that launches a graph
  std::shared_ptr<GraphExec> launched_in_parts;  // by the app's call
};

ThreadState& this_thread();

// Calls of the driver by the agent itself, which are not the app's.
class OwnCalls {
 public:
  OwnCalls() { ++this_thread().own_calls; }
  ~OwnCalls() { --this_thread().own_calls; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;
};

class OwnModules {
 public:
  OwnModules() { ++this_thread().own_modules; }
  ~OwnModules() { --this_thread().own_modules; }
  OwnModules(const OwnModules&) = delete;
  OwnModules& operator=(const OwnModules&) = delete;

 private:
  OwnCalls calls_;
};

}  // namespace kernloop::capture
