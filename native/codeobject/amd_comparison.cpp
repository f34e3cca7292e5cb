#include "codeobject/amd_comparison.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <tuple>

#include "base/malformed.h"
#include "codeobject/metadata_note.h"
#include "codeobject/metadata_text.h"

namespace kernloop::codeobject {

namespace {

constexpr uint64_t kDescriptorBytes = 64, kEntryOffset = 16, kEntryOffsetBytes = 8;
constexpr uint64_t kMostAddress = uint64_t{1} << 40;  // as parse_code_object has it
constexpr std::string_view kUnitPrefix = "__hip_cuid_";
// Sections that find a symbol by its name, or contain the name.
constexpr std::string_view kLookup[] = {".dynsym", ".dynstr", ".hash", ".gnu.hash"};
// Functions that new, malloc, delete and free call (ROCm-Device-Libs, ockl/src/dm.cl), and the one by which they ask
// the host for memory (hostcall_impl.cl), whose packets waves hand to each other by plain stores.
constexpr std::string_view kHeapFunctions[] = {"__ockl_dm_alloc", "__ockl_dm_dealloc", "__ockl_hostcall_internal"};

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Symbols or sections that share their bytes would make a small file take long.
class Hash {
 public:
  explicit Hash(uint64_t& bytes_left) : bytes_left_(bytes_left) {}

  void add(Bytes bytes) {
    if (bytes.size() > bytes_left_) throw Malformed{"its kernels or sections share their bytes"};
    bytes_left_ -= bytes.size();
    state_.update(bytes);
  }
  void add(std::string_view text) {
    add(text.size());
    add(bytes_of(text));
  }
  void add(uint64_t number) {
    uint8_t bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    state_.update(bytes);
  }
  Digest finish() { return state_.finish(); }

 private:
  uint64_t& bytes_left_;
  Sha256 state_;
};

// A literal may look like the instruction; the false match only costs time.
bool reads_own_address(Bytes code) {
  for (size_t at = 0; at + 4 <= code.size(); at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, code.data() + at, sizeof word);
    // SOP1: the encoding's nine bits, then destination, opcode, source. S_GETPC_B64 of GFX9, GFX10 and GFX11.
    const uint32_t opcode = word >> 8 & 0xff;
    if (word >> 23 == 0x17d && (opcode == 0x1c || opcode == 0x1f || opcode == 0x47)) return true;
  }
  return false;
}

class Comparing {
 public:
  Comparing(const elf::Image& image, uint64_t file_bytes, const std::string& what)
      : image_(image), bytes_left_(16 * file_bytes), dynamic_(symbols_of(SHT_DYNSYM)) {
    for (const elf::Symbol& symbol : dynamic_) exported_.emplace(symbol.name, &symbol);
    read_kernels(what);
  }

  AmdComparison finish() {
    found_.version = image_.abi_version() + 2u;
    found_.text = text();
    found_.loaded = loaded();
    found_.without_unit_name = without_unit_name();
    for (const elf::Symbol& symbol : symbols_of(SHT_SYMTAB)) {
      if (symbol.type == STT_FUNC && symbol.section != SHN_UNDEF &&
          std::ranges::find(kHeapFunctions, symbol.name) != std::end(kHeapFunctions))
        found_.device_heap.push_back(range_of(symbol));
    }
    return std::move(found_);
  }

 private:
  std::vector<elf::Symbol> symbols_of(uint32_t type) const {
    auto symbols = image_.symbols(type);
    if (!symbols) throw Malformed{symbols.error().message};
    return std::move(*symbols);
  }

  static CodeRange range_of(const elf::Symbol& symbol) {
    if (symbol.value >= kMostAddress || symbol.size > kMostAddress)
      throw Malformed{"a symbol lies outside of the image"};
    return {symbol.value, symbol.value + symbol.size};
  }

  void read_kernels(const std::string& what) {
    const msgpack::Value metadata = read_metadata_note(image_, what);
    const auto* kernels = metadata.find("amdhsa.kernels");
    if (!kernels || !kernels->array()) return;
    for (const msgpack::Value& kernel : *kernels->array()) {
      const auto* symbol = kernel.find(".symbol");
      if (!symbol || !symbol->text() || !symbol->text()->ends_with(".kd")) continue;
      const std::string name = symbol->text()->substr(0, symbol->text()->size() - 3);
      const auto code = exported_.find(name), descriptor = exported_.find(*symbol->text());
      if (code == exported_.end() || descriptor == exported_.end()) continue;
      found_.kernels.try_emplace(
          name, KernelCode{range_of(*code->second), digest_of(*code->second, *descriptor->second, kernel)});
    }
  }

