#include "capture/cuda/launch/obstacles.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/bytes.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

std::string name_of(const Checksum& content) {
  char text[40];
  snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(content.high),
           static_cast<unsigned long long>(content.low));
  return text;
}

// The first name of a mangled symbol, without its length: "_Z3fooi" and "_ZN3foo3barEv" both begin with foo.
std::string_view first_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  symbol.remove_prefix(2);
  if (symbol.starts_with("N")) symbol.remove_prefix(1);
  if (symbol.starts_with("L")) symbol.remove_prefix(1);
  while (!symbol.empty() && std::isdigit(static_cast<unsigned char>(symbol.front())) != 0) symbol.remove_prefix(1);
  return symbol;
}

bool is_known(const Driver& driver, uint64_t address) {
  unsigned int type = 0;
  return driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS && type != 0;
}

std::optional<Error> unknown_address(const Driver& driver, uint64_t address, size_t offset) {
  unsigned int type = 0;
  if (driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS || type == 0) {
    return std::nullopt;
  }
  CUdeviceptr base = 0;
  size_t size = 0;
  driver.cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address);
  driver.cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
  CUmemoryPool pool = nullptr;
  const bool pooled = driver.cuPointerGetAttribute(static_cast<void*>(&pool), CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                                   address) == CUDA_SUCCESS &&
                      pool != nullptr;
  static constexpr std::array kTypes = {"memory", "host memory", "device memory", "an array", "unified memory"};
  return Error{
      "UNTRACKED_MEMORY",
      "the 8 bytes at offset " + std::to_string(offset) + " of the arguments point to " + to_hex_number(address) +
          ", which the driver knows as " + kTypes[type < kTypes.size() ? type : 0] + (pooled ? " of a pool" : "") +
          " (" + std::to_string(size) + " bytes from " + to_hex_number(base) +
          "), but no call that allocated it was seen: memory of a CUDA graph, of a module that was loaded unseen, or "
          "of a "
          "kind that is not supported",
      "capture a dispatch that does not get such a pointer, or with --untracked-memory warn: the self-check then tells "
      "whether the kernel uses it"};
}

}  // namespace

bool is_collective(const std::string& symbol) {
  const std::string_view name = first_name(symbol);
  return name.starts_with("nccl") || name.starts_with("nvshmem");
}

std::optional<Error> obstacle_of(const std::string& symbol, const CubinChoice& code) {
  if (is_collective(symbol)) {
    return Error{"COLLECTIVE", symbol + " is part of a collective operation: it waits for other GPUs or processes",
                 "capture a kernel that runs on one GPU alone"};
  }
  if (code.cubin == nullptr && code.candidates.size() > 1) {
    std::string list;
    for (const auto& candidate : code.candidates) list += (list.empty() ? "" : ", ") + name_of(candidate->content);
    return Error{"AMBIGUOUS_CODE_OBJECT",
                 std::to_string(code.candidates.size()) + " loaded code objects define " + symbol +
                     ", and the driver does not tell which of them is launched (by content: " + list + ")",
                 "capture the dispatch before the program loads another code object with a kernel of this name"};
  }
  return std::nullopt;
}

Error unsupported_call(const std::string& symbol, const std::string& call) {
  if (call == "cuLaunchCooperativeKernelMultiDevice") {
    return {"UNSUPPORTED_LAUNCH",
            symbol + " was launched on several GPUs at once (" + call +
                "): its parts may wait for each other, and a capture is of one GPU",
            "launch it on one GPU (cuLaunchCooperativeKernel), or capture another kernel"};
  }
  return {
      "UNSUPPORTED_LAUNCH",
      symbol + " was launched through " + call + ", whose arguments earlier calls have set: they are not known here",
      "launch it with cuLaunchKernel or <<<…>>>"};
}

Error unknown_attribute(const std::string& symbol, uint32_t attribute) {
  return {"UNSUPPORTED_LAUNCH",
          symbol + " was launched with the attribute " + std::to_string(attribute) +
              " (CUlaunchAttributeID), which this version does not know: a replay could not repeat it",
          "capture with a newer version of kernloop, or launch without that attribute"};
}

std::optional<Error> untracked_memory(const Driver& driver, const AllocationList& allocations,
                                      std::span<const uint8_t> arguments,
                                      const std::function<bool(uint64_t)>& is_variable) {
  std::optional<Error> first;
  size_t more = 0;
  for_each_untracked(allocations, arguments, [&](size_t at, uint64_t value) {
    auto refusal = unknown_address(driver, value, at);
    if (!refusal || is_variable(value)) return false;
    if (first) ++more;
    if (!first) first = std::move(refusal);
    return false;
  });
  if (more != 0) first->message += " (and " + std::to_string(more) + " more values like it)";
  return first;
}

bool refuses_untracked_memory() {
  const char* const wanted = std::getenv("KERNLOOP_UNTRACKED_MEMORY");
  return wanted != nullptr && std::string_view(wanted) == "refuse";
}

std::optional<OwnMemory> own_memory(const Driver& driver, const AllocationList& allocations,
                                    std::span<const uint8_t> arguments) {
  return own_memory(allocations, arguments, [&](uint64_t address) { return is_known(driver, address); });
}

}  // namespace kernloop::capture
