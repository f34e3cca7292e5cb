// Which code objects the app loaded, and which kernel a descriptor address belongs to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/core/agent_base.h"
#include "capture/core/checksum.h"
#include "capture/core/protocol.h"
#include "capture/hsa/hsa_api.h"

namespace kernloop::capture {

class CodeObjects {
 public:
  // `send` streams a code object that was not seen before.
  using Send = std::function<void(uint32_t object, std::span<const uint8_t> bytes)>;
  CodeObjects(const HsaOriginals& hsa, Send send) : hsa_(hsa), send_(std::move(send)) {}

  void reader_from_memory(hsa_code_object_reader_t reader, const void* bytes, size_t size);
  void reader_from_file(hsa_code_object_reader_t reader, hsa_file_t file);
  void reader_destroyed(hsa_code_object_reader_t reader);

  // False when the bytes of the code object cannot be had.
  bool loaded(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t reader,
              const hsa_loaded_code_object_t* loaded);
  // Returns the addresses of the kernels that are gone.
  std::vector<uint64_t> executable_destroyed(hsa_executable_t executable);

  std::optional<ResolvedKernel> resolve(uint64_t kernel_object);

 private:
  struct Reader {
    std::vector<uint8_t> copy;  // of a file
    std::span<const uint8_t> bytes;
  };
  struct Executable {
    std::vector<hsa_agent_t> agents;
    std::vector<uint32_t> objects;
    bool indexed = false;
    std::unordered_map<uint64_t, std::string> kernels;  // by descriptor address
  };
  struct IndexWalk;
  static hsa_status_t on_symbol(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* data);
  std::span<const uint8_t> bytes_of(hsa_code_object_reader_t reader, const hsa_loaded_code_object_t* loaded);
  uint32_t number_of(std::span<const uint8_t> bytes);
  void index(hsa_executable_t executable, Executable& entry);

  const HsaOriginals& hsa_;
  Send send_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, Reader> readers_;
  std::map<uint64_t, Executable> executables_;
  std::map<std::pair<Checksum, size_t>, uint32_t> numbers_;
};

}  // namespace kernloop::capture
