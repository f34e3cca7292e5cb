#include "pgo/collect/file_pattern.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace kernloop::pgo {

namespace {

constexpr std::string_view kSignature = "\x01";  // placeholder for %m

Error bad_pattern(std::string_view pattern, const std::string& why) {
  return {"PGO_PROFILE_FILE", "LLVM_PROFILE_FILE=" + std::string(pattern) + ": " + why,
          "use %p (process), %h (host), %t (TMPDIR), %b (build id), %m or %1m to %9m (add to what is there), %c, %%"};
}

// The first object is the program.
int find_build_id(dl_phdr_info* info, size_t, void* into) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const char* end = at + info->dlpi_phdr[i].p_memsz;
    while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* description = name + ((note.n_namesz + 3) & ~3u);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        for (unsigned byte = 0; byte < note.n_descsz; ++byte) {
          char hex[3];
          std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(description[byte]));
          static_cast<std::string*>(into)->append(hex);
        }
        return 1;
      }
      at = description + ((note.n_descsz + 3) & ~3u);
    }
  }
  return 1;
}

}  // namespace

PatternValues values_of_process() {
  PatternValues values;
  values.pid = static_cast<uint64_t>(::getpid());
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0) values.host = host;
  if (const char* temporary = std::getenv("TMPDIR")) values.temporary = temporary;
  ::dl_iterate_phdr(find_build_id, &values.binary_id);
  return values;
}

Result<FilePattern> parse_file_pattern(std::string_view pattern, const PatternValues& values) {
  FilePattern parsed;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\x01') return bad_pattern(pattern, "a control character cannot be part of it");
    if (pattern[i] != '%') {
      parsed.path += pattern[i];
      continue;
    }
    const char kind = ++i < pattern.size() ? pattern[i] : '\0';
    const bool sized = kind >= '1' && kind <= '9' && i + 1 < pattern.size() && pattern[i + 1] == 'm';
    if (kind == 'm' || sized) {
      if (parsed.pool) return bad_pattern(pattern, "%m may be there once");
      parsed.pool = true;
      if (sized) parsed.pool_size = static_cast<unsigned>(kind - '0'), ++i;
      parsed.path += kSignature;
    } else if (kind == 'p') {
      parsed.path += std::to_string(values.pid);
    } else if (kind == 'h') {
      parsed.path += values.host;
    } else if (kind == 't') {
      if (values.temporary.empty()) return bad_pattern(pattern, "TMPDIR, which %t stands for, is not set");
      parsed.path += values.temporary;
    } else if (kind == 'b') {
      if (values.binary_id.empty()) return bad_pattern(pattern, "the program has no build id, which %b stands for");
      parsed.path += values.binary_id;
    } else if (kind == 'c') {
      parsed.continuous = true;
    } else if (kind == '%') {
      parsed.path += '%';
    } else {
      return bad_pattern(pattern, kind ? std::string("%") + kind + " is unknown" : "it ends with %");
    }
  }
  if (parsed.path.empty()) return bad_pattern(pattern, "it names no file");
  return parsed;
}

std::string FilePattern::path_for(uint64_t signature, uint64_t pid) const {
  const size_t at = path.find(kSignature);
  if (at == path.npos) return path;
  std::string whole = path;
  return whole.replace(at, 1, std::to_string(signature) + "_" + std::to_string(pid % pool_size));
}

}  // namespace kernloop::pgo
