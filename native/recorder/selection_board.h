// What has become of each selection, over all processes of the app: at most one of them captures it, once.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "recorder/config.h"
#include "recorder/events.h"
#include "recorder/output_folder.h"

namespace kernloop::recorder {

class SelectionBoard {
 public:
  SelectionBoard(const Config& config, Events& events) : config_(config), events_(events) {}

  // Takes the locks of all outputs, before the app runs: CAPTURE_BUSY comes early.
  Status claim_outputs();

  // The folder to write to, or null: captured, refused or in work already, by process `owner`.
  OutputFolder* begin(uint32_t selection, pid_t pid, pid_t* owner);
  void captured(uint32_t selection, archive::Json event);
  void refused(uint32_t selection, const Error& why);
  // The next match may still succeed with a wider scope.
  void violated(uint32_t selection, archive::Json regions, const Error& why);

  // At the end: what was violated and never captured is refused. Removes unfinished captures and the locks.
  void close();
  archive::Json captured_ids() const;
  archive::Json refused_ids() const;

 private:
  enum class State { kOpen, kInWork, kCaptured, kRefused };
  struct Entry {
    State state = State::kOpen;
    std::unique_ptr<OutputFolder> folder;
    pid_t owner = 0;  // whose dispatch it took last
    std::optional<Error> violation;
  };
  archive::Json ids_in(State state) const;
  pid_t owner_of(uint32_t selection) const;
  void print_refusal(uint32_t selection, const Error& why);

  const Config& config_;
  Events& events_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace kernloop::recorder
