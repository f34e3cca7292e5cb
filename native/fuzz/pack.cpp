// chunks.pack. Its index has a digest, which a fuzzer cannot guess: it is made right before the reader sees the file.
#include "archive/chunks/pack.h"

#include <cstring>

#include "base/little_endian.h"
#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

constexpr size_t kFooterBytes = 56, kDigestAt = 40;  // footer; digest, from the end of the file
constexpr uint32_t kMaxRead = 1u << 20;

void correct_digest(Input& file) {
  if (file.size() < kFooterBytes) return;
  const uint64_t end = file.size() - kFooterBytes;
  const uint64_t begin = load_little_endian<uint64_t>(file.data() + end);
  if (begin > end) return;
  const Digest digest = sha256(Bytes(file).subspan(begin, end - begin));
  std::memcpy(file.data() + file.size() - kDigestAt, digest.bytes.data(), digest.bytes.size());
}

const Registration kPack({"pack",
                          [](Bytes bytes) {
                            static const ScratchFolder folder;
                            Input file(bytes.begin(), bytes.end());
                            correct_digest(file);
                            const auto reader = archive::PackReader::open(folder.write("chunks.pack", file));
                            if (!reader) return;
                            for (const archive::PackEntry& entry : (*reader)->entries()) {
                              if (entry.raw_bytes > kMaxRead) continue;
                              Buffer raw(entry.raw_bytes);
                              const auto got = (*reader)->get(entry.digest, raw);
                              require(!got || (*got && sha256(raw) == entry.digest), "only the right content");
                            }
                          },
                          [] { return std::vector<Input>{test_data("archive/test/golden/capture-v1/chunks.pack")}; }});

}  // namespace
}  // namespace kernloop::fuzz
