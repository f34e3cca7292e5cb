#include "archive/packed/tar.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace kernloop::archive {

namespace {

// Offsets and widths of the fields of a ustar header.
struct Field {
  size_t offset, width;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUser{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12},
    kChecksum{148, 8}, kMagic{257, 8}, kMajor{329, 8}, kMinor{337, 8};
constexpr size_t kType = 156;
constexpr char kPlainFile = '0', kPaxHeader = 'x';

void put_text(uint8_t* block, Field field, std::string_view text) {
  std::memcpy(block + field.offset, text.data(), std::min(text.size(), field.width));
}

// Octal digits to the end of the field but for one NUL.
void put_number(uint8_t* block, Field field, uint64_t value) {
  for (size_t i = field.width - 1; i-- > 0; value /= 8) {
    block[field.offset + i] = static_cast<uint8_t>('0' + value % 8);
  }
}

void append_block(Buffer& into, char type, std::string_view name, uint64_t size) {
  into.resize(into.size() + kTarBlockBytes);
  uint8_t* block = into.data() + into.size() - kTarBlockBytes;
  put_text(block, kName, name);
  put_number(block, kMode, 0644);
  put_number(block, kUser, 0);
  put_number(block, kGroup, 0);
  put_number(block, kSize, size);
  put_number(block, kTime, 0);
  block[kType] = static_cast<uint8_t>(type);
  put_text(block, kMagic, std::string_view("ustar\00000", 8));
  put_number(block, kMajor, 0);
  put_number(block, kMinor, 0);
  // The sum of the block's bytes, with spaces in the sum's field: six digits, NUL, space.
  put_text(block, kChecksum, "        ");
  uint64_t sum = 0;
  for (size_t i = 0; i < kTarBlockBytes; ++i) sum += block[i];
  put_number(block, {kChecksum.offset, 7}, sum);
  block[kChecksum.offset + 6] = 0;
}

// "<length> size=<size>\n", where the length counts its own digits.
std::string pax_record(uint64_t size) {
  const std::string rest = " size=" + std::to_string(size) + "\n";
  size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

std::string text_at(Bytes block, Field field) {
  const auto begin = block.begin() + field.offset;
  return {begin, std::find(begin, begin + field.width, uint8_t{0})};
}

// Digits of a number; later checks compare the characters after them.
std::optional<uint64_t> number_in(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::string what_is(char type) {
  switch (type) {
    case '1':
      return "a hard link";
    case '2':
      return "a symbolic link";
    case '3':
    case '4':
      return "a device";
    case '5':
      return "a folder";
    case '6':
      return "a FIFO";
    default:
      return "no plain file";
  }
}

Error wrong(const std::string& what) {
  return {"", what, ""};
}

}  // namespace

Buffer tar_header(const TarEntry& entry) {
  Buffer header;
  if (!entry.pax) {
    append_block(header, kPlainFile, entry.name, entry.size);
    return header;
  }
  const std::string record = pax_record(entry.size);
  append_block(header, kPaxHeader, "PaxHeaders/" + entry.name, record.size());
  header.insert(header.end(), record.begin(), record.end());
  header.resize(2 * kTarBlockBytes);
  append_block(header, kPlainFile, entry.name, 0);
  return header;
}

uint64_t tar_padding(uint64_t size) {
  return (kTarBlockBytes - size % kTarBlockBytes) % kTarBlockBytes;
}

Result<std::optional<TarHeader>> parse_tar_header(Bytes blocks) {
  if (blocks.size() < kTarBlockBytes) return wrong("ends in the middle of an entry");
  Bytes block = blocks.first(kTarBlockBytes);
  if (is_all_zero(block)) return std::optional<TarHeader>();
  std::optional<uint64_t> size = number_in(text_at(block, kSize), 8);
  if (block[kType] == kPaxHeader) {
    if (blocks.size() < 3 * kTarBlockBytes) return wrong("ends in the middle of an entry");
    const std::string record = text_at(blocks.subspan(kTarBlockBytes), {0, 40});
    const size_t at = record.find(" size=");
    size = at == std::string::npos ? std::nullopt : number_in(std::string_view(record).substr(at + 6), 10);
    block = blocks.subspan(2 * kTarBlockBytes, kTarBlockBytes);
  }
  const TarEntry entry{text_at(block, kName), size.value_or(0), blocks[kType] == kPaxHeader};
  if (block[kType] != kPlainFile)
    return wrong("holds " + what_is(static_cast<char>(block[kType])) + ", \"" + entry.name + "\"");
  const Buffer expected = tar_header(entry);
  // Also if ustar has too few digits for the size.
  if (!size || expected.size() > blocks.size() || !std::equal(expected.begin(), expected.end(), blocks.begin())) {
    return wrong("has a header for \"" + entry.name + "\" that `kernloop pack` does not write");
  }
  return std::optional<TarHeader>({entry, expected.size()});
}

}  // namespace kernloop::archive
