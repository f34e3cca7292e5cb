// Files of a packed capture and their order: rules shared by its writer and its reader.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "archive/chunks/pack.h"
#include "archive/manifest/manifest.h"
#include "archive/packed/tar.h"

namespace kernloop::archive {

// Arguments to NVRTC of a kernel that the app compiled at run time.
inline constexpr const char* kNvrtcFile = "nvrtc.json";
// Source, compilation and launch of a Triton kernel.
inline constexpr const char* kTritonFile = "triton.json";

// In this order; a capture may lack all but the first and the last.
inline constexpr std::array<const char*, 6> kPackedFiles = {kManifestFile, kObservedFile, kSelfcheckFile,
                                                            kNvrtcFile,    kTritonFile,   kPackFile};
inline constexpr uint64_t kMaxManifestText = 256u << 20;
inline constexpr uint64_t kMaxSideText = 64u << 20;  // observed.json, selfcheck.json, nvrtc.json, triton.json

struct PlacedEntry {
  TarEntry entry;
  uint64_t offset = 0;  // offset of its content in the file
};

Error packed_invalid(const std::filesystem::path& file, const std::string& why);

// Reads the headers alone: names, order, sizes against the file's size, padding, end. Never more than `file` holds.
Result<std::vector<PlacedEntry>> packed_layout(int fd, uint64_t file_size, const std::filesystem::path& file);

// Raw size of each distinct chunk; CAPTURE_INVALID if a manifest gives one digest two sizes.
Result<std::map<Digest, uint64_t>> chunks_named(const Manifest& manifest, const std::string& where);

// The pack has exactly these chunks, with these sizes, back to back, without gaps.
Status check_pack(const PackReader& pack, const std::map<Digest, uint64_t>& named, uint64_t pack_bytes,
                  const std::filesystem::path& file);

// observed.json, selfcheck.json, nvrtc.json, triton.json must be objects, and the self-check must be that of this
// capture.
Status check_side_text(const std::string& name, std::string_view text, const Digest& capture,
                       const std::filesystem::path& file);

// ".<name><suffix>" in the same folder: the name of a file until it is complete.
std::filesystem::path hidden_beside(const std::filesystem::path& path, const std::string& suffix);

}  // namespace kernloop::archive