  std::optional<Digest> digest_of(const elf::Symbol& code_symbol, const elf::Symbol& descriptor_symbol,
                                  const msgpack::Value& kernel) {
    const Bytes code = content_of(code_symbol), descriptor = content_of(descriptor_symbol);
    if (code.empty() || descriptor.size() != kDescriptorBytes || reads_own_address(code)) return std::nullopt;
    const auto metadata = metadata_text(kernel);
    if (!metadata) return std::nullopt;
    std::array<uint8_t, kDescriptorBytes> stated;
    std::ranges::copy(descriptor, stated.begin());
    std::fill_n(stated.begin() + kEntryOffset, kEntryOffsetBytes, uint8_t{0});
    Hash hash(bytes_left_);
    hash.add(Bytes(stated));
    hash.add(code);
    hash.add(bytes_of(*metadata));
    return hash.finish();
  }

  // None if the file has no bytes for the symbol.
  Bytes content_of(const elf::Symbol& symbol) const {
    if (symbol.section >= image_.sections().size()) return {};
    const elf::Section& section = image_.sections()[symbol.section];
    if (symbol.value < section.address) return {};
    const uint64_t offset = symbol.value - section.address;
    if (offset > section.bytes.size() || symbol.size > section.bytes.size() - offset) return {};
    return section.bytes.subspan(offset, symbol.size);
  }

  Digest text() {
    Hash hash(bytes_left_);
    for (const elf::Section& section : image_.sections()) {
      if (section.name != ".text") continue;
      hash.add(section.bytes.size());
      hash.add(section.bytes);
    }
    return hash.finish();
  }

  template <typename Takes>
  bool add_sections(Hash& hash, Takes takes) {
    bool has_text = false;
    for (const elf::Section& section : image_.sections()) {
      if (section.name != ".note" && (section.address == 0 || !takes(section))) continue;
      has_text |= section.name == ".text";
      hash.add(section.name);
      // Addresses are compared, too: a file name does not change them.
      hash.add(section.address);
      hash.add(section.size);
      hash.add(section.bytes);
    }
    return has_text;
  }

  std::optional<Digest> loaded() {
    Hash hash(bytes_left_);
    const bool has_text = add_sections(hash, [](const auto& section) { return section.type != SHT_NOBITS; });
    return has_text ? std::optional(hash.finish()) : std::nullopt;
  }

  std::optional<Digest> without_unit_name() {
    Hash hash(bytes_left_);
    const bool has_text = add_sections(
        hash, [](const auto& section) { return std::ranges::find(kLookup, section.name) == std::end(kLookup); });
    if (!has_text) return std::nullopt;
    using Row = std::tuple<std::string_view, uint8_t, uint8_t, uint8_t, std::string_view, uint64_t, uint64_t>;
    std::vector<Row> rows;
    for (const elf::Symbol& symbol : dynamic_) {
      const auto& sections = image_.sections();
      rows.emplace_back(symbol.name.starts_with(kUnitPrefix) ? kUnitPrefix : symbol.name, symbol.type, symbol.binding,
                        symbol.other, symbol.section < sections.size() ? sections[symbol.section].name : "",
                        symbol.value, symbol.size);
    }
    std::ranges::sort(rows);
    for (const auto& [name, type, binding, other, section, value, size] : rows) {
      hash.add(name);
      for (const uint64_t number : {uint64_t{type}, uint64_t{binding}, uint64_t{other}, value, size}) hash.add(number);
      hash.add(section);
    }
    return hash.finish();
  }

  const elf::Image& image_;
  uint64_t bytes_left_;
  std::vector<elf::Symbol> dynamic_;
  std::map<std::string_view, const elf::Symbol*> exported_;
  AmdComparison found_;
};

}  // namespace

Result<AmdComparison> compare_amd(Bytes bytes, const std::string& what) {
  const auto image = elf::Image::parse(bytes, what);
  if (!image) return image.error();
  try {
    return Comparing(*image, bytes.size(), what).finish();
  } catch (const Malformed& problem) {
    return Error{"CODE_OBJECT_INVALID", what + ": " + problem.why,
                 "give a complete code object, as the compiler wrote it"};
  }
}

}  // namespace kernloop::codeobject
