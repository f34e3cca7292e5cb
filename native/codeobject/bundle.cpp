#include "codeobject/bundle.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "codeobject/code_object.h"
#include "codeobject/compressed_bundle.h"
#include "codeobject/cubin_target.h"
#include "elf/generic_target.h"

namespace kernloop::codeobject {

namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint64_t kMaxEntries = 256;
constexpr uint64_t kMaxDecompressed = uint64_t{1} << 30;  // of all bundles of a file

bool begins_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

bool is_elf(Bytes bytes) {
  return begins_with(bytes, std::string_view(ELFMAG, SELFMAG));
}

// Containers that nvcc writes around cubins (fatbinary_section.h: compressed), and PTX before them. They are recognised
// here, but not read: choosing one of several cubins, or of a JIT's choices, would be a guess.
constexpr std::string_view kFatbinMagic("\x50\xed\x55\xba", 4);

bool is_ptx(Bytes file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), std::min<size_t>(file.size(), 4096));
  return text.find(".version ") != text.npos && text.find(".target ") != text.npos;
}

Error not_a_cubin(const std::string& what, const std::string& is) {
  return {"CODE_OBJECT_INVALID", what + " is " + is + ", not a cubin",
          "give the cubin alone: compile with nvcc -cubin -arch=<the captured device's>, or take it out with cuobjdump "
          "-xelf all"};
}

Error bad_bundle(const std::string& what, const std::string& why) {
  return {"CODE_OBJECT_INVALID", what + ": " + why, "give the file as the compiler wrote it"};
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a" and "hip-amdgcn-amd-amdhsa-gfx90a" → from "amdgcn" on.
std::string target_of(std::string_view id) {
  const size_t start = id.find("amdgcn");
  return start == id.npos ? "" : std::string(id.substr(start));
}

// One bundle at the start of `bytes`; returns how far its entries reach.
Result<uint64_t> read_bundle(Bytes bytes, const std::string& what, std::vector<BundledCodeObject>& found) {
  uint64_t position = kMagic.size();
  const auto number = [&](uint64_t& value) {
    if (bytes.size() - position < 8) return false;
    std::memcpy(&value, bytes.data() + position, 8);
    position += 8;
    return true;
  };
  uint64_t count = 0, end = 0;
  if (!number(count) || count > kMaxEntries) return bad_bundle(what, "its offload bundle has an impossible table");
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = 0, size = 0, id_size = 0;
    if (!number(offset) || !number(size) || !number(id_size) || id_size > bytes.size() - position) {
      return bad_bundle(what, "its offload bundle ends within its table");
    }
    const std::string_view id(reinterpret_cast<const char*>(bytes.data() + position), id_size);
    position += id_size;
    if (offset > bytes.size() || size > bytes.size() - offset) {
      return bad_bundle(what, "its offload bundle was cut off");
    }
    end = std::max(end, offset + size);
    if (const std::string target = target_of(id); !target.empty() && size > 0) {
      found.push_back({target, bytes.subspan(offset, size), nullptr});
    }
  }
  return std::max(end, position);
}

Result<uint64_t> read_compressed(Bytes bytes, uint64_t& left_bytes, const std::string& what,
                                 std::vector<BundledCodeObject>& found) {
  const auto bundle = decompress_bundle(bytes, left_bytes, what);
  if (!bundle) return bundle.error();
  left_bytes -= bundle->bytes->size();
  if (!begins_with(*bundle->bytes, kMagic)) return bad_bundle(what, "its compressed offload bundle holds none");
  const size_t before = found.size();
  const auto end = read_bundle(*bundle->bytes, what, found);
  if (!end) return end.error();
  for (size_t each = before; each < found.size(); ++each) found[each].decompressed = bundle->bytes;
  return bundle->compressed_bytes;
}

// Bundles of several translation units follow each other, padded, some of them compressed.
Status read_bundles(Bytes bytes, const std::string& what, std::vector<BundledCodeObject>& found) {
  uint64_t left_bytes = kMaxDecompressed;
  // From where on, and where the next one of each kind begins: looked for again only behind the last one.
  auto here = bytes.begin(), plain = here, compressed = here;
  const auto find_from_here = [&](auto& found_at, std::string_view magic) {
    found_at = std::search(here, bytes.end(), magic.begin(), magic.end());
  };
  find_from_here(plain, kMagic);
  find_from_here(compressed, kCompressedMagic);
  while (true) {
    here = std::min(plain, compressed);
    if (here == bytes.end()) return Unit{};
    const Bytes rest = bytes.subspan(static_cast<size_t>(here - bytes.begin()));
    const auto end =
        compressed == here ? read_compressed(rest, left_bytes, what, found) : read_bundle(rest, what, found);
    if (!end) return end.error();
    here += static_cast<ptrdiff_t>(*end);
    if (plain < here) find_from_here(plain, kMagic);
    if (compressed < here) find_from_here(compressed, kCompressedMagic);
  }
}

std::string join(const std::set<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? "none" : text;
}

