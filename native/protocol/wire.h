// Values to bytes and back, for the small messages. The reader never reads past the end and remembers an attempt to.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernloop::protocol {

class WireWriter {
 public:
  template <typename T>
  requires std::integral<T> || std::is_enum_v<T> WireWriter& put(T value) {
    append(&value, sizeof value);
    return *this;
  }
  WireWriter& put(std::span<const uint8_t> bytes) {
    put(static_cast<uint32_t>(bytes.size()));
    append(bytes.data(), bytes.size());
    return *this;
  }
  WireWriter& put(std::string_view text) {
    return put(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  void append(const void* from, size_t size) {
    const size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size != 0) std::memcpy(bytes_.data() + at, from, size);
  }
  std::vector<uint8_t> bytes_;
};

class WireReader {
 public:
  explicit WireReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::integral<T> T get() {
    T value{};
    if (bytes_.size() < sizeof value) {
      fail();
    } else {
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_ = bytes_.subspan(sizeof value);
    }
    return value;
  }
  std::span<const uint8_t> bytes(uint32_t max) {
    const auto size = get<uint32_t>();
    if (!ok_ || size > max || size > bytes_.size()) {
      fail();
      return {};
    }
    const auto result = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return result;
  }
  std::string text(uint32_t max) {
    const auto raw = bytes(max);
    return std::string(reinterpret_cast<const char*>(raw.data()), raw.size());
  }
  // The unread rest, for frames that end in bulk data.
  std::span<const uint8_t> rest() {
    const auto result = bytes_;
    bytes_ = {};
    return result;
  }
  // Everything was there, and nothing was left over.
  bool complete() const { return ok_ && bytes_.empty(); }
  bool ok() const { return ok_; }
  // The last value is invalid: nothing more is read.
  void fail() {
    ok_ = false;
    bytes_ = {};
  }

 private:
  std::span<const uint8_t> bytes_;
  bool ok_ = true;
};

}  // namespace kernloop::protocol
