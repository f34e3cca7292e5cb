#include "capture/core/connection.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "capture/core/log.h"

namespace kernloop::capture {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

uint64_t ring_bytes() {
  // For tests that need a full ring.
  const uint64_t asked = std::strtoull(environment("KERNLOOP_RING_BYTES").c_str(), nullptr, 0);
  const uint64_t size = asked != 0 ? asked & ~uint64_t{4095} : kDefaultRingBytes;
  return std::clamp<uint64_t>(size, 4ull << 20, kMaxRingBytes);
}

}  // namespace

Connection connect_to_recorder(const std::string& runtime) {
  Connection connection;
  const std::string socket = environment("KERNLOOP_RECORDER_SOCKET");
  if (socket.empty()) return connection;
  connection.log_file = environment("KERNLOOP_LOG_FILE");
  auto recorder = RecorderClient::connect(socket, runtime, ring_bytes());
  if (recorder) {
    connection.recorder = std::move(*recorder);
  } else {
    Log log;
    log.open_as(connection.log_file);
    log.alarm("this program is not captured: %s", recorder.error().message.c_str());
  }
  return connection;
}

void decline(RecorderClient& recorder, const char* code, const std::string& text) {
  recorder.send(FrameType::kNote, NoteMessage{code, text}.encode());
  recorder.send(FrameType::kGoodbye, Encoded());
}

void give_up(const Connection& connection, const char* code, const std::string& text) {
  Log log;
  log.open_as(connection.log_file);
  log.alarm("this program is not captured: %s", text.c_str());
  decline(*connection.recorder, code, text);
}

}  // namespace kernloop::capture
