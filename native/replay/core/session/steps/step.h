// One thing that a replay does besides launching and comparing: it observes (a dump, a lens, probes), or it launches
// again in another way (fills, a machine in use, a search).
#pragma once

#include <memory>
#include <vector>

#include "replay/core/session/run.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

// Result of all launches so far.
struct Judgement {
  Comparison total;
  Rewritten rewritten;  // bytes that were poisoned before at least one launch
  bool is_injection_missed = false;
  Json facts = Json::object();  // further fields of the result, which take precedence
};

// The session calls these functions in this order, each for all steps before the next one.
class Step {
 public:
  virtual ~Step() = default;
  // Everything is loaded, and nothing was launched.
  virtual Status prepare() { return Unit{}; }
  // Memory is restored for the first iteration.
  virtual Status before_launches() { return Unit{}; }
  // An iteration completed, those that warm up included.
  virtual void after_launch() {}
  // All iterations ended, and memory is as the last one left it.
  virtual Status report() { return Unit{}; }
  // Further launches, if the replay is compared and no difference was found yet; a difference is put into the
  // judgement. False: a launch did not end by itself (Run::launch).
  virtual Result<bool> launch_again(Judgement&) { return true; }
  // All launches ended.
  virtual Status conclude(Judgement&) { return Unit{}; }
};

using Steps = std::vector<std::unique_ptr<Step>>;

}  // namespace kernloop::replay
