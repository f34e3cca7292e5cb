#include "pgo/format/names.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <string_view>

namespace kernloop::pgo {

namespace {

constexpr uint64_t kMaxNamesBytes = uint64_t{1} << 30;

uint64_t take_uleb(Bytes blob, uint64_t& at) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at >= blob.size()) malformed("the names end within a number");
    const uint8_t byte = blob[at++];
    if (shift == 63 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  malformed("the names hold an impossible number");
}

std::string inflate(Bytes compressed, uint64_t size) {
  // Deflate expands a byte to at most 1,032: a larger claim is false and would cost its memory.
  if (size > kMaxNamesBytes || size / 1032 > compressed.size())
    malformed("the compressed names claim an impossible size");
  std::string names(size, '\0');
  uLongf made = size;
  const int done = ::uncompress(reinterpret_cast<Bytef*>(names.data()), &made, compressed.data(), compressed.size());
  if (done != Z_OK || made != size) malformed("the compressed names cannot be decompressed");
  return names;
}

}  // namespace

uint64_t name_ref(std::string_view name) {
  uint8_t digest[EVP_MAX_MD_SIZE] = {};
  EVP_Digest(name.data(), name.size(), digest, nullptr, EVP_md5(), nullptr);
  return load<uint64_t>(Bytes(digest, 8), 0, "a digest");
}

std::map<uint64_t, std::string> read_names(Bytes blob) {
  std::map<uint64_t, std::string> names;
  uint64_t at = 0;
  uint64_t total = 0;
  while (at < blob.size()) {
    const uint64_t size = take_uleb(blob, at), compressed = take_uleb(blob, at);
    const uint64_t stored = compressed ? compressed : size;
    if (stored > blob.size() - at) malformed("the names end before their size says");
    total = saturating_add(total, size);
    if (total > kMaxNamesBytes) malformed("there are impossibly many names");
    const Bytes bytes = blob.subspan(at, stored);
    const std::string text =
        compressed ? inflate(bytes, size) : std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\x01', begin), text.size());
      if (end > begin)
        names.emplace(name_ref(std::string_view(text).substr(begin, end - begin)), text.substr(begin, end - begin));
      begin = end + 1;
    }
    at += stored;
    // Blobs of several translation units follow each other, padded by the linker.
    while (at < blob.size() && blob[at] == 0) ++at;
  }
  return names;
}

}  // namespace kernloop::pgo
