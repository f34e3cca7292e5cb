// Code objects that the app loaded, and the kernels at their descriptor addresses. Loads never wait for the recorder:
// the bytes are kept here until one of their kernels is wanted, or they are unloaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/core/agent_base.h"
#include "capture/core/checksum.h"
#include "capture/core/protocol.h"
#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

// One content, however often it is loaded.
struct LoadedCode {
  std::shared_ptr<const std::vector<uint8_t>> bytes;  // null: sent, or not loaded any more
  uint32_t executables = 0;                           // executables in which it is loaded
  bool sent = false;
};

class CodeObjects {
 public:
  explicit CodeObjects(const HsaOriginals& hsa) : hsa_(hsa) {}

  void reader_from_memory(hsa_code_object_reader_t reader, const void* bytes, size_t size);
  void reader_from_file(hsa_code_object_reader_t reader, hsa_file_t file);
  void reader_destroyed(hsa_code_object_reader_t reader);

  // A code object whose bytes are not available is left out of the objects that its executable's kernels resolve to.
  void loaded(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t reader,
              const hsa_loaded_code_object_t* loaded);
  // In a way that shows no bytes.
  void loaded_unseen(hsa_executable_t executable, hsa_agent_t agent);
  // Returns the addresses of the kernels that are gone.
  std::vector<uint64_t> executable_destroyed(hsa_executable_t executable);

  std::optional<ResolvedKernel> resolve(uint64_t kernel_object);
  // Streams the code objects that were not sent before: `send(number, bytes)`, without a lock that loads take. One
  // thread at a time (AgentBase::learn_kernel).
  template <typename Send>
  void send_new(const std::vector<uint32_t>& numbers, Send&& send) {
    for (uint32_t number : numbers) {
      if (const auto bytes = take_unsent(number)) send(number, std::span<const uint8_t>(*bytes));
    }
  }

 private:
  struct Reader {
    std::vector<uint8_t> copy;  // content of a file
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
  Executable& executable_with(hsa_executable_t executable, hsa_agent_t agent);
  uint32_t number_of(std::span<const uint8_t> bytes);
  std::shared_ptr<const std::vector<uint8_t>> take_unsent(uint32_t number);
  void index(hsa_executable_t executable, Executable& entry);

  const HsaOriginals& hsa_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, Reader> readers_;
  std::map<uint64_t, Executable> executables_;
  std::map<std::pair<Checksum, size_t>, uint32_t> numbers_;
  std::vector<LoadedCode> codes_;  // by number
};

}  // namespace kernloop::capture
