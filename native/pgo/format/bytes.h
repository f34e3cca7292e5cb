// Bounded little-endian reading and appending. Access outside the bytes throws Malformed, which a reader's entry point
// turns into an Error.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace kernloop::pgo {

using Bytes = std::span<const uint8_t>;
using Buffer = std::vector<uint8_t>;

struct Malformed {
  std::string code;
  std::string why;
};

[[noreturn]] inline void malformed(const std::string& why) {
  throw Malformed{"PGO_PROFILE_INVALID", why};
}
[[noreturn]] inline void truncated(const std::string& what, uint64_t needed, uint64_t has) {
  throw Malformed{"PGO_PROFILE_TRUNCATED",
                  what + " reaches to byte " + std::to_string(needed) + ", and there are " + std::to_string(has)};
}

// Sizes come from outside: sums that overflow are as good as too large.
inline uint64_t saturating_add(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
inline uint64_t saturating_multiply(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

inline Bytes slice(Bytes bytes, uint64_t offset, uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    truncated(what, saturating_add(offset, size), bytes.size());
  return bytes.subspan(offset, size);
}

template <std::unsigned_integral T>
T load(Bytes bytes, uint64_t offset, const char* what) {
  const Bytes at = slice(bytes, offset, sizeof(T), what);
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(at[i]) << (8 * i));
  return value;
}

template <std::unsigned_integral T>
void append(Buffer& buffer, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) buffer.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

inline void append(Buffer& buffer, Bytes bytes) {
  buffer.insert(buffer.end(), bytes.begin(), bytes.end());
}

inline void pad_to_8(Buffer& buffer) {
  while (buffer.size() % 8 != 0) buffer.push_back(0);
}

inline uint64_t aligned_to_8(uint64_t size) {
  return saturating_add(size, 7) & ~uint64_t{7};
}

// Reads one thing after the other.
class Cursor {
 public:
  explicit Cursor(Bytes bytes, uint64_t at = 0) : bytes_(bytes), at_(at) {}
  uint64_t position() const { return at_; }
  uint64_t left() const { return at_ < bytes_.size() ? bytes_.size() - at_ : 0; }
  template <std::unsigned_integral T>
  T take(const char* what) {
    const T value = load<T>(bytes_, at_, what);
    at_ += sizeof(T);
    return value;
  }
  Bytes take_bytes(uint64_t size, const char* what) {
    const Bytes taken = slice(bytes_, at_, size, what);
    at_ += size;
    return taken;
  }
  std::vector<uint64_t> take_words(uint64_t count, const char* what) {
    const Bytes taken = take_bytes(saturating_multiply(count, 8), what);
    std::vector<uint64_t> words(count);
    for (uint64_t i = 0; i < count; ++i) words[i] = load<uint64_t>(taken, i * 8, what);
    return words;
  }
  void align_to_8(const char* what) { take_bytes((8 - at_ % 8) % 8, what); }

 private:
  Bytes bytes_;
  uint64_t at_;
};

}  // namespace kernloop::pgo
