// An agent without a GPU: speaks the protocol to a recorder, properly or not.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/core/recorder_client.h"
#include "capture/core/recorder_sink.h"

namespace kernloop::recorder {

class FakeAgent {
 public:
  explicit FakeAgent(const std::string& socket, uint64_t ring_bytes = 8u << 20) {
    auto connected = capture::RecorderClient::connect(socket, "/opt/runtime.so", ring_bytes);
    if (!connected) {
      error = connected.error().message;
      return;
    }
    client = std::move(*connected);
    welcome = client->welcome();
  }

  // Streams a code object and registers one of its kernels; the selections that want it.
  uint64_t load(const std::vector<uint8_t>& code_object, const std::string& symbol, uint64_t kernel_object,
                uint32_t kernel = 0) {
    client->send(protocol::FrameType::kCodeObject, protocol::CodeObjectMessage{kernel, code_object.size()}.encode());
    for (size_t at = 0; at < code_object.size(); at += 4096) {
      const size_t size = std::min<size_t>(4096, code_object.size() - at);
      client->send(protocol::FrameType::kCodeObjectBytes, protocol::BulkHeader{0, kernel, at}.encode(),
                   std::span(code_object).subspan(at, size));
    }
    const auto reply = client->request<protocol::KernelReply>(protocol::FrameType::kKernel, [&](uint32_t request) {
      return protocol::KernelMessage{request, kernel, kernel_object, symbol, {kernel}};
    });
    if (reply) this->kernel = *reply;
    return reply ? reply->selections : ~uint64_t{0};
  }
  std::optional<protocol::BeginReply> begin(uint32_t capture_number, uint32_t selection = 0, uint32_t kernel = 0) {
    return client->request<protocol::BeginReply>(protocol::FrameType::kBegin, [&](uint32_t request) {
      protocol::BeginMessage message;
      message.request = request;
      message.capture = capture_number;
      message.selection = selection;
      message.kernel = kernel;
      message.ordinal = 1;
      message.geometry.grid_work_items = {1000, 2, 1};
      message.geometry.block_threads = {256, 1, 1};
      message.geometry.grid_blocks = {4, 2, 1};
      if (prepare) prepare(message);
      return message;
    });
  }

  std::function<void(protocol::BeginMessage&)> prepare;  // changes what begin() asks
  protocol::Welcome welcome;
  protocol::KernelReply kernel;  // the recorder's reply on the last kernel
  std::string error;
  std::unique_ptr<capture::RecorderClient> client;
};

inline capture::Allocation region_at(uint64_t base, uint64_t size) {
  capture::Allocation allocation;
  allocation.base = base;
  allocation.size = size;
  allocation.api = "fake_allocate";
  allocation.ordinal = 1;
  return allocation;
}

}  // namespace kernloop::recorder
