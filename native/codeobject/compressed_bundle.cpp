#include "codeobject/compressed_bundle.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kernloop::codeobject {
namespace {

Error cut_off(const std::string& what) {
  return {"CODE_OBJECT_INVALID", what + ": its compressed offload bundle was cut off",
          "give the file as the compiler wrote it"};
}

Error not_read(const std::string& what, const std::string& kind) {
  return {"CODE_OBJECT_COMPRESSED", what + " holds an offload bundle compressed " + kind + ", which is not read",
          "build it with --no-offload-compress"};
}

// Reads numbers from the front, in the byte order of the file, which is ours.
class Header {
 public:
  explicit Header(Bytes bytes) : bytes_(bytes) {}

  template <typename Number>
  uint64_t next() {
    Number value = 0;
    if (bytes_.size() - position_ < sizeof value) {
      is_cut_off_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }
  bool is_cut_off() const { return is_cut_off_; }
  uint64_t position() const { return position_; }

 private:
  const Bytes bytes_;
  uint64_t position_ = kCompressedMagic.size();
  bool is_cut_off_ = false;
};

}  // namespace

Result<DecompressedBundle> decompress_bundle(Bytes bytes, uint64_t limit_bytes, const std::string& what) {
  if (bytes.size() < kCompressedMagic.size()) return cut_off(what);
  constexpr uint64_t kZstd = 1;
  Header header(bytes);
  const uint64_t version = header.next<uint16_t>(), method = header.next<uint16_t>();
  if (header.is_cut_off()) return cut_off(what);
  if (version != 2 && version != 3) return not_read(what, "in version " + std::to_string(version));
  if (method != kZstd) return not_read(what, method == 0 ? "by zlib" : "by method " + std::to_string(method));
  const bool is_wide = version == 3;
  const uint64_t file_bytes = is_wide ? header.next<uint64_t>() : header.next<uint32_t>();
  const uint64_t raw_bytes = is_wide ? header.next<uint64_t>() : header.next<uint32_t>();
  header.next<uint64_t>();  // a hash by which the linker tells bundles apart
  if (header.is_cut_off() || file_bytes > bytes.size() || file_bytes < header.position()) return cut_off(what);
  if (raw_bytes > limit_bytes) {
    return Error{"CODE_OBJECT_INVALID",
                 what + ": its compressed offload bundles are of more than " + std::to_string(limit_bytes) + " bytes",
                 "give the one code object to use"};
  }
  const Bytes frame = bytes.subspan(header.position(), file_bytes - header.position());
  // Told before memory is taken for it.
  const unsigned long long told = ZSTD_getFrameContentSize(frame.data(), frame.size());
  std::string why = "its sizes differ";
  if (told == raw_bytes || told == ZSTD_CONTENTSIZE_UNKNOWN) {
    std::vector<uint8_t> raw(raw_bytes);
    const size_t size = ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size());
    if (!ZSTD_isError(size) && size == raw_bytes) {
      return DecompressedBundle{std::make_shared<const std::vector<uint8_t>>(std::move(raw)), file_bytes};
    }
    if (ZSTD_isError(size)) why = ZSTD_getErrorName(size);
  }
  return Error{"CODE_OBJECT_INVALID", what + ": its offload bundle does not decompress: " + why,
               "give the file as the compiler wrote it"};
}

}  // namespace kernloop::codeobject
