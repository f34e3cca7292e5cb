#include "pgo/runtime/events.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "pgo/collect/log.h"

namespace kernloop::pgo::runtime {

void Events::write(const nlohmann::json& event) {
  const std::string line = ndjson(event) + "\n";
  const std::filesystem::path path = folder_ / (std::to_string(::getpid()) + ".ndjson");
  const std::lock_guard lock(mutex_);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  // One call, so that a line is whole or not there.
  if (::write(file, line.data(), line.size()) < 0) warn("cannot write " + path.string());
  ::close(file);
}

void Events::refused(const std::string& program, const std::string& code, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!said_.insert(program + code + reason).second) return;
  }
  warn(program + " runs as the app compiled it: " + reason + " (" + code + ")");
  write({{"event", PgoRuntimeEvent::refused}, {"program", program}, {"code", code}, {"reason", reason}});
}

}  // namespace kernloop::pgo::runtime
