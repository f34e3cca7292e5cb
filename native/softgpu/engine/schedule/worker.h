// Runs waves of one dispatch on one thread.
//
// A worker takes a workgroup and runs it to its end: the usual case. A workgroup that has run longer than any that
// completed may be waiting for another one (a spin-wait, a grid barrier), so once every resident workgroup is suspect,
// one more is admitted beside them, until all that the dispatch has are resident. Suspects share half of the time, the
// oldest first, so that workgroups that merely take long do not pile up. Time spent waiting must not raise the limit
// for the next ones: a suspect stays suspect, and the limit has an upper bound.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/execute/interpreter.h"
#include "softgpu/engine/observe/checker.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/schedule/dispatch.h"
#include "softgpu/engine/wave/slot_pool.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

inline bool is_runnable(const WaveSlot& wave) {
  return wave.state == WaveState::kReady || wave.state == WaveState::kIndexed;
}

class Worker {
 public:
  // `poll` is called between time slices; it may stop the dispatch.
  Worker(Dispatch& dispatch, SlotPool& pool, const std::function<void()>& poll);
  ~Worker();
  // Runs the part in the adverse order, without other workers (worker_adverse.cpp).
  void run_adverse();
  // Until no workgroup is left or the dispatch is stopped.
  void run();

 private:
  struct Resident {
    Workgroup workgroup;
    std::vector<std::unique_ptr<WaveSlot>> slots;
    std::vector<uint32_t> lds;
    bool waits = false;    // its last slice ended with every wave asleep
    bool suspect = false;  // it once ran longer than any that completed, and stays suspect to its end
  };

  bool admit();
  static bool is_suspect(const Resident& resident) { return resident.waits || resident.suspect; }
  Resident* find_fresh() const;
  // One slice; retires the workgroup when it is done. Returns the instructions executed.
  uint64_t run_slice(Resident& resident, uint32_t instructions_a_wave);
  bool advance(Resident& resident);
  void run_suspects(uint64_t budget);
  // `accesses`: to memory, after which it is interrupted; 0: none.
  void run_wave(WaveSlot& wave, uint32_t accesses = 0);
  bool try_pass_grid_barrier(WaveSlot& wave);
  void open_barrier(Workgroup& workgroup);
  Resident& resident_of(const WaveSlot& wave);
  std::unique_ptr<Checker> make_checker(const Checks& checks);
  void retire(Resident& resident);
  void account(uint64_t executed);
  void account_waiting(const WaveSlot& wave);
  void enforce_limit(const WaveSlot& wave);
  Fault place(const WaveFault& fault, const WaveSlot& wave);
  Fault place(const WaveFault& fault, const WaveSlot& wave, uint64_t pc);
  void add_past_lds(const WaveFault& fault, const WaveSlot& wave, const Instruction& instruction);
  void name_textures(Fault& fault);
  void fail(const WaveFault& fault, const WaveSlot& wave);

  Dispatch& dispatch_;
  SlotPool& pool_;
  const std::function<void()>& poll_;
  std::unique_ptr<AccessRecorder> recorder_;
  std::unique_ptr<Profiler> profiler_;
  std::unique_ptr<Prober> prober_;
  MemoryPort memory_;
  std::unordered_set<const Instruction*> past_lds_;  // already reported
  std::unique_ptr<Checker> checker_, adverse_checker_;
  Interpreter interpreter_;
  std::optional<Interpreter> adverse_interpreter_;
  Interpreter* interpreter_in_use_ = &interpreter_;
  std::vector<std::unique_ptr<Resident>> residents_;  // oldest first
  std::vector<std::unique_ptr<Resident>> spare_;
  Dispatch::Share share_;
  size_t next_suspect_ = 0;
  uint64_t idle_rounds_ = 0;  // in which every wave slept
  size_t bytes_a_workgroup_ = 0;
  uint64_t unreported_ = 0;  // executed, not yet added to the dispatch's count
  unsigned slices_since_poll_ = 0;

  uint64_t waves_ = 0, workgroups_ = 0;
};

}  // namespace kernloop::softgpu
