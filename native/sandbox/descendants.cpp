#include "sandbox/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "base/descriptor.h"
#include "base/numbers.h"

namespace kernloop::sandbox {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
  uint64_t threads;
  uint64_t resident_pages;
};

/// /proc/PID/stat (proc(5)); nullopt for a process that has ended meanwhile.
std::optional<Process> process_of(pid_t pid) {
  const FileDescriptor file(open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t size = file ? read(file.get(), text, sizeof text - 1) : -1;
  if (size <= 0) return std::nullopt;
  text[size] = '\0';
  // The name, in parentheses, may hold any character.
  const char* after_name = std::strrchr(text, ')');
  long parent = 0;
  unsigned long threads = 0, resident = 0;
  const bool is_understood =
      after_name != nullptr &&
      std::sscanf(after_name + 1,
                  " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %lu %*d %*u %*u %lu", &parent,
                  &threads, &resident) == 3;
  if (!is_understood) return std::nullopt;
  return Process{pid, static_cast<pid_t>(parent), threads, resident};
}

std::optional<std::vector<Process>> all_processes() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), &closedir);
  if (!folder) return std::nullopt;
  std::vector<Process> processes;
  while (const dirent* entry = readdir(folder.get())) {
    const auto pid = number_of<pid_t>(entry->d_name);
    if (!pid) continue;
    if (const auto process = process_of(*pid)) processes.push_back(*process);
  }
  // A list that broke off, or that of another namespace, must not pass for a small count.
  if (std::none_of(processes.begin(), processes.end(), [](const Process& each) { return each.pid == getpid(); }))
    return std::nullopt;
  return processes;
}

}  // namespace

bool keep_descendants() {
  // A /proc of another namespace has other numbers.
  char self[32] = {};
  const ssize_t length = readlink("/proc/self", self, sizeof self - 1);
  return length > 0 && number_of<pid_t>(self) == getpid() && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

std::optional<Tree> descendants() {
  const auto processes = all_processes();
  if (!processes) return std::nullopt;
  std::set<pid_t> family = {getpid()};
  // A child may be listed before its parent: numbers start anew after the last one.
  for (size_t before = 0; before != family.size();) {
    before = family.size();
    for (const Process& process : *processes)
      if (family.contains(process.parent)) family.insert(process.pid);
  }
  Tree tree;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Process& process : *processes) {
    if (process.pid == getpid() || !family.contains(process.pid)) continue;
    // One that has ended, and that nobody waited for, has no threads, but keeps its number.
    tree.processes_and_threads += std::max<uint64_t>(process.threads, 1);
    tree.pids.push_back(process.pid);
    tree.resident_bytes += process.resident_pages * page;
  }
  return tree;
}

void end_descendants(const std::function<void()>& meanwhile) {
  for (;;) {
    meanwhile();
    const auto processes = all_processes();
    for (const Process& process : processes ? *processes : std::vector<Process>())
      if (process.parent == getpid()) kill(process.pid, SIGKILL);
    pid_t ended = 0;
    do {
      ended = waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    if (ended < 0) return;
    // A killed process may need a moment for its memory.
    poll(nullptr, 0, 1);
  }
}

}  // namespace kernloop::sandbox
