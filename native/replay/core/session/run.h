// One replay under way: what is launched, in which memory, and what the last launch left. Its steps (steps/step.h)
// share it.
#pragma once

#include <optional>
#include <vector>

#include "archive/capture/reader.h"
#include "replay/core/device/device.h"
#include "replay/core/launch/program.h"
#include "replay/core/memory/snapshot.h"
#include "replay/core/session/options.h"
#include "replay/core/session/session.h"
#include "verdict/compare.h"
#include "verdict/content_cache.h"
#include "verdict/poison_fill.h"
#include "verdict/varying.h"

namespace kernloop::replay {

struct LastLaunch {
  Fill fill = Fill::kCaptured;  // fill that it began with
  std::optional<uint64_t> wave_instructions;
  double seconds = 0;            // including everything around it
  std::vector<Access> accesses;  // if recorded
};

struct Run {
  Run(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink);

  // Maps the captured memory and loads the program.
  Status load();

  // Restores the memory that a launch begins with.
  Status restore(Fill fill);
  // True: completed. False: the result is emitted, and `end` says how the run ended.
  Result<bool> launch(uint64_t index, bool is_measured);
  Result<Comparison> compare(EventSink& to);
  // One launch that is not an iteration. If it differs, that is reported and replaces `total`. False: it did not end by
  // itself.
  Result<bool> launch_and_compare(Comparison& total);
  Result<bool> launch_once_more(Fill fill, Comparison& total);  // restores first

  void emit_result(const char* verdict, Json numbers);
  // A kernel that changes nothing is no proof of anything; a difference is a failure all the same.
  SessionEnd conclude(bool differs, bool is_meaningful, Json numbers);

  const Options& options;
  const archive::Reader& reader;
  DeviceReplay& device;
  EventSink& sink;
  ContentCache cache;
  Snapshot snapshot;
  Program program;
  std::vector<Target> targets;
  std::vector<VaryingRange> varying;
  LastLaunch last;
  bool disturbs_untouched;              // launches, from now on (untouched.h)
  Json circumstances = Json::object();  // fields of the result: conditions that only the reported launch had
  SessionEnd end;
};

}  // namespace kernloop::replay
