// Files built from their layout, byte by byte, and not with the code that reads or writes them.
#pragma once

#include <openssl/evp.h>

#include <string>
#include <vector>

#include "pgo/format/bytes.h"

namespace kernloop::pgo::test {

inline uint64_t md5_ref(const std::string& name) {
  uint8_t digest[16];
  EVP_Digest(name.data(), name.size(), digest, nullptr, EVP_md5(), nullptr);
  uint64_t ref = 0;
  for (int i = 7; i >= 0; --i) ref = ref << 8 | digest[i];
  return ref;
}

inline void put(Buffer& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

inline void put_text(Buffer& to, const std::string& text) {
  to.insert(to.end(), text.begin(), text.end());
}

struct RawSpec {
  struct Function {
    std::string name;
    uint64_t hash;
    std::vector<uint64_t> values;  // slots of counter 0, slots of counter 1, …
  };
  std::vector<Function> functions;
  uint64_t magic = 0xff6c70726f667281, version = 10 | uint64_t{1} << 56;
  int record_bytes = 64;
  uint64_t slots = 1;
  bool slots_in_padding = false;  // of 64-byte records
  uint64_t binary_id_bytes = 0;
};

inline Buffer raw_file(const RawSpec& spec) {
  Buffer records, counters, names;
  std::string joined;
  const uint64_t data_bytes = spec.functions.size() * static_cast<uint64_t>(spec.record_bytes);
  for (size_t i = 0; i < spec.functions.size(); ++i) {
    const RawSpec::Function& function = spec.functions[i];
    put(records, md5_ref(function.name), 8);
    put(records, function.hash, 8);
    put(records, data_bytes + counters.size() - i * static_cast<uint64_t>(spec.record_bytes), 8);
    put(records, 0, 8), put(records, 0, 8), put(records, 0, 8);  // bitmap, function, values
    put(records, function.values.size() / spec.slots, 4);
    put(records, 0, 6);  // sites of values
    put(records, spec.slots_in_padding ? spec.slots - 1 : 0, 2);
    put(records, 0, 4);  // bytes of bitmap
    if (spec.record_bytes == 72) put(records, spec.slots - 1, 2), put(records, 0, 6);
    for (const uint64_t value : function.values) put(counters, value, 8);
    joined += (i ? "\x01" : "") + function.name;
  }
  put(names, joined.size() | (joined.size() > 127 ? 0x80 : 0), 1);
  if (joined.size() > 127)
    names.back() = static_cast<uint8_t>((joined.size() & 0x7f) | 0x80), put(names, joined.size() >> 7, 1);
  put(names, 0, 1);
  put_text(names, joined);
  Buffer file;
  for (const uint64_t word :
       {spec.magic, spec.version, spec.binary_id_bytes, uint64_t{spec.functions.size()}, uint64_t{0},
        uint64_t{counters.size() / 8}, uint64_t{0}, uint64_t{0}, uint64_t{0}, uint64_t{names.size()}, data_bytes,
        uint64_t{0}, uint64_t{0}, uint64_t{0}, uint64_t{0}, uint64_t{2}}) {
    put(file, word, 8);
  }
  file.resize(file.size() + spec.binary_id_bytes);
  for (const Buffer* part : {&records, &counters, &names}) file.insert(file.end(), part->begin(), part->end());
  while (file.size() % 8) file.push_back(0);
  return file;
}

// The RFC's version 14: a bit a counter behind the bitmap.
inline Buffer indexed_file(uint64_t version, const std::string& name, uint64_t hash,
                           const std::vector<uint64_t>& counters, const std::vector<bool>& uniform) {
  Buffer data;
  put(data, hash, 8);
  put(data, counters.size(), 8);
  for (const uint64_t counter : counters) put(data, counter, 8);
  put(data, 0, 8);  // bytes of bitmap
  if (version >= 14) {
    put(data, uniform.size(), 8);
    uint64_t bits = 0;
    for (size_t i = 0; i < uniform.size(); ++i) bits |= uint64_t{uniform[i]} << i;
    if (!uniform.empty()) put(data, bits, 8);
  }
  put(data, 8, 4), put(data, 0, 4);  // values: none
  Buffer file;
  put(file, 0x8169666f72706cff, 8);
  put(file, version | uint64_t{1} << 56, 8);
  put(file, 0, 8), put(file, 0, 8);
  const size_t hash_offset = file.size();
  put(file, 0, 8);
  put(file, 0, 8), put(file, 0, 8), put(file, 0, 8), put(file, 0, 8);
  put(file, 0, 8), put(file, 0, 8);  // an empty summary
  put(file, 1, 2);
  put(file, md5_ref(name), 8);
  put(file, name.size(), 8), put(file, data.size(), 8);
  put_text(file, name);
  file.insert(file.end(), data.begin(), data.end());
  while (file.size() % 8) file.push_back(0);
  Buffer offset;
  put(offset, file.size(), 8);
  std::copy(offset.begin(), offset.end(), file.begin() + static_cast<std::ptrdiff_t>(hash_offset));
  put(file, 1, 8), put(file, 1, 8), put(file, 0, 8);
  return file;
}

}  // namespace kernloop::pgo::test
