// capture.json: an accepted manifest is written back as it was, and leads only to content that matches the digests.
#include "archive/manifest/manifest.h"

#include "archive/capture/reader.h"
#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

constexpr uint64_t kMaxRead = 1u << 20;  // per content

void read_contents(Bytes text) {
  static const ScratchFolder folder;
  static const auto pack = folder.write(archive::kPackFile, test_data("archive/test/golden/capture-v1/chunks.pack"));
  folder.write(archive::kManifestFile, text);
  auto reader = archive::Reader::open(folder.path(), {});
  if (!reader) return;
  for (const archive::ContentView& view : archive::contents_of((*reader)->manifest())) {
    const auto bytes = (*reader)->read_all(view, kMaxRead);
    require(!bytes || bytes->size() == view.size, "a content of another size");
  }
  for (const archive::CodeObject& code : (*reader)->manifest().code_objects) {
    if (code.size <= kMaxRead) (void)(*reader)->read_code_object(code);
  }
}

const Registration kManifest({"manifest",
                              [](Bytes bytes) {
                                const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                                const auto manifest = archive::parse_manifest(text, "input");
                                if (!manifest) {
                                  require(!manifest.error().message.empty(), "an error says what is wrong");
                                  return;
                                }
                                const std::string written = archive::to_text(*manifest);
                                const auto again = archive::parse_manifest(written, "written");
                                require(again.ok(), "what was taken is taken again");
                                require(archive::to_text(*again) == written, "what was taken is written as it was");
                                read_contents(bytes);
                              },
                              [] {
                                return std::vector<Input>{test_data("archive/test/golden/capture-v1/capture.json")};
                              }});

}  // namespace
}  // namespace kernloop::fuzz
