#include "replay/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace kernloop::replay {

using namespace cuda;

Status Staging::start() {
  const Driver& driver = context_.driver();
  if (auto made = context_.check("cuStreamCreate", driver.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING),
                                 "creating a stream");
      !made)
    return made;
  for (Buffer& buffer : buffers_) {
    void* memory = nullptr;
    if (auto made = context_.check("cuMemHostAlloc", driver.cuMemHostAlloc(&memory, kBufferBytes, 0),
                                   "allocating pinned memory");
        !made)
      return made;
    buffer.bytes = static_cast<uint8_t*>(memory);
    if (auto made = context_.check("cuEventCreate", driver.cuEventCreate(&buffer.done, CU_EVENT_DISABLE_TIMING),
                                   "creating an event");
        !made)
      return made;
  }
  return Unit{};
}

Staging::~Staging() {
  if (context_.abandoned()) return;
  const Driver& driver = context_.driver();
  if (stream_) driver.cuStreamSynchronize(stream_);
  for (Buffer& buffer : buffers_) {
    if (buffer.done) driver.cuEventDestroy(buffer.done);
    if (buffer.bytes) driver.cuMemFreeHost(buffer.bytes);
  }
  if (stream_) driver.cuStreamDestroy(stream_);
}

Status Staging::wait(Buffer& buffer) {
  return context_.check("cuEventSynchronize", context_.driver().cuEventSynchronize(buffer.done), "copying memory");
}

Status Staging::finish() {
  forget_ahead();
  return context_.check("cuStreamSynchronize", context_.driver().cuStreamSynchronize(stream_), "copying memory");
}

void Staging::forget_ahead() {
  for (Buffer& buffer : buffers_) buffer.ahead = {};
}

Status Staging::write(uint64_t address, Bytes bytes) {
  forget_ahead();
  const Driver& driver = context_.driver();
  for (uint64_t offset = 0; offset < bytes.size(); offset += kBufferBytes) {
    const uint64_t size = std::min<uint64_t>(kBufferBytes, bytes.size() - offset);
    Buffer& buffer = next();
    if (auto waited = wait(buffer); !waited) return waited;
    std::memcpy(buffer.bytes, bytes.data() + offset, size);
    const std::string doing = "writing to " + to_hex_number(address + offset);
    if (auto copied = context_.check("cuMemcpyHtoDAsync",
                                     driver.cuMemcpyHtoDAsync(address + offset, buffer.bytes, size, stream_), doing);
        !copied)
      return copied;
    if (auto recorded = context_.check("cuEventRecord", driver.cuEventRecord(buffer.done, stream_), doing); !recorded)
      return recorded;
  }
  return Unit{};
}

Status Staging::fill(uint64_t address, uint64_t size, uint8_t byte) {
  forget_ahead();
  return context_.check("cuMemsetD8Async", context_.driver().cuMemsetD8Async(address, byte, size, stream_),
                        "filling " + to_hex_number(address));
}

Status Staging::fetch(Buffer& buffer, const AddressRange& range) {
  const Driver& driver = context_.driver();
  const std::string doing = "reading from " + to_hex_number(range.base);
  if (auto waited = wait(buffer); !waited) return waited;
  buffer.ahead = {};
  if (auto copied = context_.check("cuMemcpyDtoHAsync",
                                   driver.cuMemcpyDtoHAsync(buffer.bytes, range.base, range.size, stream_), doing);
      !copied)
    return copied;
  if (auto recorded = context_.check("cuEventRecord", driver.cuEventRecord(buffer.done, stream_), doing); !recorded)
    return recorded;
  buffer.ahead = range;
  return Unit{};
}

Result<Bytes> Staging::view(uint64_t address, uint64_t size, uint64_t limit) {
  const AddressRange wanted{address, size};
  auto buffer = std::find_if(buffers_.begin(), buffers_.end(), [&](const Buffer& b) {
    return b.ahead.base == wanted.base && b.ahead.size >= wanted.size;
  });
  if (buffer == buffers_.end()) {
    buffer = &next();
    if (auto fetched = fetch(*buffer, wanted); !fetched) return fetched.error();
  }
  Buffer& other = buffer == &buffers_[0] ? buffers_[1] : buffers_[0];
  if (auto waited = wait(*buffer); !waited) return waited.error();
  buffer->ahead = {};
  const uint64_t after = wanted.end();
  if (after < limit) {
    if (auto fetched = fetch(other, {after, std::min(size, limit - after)}); !fetched) return fetched.error();
  }
  return Bytes(buffer->bytes, size);
}

Status Staging::read(uint64_t address, std::span<uint8_t> into) {
  for (uint64_t offset = 0; offset < into.size(); offset += kBufferBytes) {
    const uint64_t size = std::min<uint64_t>(kBufferBytes, into.size() - offset);
    auto bytes = view(address + offset, size, address + into.size());
    if (!bytes) return bytes.error();
    std::memcpy(into.data() + offset, bytes->data(), size);
  }
  return Unit{};
}

}  // namespace kernloop::replay
