// State of each selection, over all processes of the app: at most one of them captures each of its dispatches, once.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "recorder/config.h"
#include "recorder/events.h"
#include "recorder/output_folder.h"

namespace kernloop::recorder {

// One dispatch of a selection.
struct CaptureKey {
  uint32_t selection = 0;
  uint64_t ordinal = 0;
};

class SelectionBoard {
 public:
  SelectionBoard(const Config& config, Events& events) : config_(config), events_(events) {}

  // Takes the locks of the outputs that are known before the app runs: CAPTURE_BUSY comes early. A selection whose
  // output is not available is refused; an Error means that none is left.
  Status claim_outputs();

  // The folder to write to, or null: captured, refused or in work already, by process `owner`, or refused now. Several
  // dispatches of one selection are all of the same process, since each counts for itself.
  OutputFolder* begin(const CaptureKey& key, pid_t by, pid_t* owner);
  void captured(const CaptureKey& key, archive::Json event);
  void refused(const CaptureKey& key, const Error& why);
  // The next match may still succeed with a wider scope.
  void violated(const CaptureKey& key, archive::Json event, const Error& why);

  // At the end: refuses violated selections that were never captured. Removes unfinished captures and the locks.
  void close();
  archive::Json captured_ids() const;
  archive::Json refused_ids() const;

 private:
  enum class State { kOpen, kInWork, kCaptured, kRefused };
  // State of one capture.
  struct Slot {
    State state = State::kOpen;
    std::unique_ptr<OutputFolder> folder;
    std::optional<Error> violation;
    uint64_t ordinal = 0;  // ordinal of the latest attempt
  };
  struct Entry {
    std::map<uint64_t, Slot> slots;  // by ordinal; the only one of a selection of one capture is number 0
    pid_t owner = 0;                 // process whose dispatch it took last
  };
  bool has_several(uint32_t selection) const { return config_.selections[selection].outputs.has_value(); }
  uint64_t most_slots(uint32_t selection) const;
  std::filesystem::path output_of(const CaptureKey& key) const;
  Slot& slot_of(const CaptureKey& key);
  Result<OutputFolder*> open(const CaptureKey& key, pid_t by, pid_t* owner);
  archive::Json ids_in(State state) const;
  pid_t owner_of(uint32_t selection) const;
  void print_refusal(const CaptureKey& key, const Error& why);

  const Config& config_;
  Events& events_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace kernloop::recorder
