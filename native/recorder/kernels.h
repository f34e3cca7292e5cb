// The code objects and kernels of one process, and which selections want them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codeobject/code_object.h"
#include "protocol/messages.h"
#include "recorder/config.h"

namespace kernloop::recorder {

struct CodeObject {
  uint64_t expected_bytes = 0, received_bytes = 0;
  bool kept = true;  // false: its bytes exceed the limit, and are dropped as they come
  std::vector<uint8_t> bytes;
  // Once complete:
  std::optional<codeobject::CodeObjectInfo> info;
  std::string unreadable;  // why there is no info
  bool complete() const { return received_bytes == expected_bytes; }
};

// A kernel's role in the selections, a bit each.
struct Wanted {
  uint64_t selections = 0;  // selections whose name it has
  uint64_t gates = 0;       // selections that count from behind a dispatch of it on
  uint64_t any() const { return selections | gates; }
};

struct KernelRecord {
  uint32_t id = 0;
  std::string symbol;  // mangled
  std::string demangled;
  Wanted wanted;
  uint32_t identity = 0;                     // equal for equal code of the same name
  std::shared_ptr<const CodeObject> object;  // null: its code object is unknown or cannot be read
  const codeobject::Kernel* metadata = nullptr;
  std::string unreadable;    // reason why there is no object, if known
  bool has_address = false;  // the code object has a load base: its variables have addresses, too
  uint64_t load_base = 0;
  std::string code_object_hex() const { return object != nullptr ? object->info->sha256.hex() : std::string(); }
};

// A module variable, or a nameless part of a writable section, at its address in the process (0: known by name only).
struct ModulePiece {
  std::string name;
  protocol::ByteRange range;
};

class Kernels {
 public:
  explicit Kernels(const Config& config) : config_(config) {}

  // The agent's frames; an Error means that it violates the protocol.
  Status begin_object(const protocol::CodeObjectMessage& message);
  Status append_object(const protocol::BulkHeader& header, std::span<const uint8_t> bytes);
  Result<const KernelRecord*> add(const protocol::KernelMessage& message);

  // By its mangled name.
  Wanted matching(const std::string& symbol) const;
  const KernelRecord* find(uint32_t id) const;
  const std::map<uint32_t, KernelRecord>& all() const { return kernels_; }

 private:
  const Config& config_;
  std::map<uint32_t, std::shared_ptr<CodeObject>> objects_;
  std::map<uint32_t, KernelRecord> kernels_;
  std::map<std::pair<std::string, std::string>, uint32_t> identities_;  // by symbol and code object
  uint64_t kept_bytes_ = 0;
};

// Everything of the kernel's code object that a dispatch may change or that the host may have set.
std::vector<ModulePiece> module_pieces(const KernelRecord& kernel);

// Effects of the kernel's code that no capture can repeat: they are not in the captured memory.
std::optional<Error> obstacle_in_code(const KernelRecord& kernel);

// Explains a dispatch that did not end, if its code can call its program while it runs (printf, device_print): the
// capture held that program, so the call was not answered. Other refusals stay as they are.
Error with_cause(Error why, const KernelRecord& kernel);

// Whether the driver's attribute of a launch is compiled into the code: a variant's code may have another value.
bool is_compiled_in(const codeobject::Kernel& kernel, const protocol::LaunchAttribute& attribute);

// Hidden arguments that mean something to the app's process only.
bool is_process_bound(const std::string& value_kind);

}  // namespace kernloop::recorder
