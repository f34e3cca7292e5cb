// The byte vocabulary of the archive: spans, owned buffers, hex, and the 0x… numbers of the manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernloop {

using Bytes = std::span<const uint8_t>;
using Buffer = std::vector<uint8_t>;

std::string to_hex(Bytes bytes);                            // lower-case, no prefix
std::optional<Buffer> from_hex(std::string_view hex);       // even number of digits, no prefix
std::string to_hex_number(uint64_t value);                  // "0x…", no padding
std::optional<uint64_t> from_hex_number(std::string_view);  // "0x" and 1 to 16 digits

// True when every byte is zero (and for an empty span).
bool is_all_zero(Bytes bytes);

}  // namespace kernloop
