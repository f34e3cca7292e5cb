// SHA-256: the name of every chunk, code object and capture.
#pragma once

#include <array>
#include <compare>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace kernloop {

struct Digest {
  std::array<uint8_t, 32> bytes{};

  std::string hex() const { return to_hex(bytes); }
  static std::optional<Digest> parse(std::string_view hex);  // exactly 64 lower- or upper-case digits
  auto operator<=>(const Digest&) const = default;
};

struct DigestHash {
  // A digest is uniform already: its first bytes are as good a hash as any.
  size_t operator()(const Digest& digest) const {
    size_t value;
    std::memcpy(&value, digest.bytes.data(), sizeof value);
    return value;
  }
};

Digest sha256(Bytes bytes);

// Incremental form, for content that never is in memory at once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(Bytes bytes);
  Digest finish();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernloop
