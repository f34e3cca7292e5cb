#include "capture/hsa/code_objects.h"

#include <hsa/hsa_ven_amd_loader.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace kernloop::capture {
namespace {

constexpr size_t kMaxCodeObjectBytes = size_t{1} << 32;

std::vector<uint8_t> read_whole(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || status.st_size <= 0 || static_cast<size_t>(status.st_size) > kMaxCodeObjectBytes)
    return {};
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got <= 0) return {};
    at += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace

void CodeObjects::reader_from_memory(hsa_code_object_reader_t reader, const void* bytes, size_t size) {
  std::lock_guard lock(mutex_);
  // The app keeps the memory as long as the reader (hsa.h): no copy.
  Reader& entry = readers_[reader.handle];
  entry.copy.clear();
  entry.bytes = {static_cast<const uint8_t*>(bytes), size};
}

void CodeObjects::reader_from_file(hsa_code_object_reader_t reader, hsa_file_t file) {
  std::vector<uint8_t> copy = read_whole(file);
  std::lock_guard lock(mutex_);
  Reader& entry = readers_[reader.handle];
  entry.copy = std::move(copy);
  entry.bytes = entry.copy;
}

void CodeObjects::reader_destroyed(hsa_code_object_reader_t reader) {
  std::lock_guard lock(mutex_);
  readers_.erase(reader.handle);
}

// Readers made through the loader extension are in no table; the extension then shows the loaded code.
std::span<const uint8_t> CodeObjects::bytes_of(hsa_code_object_reader_t reader,
                                               const hsa_loaded_code_object_t* loaded) {
  const auto known = readers_.find(reader.handle);
  if (known != readers_.end() && !known->second.bytes.empty()) return known->second.bytes;
  if (loaded == nullptr || hsa_.core.hsa_system_get_major_extension_table_fn == nullptr) return {};
  hsa_ven_amd_loader_1_01_pfn_t loader{};
  if (hsa_.core.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader, &loader) !=
          HSA_STATUS_SUCCESS ||
      loader.hsa_ven_amd_loader_loaded_code_object_get_info == nullptr) {
    return {};
  }
  uint64_t base = 0, size = 0;
  const auto ask = loader.hsa_ven_amd_loader_loaded_code_object_get_info;
  if (ask(*loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE, &base) !=
          HSA_STATUS_SUCCESS ||
      ask(*loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE, &size) !=
          HSA_STATUS_SUCCESS ||
      base == 0) {
    return {};
  }
  return {reinterpret_cast<const uint8_t*>(base), size};
}

uint32_t CodeObjects::number_of(std::span<const uint8_t> bytes) {
  const auto next = static_cast<uint32_t>(codes_.size());
  const auto [entry, is_new] = numbers_.try_emplace({checksum(bytes), bytes.size()}, next);
  if (is_new) codes_.emplace_back();
  LoadedCode& code = codes_[entry->second];
  // A copy: the app may free its own once the reader is destroyed.
  if (!code.sent && code.bytes == nullptr) {
    code.bytes = std::make_shared<const std::vector<uint8_t>>(bytes.begin(), bytes.end());
  }
  return entry->second;
}

std::shared_ptr<const std::vector<uint8_t>> CodeObjects::take_unsent(uint32_t number) {
  std::lock_guard lock(mutex_);
  LoadedCode& code = codes_.at(number);
  if (code.bytes != nullptr) code.sent = true;
  return std::exchange(code.bytes, nullptr);
}

CodeObjects::Executable& CodeObjects::executable_with(hsa_executable_t executable, hsa_agent_t agent) {
  Executable& entry = executables_[executable.handle];
  const bool known_agent =
      std::any_of(entry.agents.begin(), entry.agents.end(), [&](hsa_agent_t a) { return a.handle == agent.handle; });
  if (!known_agent) entry.agents.push_back(agent);
  return entry;
}

void CodeObjects::loaded(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t reader,
                         const hsa_loaded_code_object_t* loaded) {
  std::lock_guard lock(mutex_);
  Executable& entry = executable_with(executable, agent);
  const auto bytes = bytes_of(reader, loaded);
  if (bytes.empty()) return;
  const uint32_t number = number_of(bytes);
  entry.objects.push_back(number);
  ++codes_[number].executables;
}

void CodeObjects::loaded_unseen(hsa_executable_t executable, hsa_agent_t agent) {
  std::lock_guard lock(mutex_);
  executable_with(executable, agent);
}

std::vector<uint64_t> CodeObjects::executable_destroyed(hsa_executable_t executable) {
  std::lock_guard lock(mutex_);
  std::vector<uint64_t> gone;
  const auto entry = executables_.find(executable.handle);
  if (entry == executables_.end()) return gone;
  for (const auto& [address, name] : entry->second.kernels) gone.push_back(address);
  for (uint32_t number : entry->second.objects) {
    if (--codes_[number].executables == 0) codes_[number].bytes.reset();
  }
  executables_.erase(entry);
  return gone;
}

struct CodeObjects::IndexWalk {
  const HsaOriginals* hsa;
  Executable* entry;
};

// Called by the runtime: no exception may pass through it.
hsa_status_t CodeObjects::on_symbol(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* data) try {
  const auto& walk = *static_cast<IndexWalk*>(data);
  const auto ask = walk.hsa->core.hsa_executable_symbol_get_info_fn;
  hsa_symbol_kind_t kind = HSA_SYMBOL_KIND_VARIABLE;
  if (ask(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) != HSA_STATUS_SUCCESS || kind != HSA_SYMBOL_KIND_KERNEL) {
    return HSA_STATUS_SUCCESS;
  }
  uint64_t object = 0;
  uint32_t length = 0;
  if (ask(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object) != HSA_STATUS_SUCCESS || object == 0 ||
      ask(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS || length > kMaxSymbolBytes) {
    return HSA_STATUS_SUCCESS;
  }
  std::string name(length, '\0');
  if (ask(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()) != HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
  if (name.ends_with(".kd")) name.resize(name.size() - 3);
  walk.entry->kernels[object] = std::move(name);
  return HSA_STATUS_SUCCESS;
} catch (...) {
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void CodeObjects::index(hsa_executable_t executable, Executable& entry) {
  entry.indexed = true;
  IndexWalk walk{&hsa_, &entry};
  for (hsa_agent_t agent : entry.agents) {
    hsa_.core.hsa_executable_iterate_agent_symbols_fn(executable, agent, &CodeObjects::on_symbol, &walk);
  }
}

std::optional<ResolvedKernel> CodeObjects::resolve(uint64_t kernel_object) {
  std::lock_guard lock(mutex_);
  for (auto& [handle, entry] : executables_) {
    // Resolved once: every dispatched executable was frozen before, and nothing is added to it then.
    const auto known = entry.kernels.find(kernel_object);
    if (known != entry.kernels.end()) return ResolvedKernel{known->second, entry.objects, kernel_object};
  }
  for (auto& [handle, entry] : executables_) {
    if (entry.indexed) continue;
    index(hsa_executable_t{handle}, entry);
    const auto found = entry.kernels.find(kernel_object);
    if (found != entry.kernels.end()) return ResolvedKernel{found->second, entry.objects, kernel_object};
    // May not be frozen yet: look again next time.
    if (entry.kernels.empty()) entry.indexed = false;
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
