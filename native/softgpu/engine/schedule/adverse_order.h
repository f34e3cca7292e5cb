// Selects the wave that runs next, and for how long, in the adverse order (DispatchOptions::adverse).
//
// Waves of several workgroups take turns at their accesses to memory, in an order drawn from the seed. One order shows
// what another one hides: some waves run on for long, some are held back right after an access while all the others go
// on (between a load and the store that follows it an update is lost), most of all if the access met another wave's,
// and some are late from the start of a phase between two barriers (the data that they should provide is missing then).
// Waves that read what other workgroups write (WaveSlot::read_shared) are held until all the others are: no race shows
// an update that is lost between two atomics. A wave that waits, loading the same address again and again, goes on when
// no other wave can.
//
// A wave that published something (a flag, a ticket: an atomic or a store where another workgroup had been) may be kept
// until all others have ended, wait or are kept as well, and those that wait have looked again: the stores that it
// still owes are then missed. The last one kept goes on first: the last of many waves to take a ticket does not find
// the stores that the others owe.
#pragma once

#include <cstdint>
#include <vector>

#include "softgpu/engine/wave/permutation.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class AdverseOrder {
 public:
  explicit AdverseOrder(uint64_t seed) : state_(mix(seed ^ 0xadce5e)) {}

  struct Turn {
    WaveSlot* wave;
    uint32_t accesses;  // accesses for which it runs; 0: as far as it can
  };

  // A wave that can run again: at its start and after a barrier.
  void add(WaveSlot& wave);
  bool is_empty() const { return active_.empty() && waiting_.empty() && kept_.empty(); }
  // Takes the next wave; there must be one. `take_back` it afterwards, unless it has stopped.
  Turn next();
  // `waits`: seems to wait for another wave. `owes`: some of its stores have not arrived.
  void take_back(WaveSlot& wave, bool waits, bool owes);
  // Number of consecutive turns in which only waiting waves were left.
  uint64_t turns_of_waiting() const { return kept_.empty() ? turns_of_waiting_ : 0; }
  uint64_t waves() const { return active_.size() + waiting_.size() + kept_.size(); }

 private:
  struct Entry {
    WaveSlot* wave;
    uint64_t held_until;
    bool runs_on;
  };
  uint64_t draw() { return state_ = mix(state_); }
  bool happens(unsigned one_in) { return draw() % one_in == 0; }
  // Holds a wave for some turns of the others, or so long that most of them end.
  uint64_t hold() { return happens(4) ? uint64_t{1024} << draw() % 4 : uint64_t{2} << draw() % 6; }
  static Entry take(std::vector<Entry>& from, size_t at);
  Entry choose();
  Entry choose_kept();

  uint64_t state_;
  uint64_t turn_ = 0, turns_of_waiting_ = 0;
  std::vector<Entry> active_, waiting_;  // waves that can go on
  std::vector<Entry> kept_;              // since they published something, the last one last
  Entry current_{};
};

}  // namespace kernloop::softgpu
