// Processes that descend from this one, however they were started. A subreaper keeps them: a process whose parent ended
// becomes its child.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kernloop::sandbox {

/// Makes this process the new parent of all that descend from it and lose theirs. False if they could not be found in
/// /proc.
bool keep_descendants();

struct Tree {
  std::vector<pid_t> pids;
  uint64_t processes_and_threads = 0;
  uint64_t resident_bytes = 0;
};

/// Counts from /proc; nullopt if that cannot be read.
std::optional<Tree> descendants();

/// Kills all descendants, and returns once none is left. `meanwhile` is called over and over, and must see to it that
/// none of them starts another. Only children are killed, whose numbers cannot be those of other processes before they
/// are waited for; grandchildren become children.
void end_descendants(const std::function<void()>& meanwhile);

}  // namespace kernloop::sandbox