struct TargetId {
  std::string processor;
  std::set<std::string> features;  // "xnack-"
};

TargetId parse_target(std::string_view text) {
  // Triples of both spellings end in the target id: amdgcn-amd-amdhsa--gfx90a:xnack- and …-amdhsa-gfx90a.
  if (const size_t start = text.rfind("gfx"); start != text.npos) text = text.substr(start);
  TargetId id;
  while (!text.empty()) {
    const size_t colon = std::min(text.find(':'), text.size());
    const std::string part(text.substr(0, colon));
    id.processor.empty() ? void(id.processor = part) : void(id.features.insert(part));
    text = text.substr(std::min(colon + 1, text.size()));
  }
  return id;
}

bool is_cuda(std::string_view target) {
  return target.starts_with("sm_");
}

// The compiler's option for the device.
std::string option_for(std::string_view isa) {
  return is_cuda(isa) ? "-arch=" + std::string(isa) : "--offload-arch=" + parse_target(isa).processor;
}

}  // namespace

bool target_fits(std::string_view target, std::string_view isa) {
  if (is_cuda(target) || is_cuda(isa)) return cubin::target_fits(target, isa);
  const TargetId built = parse_target(target), device = parse_target(isa);
  if (built.processor != device.processor && !elf::generic_includes(built.processor, device.processor)) return false;
  return std::all_of(built.features.begin(), built.features.end(),
                     [&](const std::string& feature) { return device.features.contains(feature); });
}

Result<std::vector<BundledCodeObject>> list_code_objects(Bytes file, const std::string& what) {
  std::vector<BundledCodeObject> found;
  if (begins_with(file, kMagic) || begins_with(file, kCompressedMagic)) {
    if (auto read = read_bundles(file, what, found); !read) return read.error();
    return found;
  }
  if (begins_with(file, kFatbinMagic)) return not_a_cubin(what, "a CUDA fat binary");
  if (!is_elf(file) && is_ptx(file)) return not_a_cubin(what, "PTX");
  if (!is_elf(file)) return bad_bundle(what, "it is neither an ELF file nor an offload bundle");
  auto image = elf::Image::parse(file, what);
  if (!image) return image.error();
  if (image->machine() == elf::kMachineAmdgpu || image->machine() == elf::kMachineCuda)
    return std::vector<BundledCodeObject>{{"", file, nullptr}};
  const elf::Section* fat_binary = image->section(".hip_fatbin");
  if (!fat_binary && (image->section(".nv_fatbin") || image->section(".nvFatBinSegment")))
    return not_a_cubin(what, "a host object or program with CUDA device code");
  if (!fat_binary) return bad_bundle(what, "this host program holds no HIP device code (no .hip_fatbin section)");
  if (auto read = read_bundles(fat_binary->bytes, what, found); !read) return read.error();
  return found;
}

Result<BundledCodeObject> select_code_object(Bytes file, std::string_view isa, std::string_view kernel,
                                             const std::string& what) {
  auto listed = list_code_objects(file, what);
  if (!listed) return listed.error();
  std::set<std::string> targets, kernels;
  std::vector<BundledCodeObject> fitting;
  for (const BundledCodeObject& candidate : *listed) {
    auto info =
        parse_code_object(candidate.bytes, what + (candidate.target.empty() ? "" : " (" + candidate.target + ")"));
    if (!info) return info.error();
    const std::string target = info->target.empty() ? candidate.target : info->target;
    targets.insert(target);
    if (!target_fits(target, isa)) continue;
    for (const Kernel& defined : info->kernels) kernels.insert(defined.name);
    if (kernel.empty() || info->find_kernel(kernel)) fitting.push_back(candidate);
  }
  const auto fits_isa = [&](const std::string& target) { return target_fits(target, isa); };
  if (std::none_of(targets.begin(), targets.end(), fits_isa)) {
    return Error{"CODE_OBJECT_TARGET",
                 what + " is built for " + join(targets) + "; the capture is of " + std::string(isa),
                 "build it for the captured device (" + option_for(isa) + ")"};
  }
  if (fitting.empty()) {
    const std::vector<std::string> all(kernels.begin(), kernels.end());
    std::string nearest;
    for (const std::string& name : nearest_names(kernel, all))
      nearest += (nearest.empty() ? "" : ", ") + name + " = " + demangle(name);
    return Error{
        "SYMBOL_MISSING",
        what + " does not define kernel " + std::string(kernel) + "; nearest: " + (nearest.empty() ? "none" : nearest),
        "keep the kernel's name, parameters and extern \"C\"-ness as captured"};
  }
  const bool same = std::all_of(fitting.begin(), fitting.end(), [&](const BundledCodeObject& each) {
    return std::ranges::equal(each.bytes, fitting[0].bytes);
  });
  if (!same) {
    return Error{"CODE_OBJECT_AMBIGUOUS",
                 what + " holds " + std::to_string(fitting.size()) + " different code objects with that kernel",
                 "give the one code object to use"};
  }
  return fitting[0];
}

}  // namespace kernloop::codeobject
