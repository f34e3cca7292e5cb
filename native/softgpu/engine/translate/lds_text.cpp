#include "softgpu/engine/translate/lds_text.h"

#include <algorithm>
#include <cstddef>

#include "softgpu/engine/wave/wave.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

namespace {

// A constant vector of 16 dwords: factor * lane + first.
std::string steps(unsigned factor, unsigned first) {
  std::string text = "<";
  for (unsigned lane = 0; lane < 16; ++lane) text += (lane ? ", i32 " : "i32 ") + std::to_string(factor * lane + first);
  return text + ">";
}

}  // namespace

std::string LdsText::define(const std::string& what) {
  std::string name = fresh_();
  body_ += "  " + name + " = " + what + "\n";
  return name;
}

std::string LdsText::entry() const {
  if (!is_used()) return {};
  std::string text =
      "  %at.workgroup = getelementptr i8, ptr %wave, i64 " + std::to_string(offsetof(Wave, workgroup)) +
      "\n  %workgroup = load ptr, ptr %at.workgroup\n  %at.lds = getelementptr i8, ptr %workgroup, i64 " +
      std::to_string(offsetof(Workgroup, lds)) + "\n  %lds = load ptr, ptr %at.lds\n" +
      "  %at.size = getelementptr i8, ptr %workgroup, i64 " + std::to_string(offsetof(Workgroup, lds_bytes)) +
      "\n  %lds.size = load i32, ptr %at.size\n";
  for (const auto& [address, known] : checked_) {
    const std::string reach = std::to_string(known.reach);
    text += "  " + known.last + " = sub i32 %lds.size, " + reach + "\n";
    text += "  " + known.last + ".none = icmp ult i32 %lds.size, " + reach + "\n";
  }
  return text;
}

std::string LdsText::declarations() {
  return "declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i32>)\n";
}

// All reads at the address are checked before the first: the interpreter finds the one that goes past the end.
void LdsText::check(Address& known, const std::string& address) {
  if (!known.last.empty()) return;
  known.last = "%lds.last" + std::to_string(checked_.size());
  const std::string past = define("icmp ugt <16 x i32> " + address + ", " + splat("i32", known.last));
  const std::string lanes = define("bitcast <16 x i1> " + past + " to i16");
  const std::string active = define("and i16 " + lanes + ", %bits");
  const std::string any = define("icmp ne i16 " + active + ", 0");
  const std::string outside = define("or i1 " + any + ", " + known.last + ".none");
  const std::string inside = fresh_().substr(1);
  body_ += "  br i1 " + outside + ", label %bail, label %" + inside + ", !prof !2\n" + inside + ":\n";
}

std::string LdsText::all_set(const std::string& bits) {
  const std::string word = define("bitcast <16 x i1> " + bits + " to i16");
  const std::string all = define("icmp eq i16 " + word + ", -1");
  const std::string full = define("icmp eq i16 %bits, -1");
  return define("and i1 " + all + ", " + full);
}

std::string LdsText::splat(const std::string& type, const std::string& value) {
  const std::string one = define("insertelement <16 x " + type + "> poison, " + type + " " + value + ", i64 0");
  return define("shufflevector <16 x " + type + "> " + one + ", <16 x " + type +
                "> poison, <16 x i32> zeroinitializer");
}

void LdsText::look_at(Address& known, const std::string& address) {
  if (!known.first.empty()) return;
  const std::string first = define("extractelement <16 x i32> " + address + ", i64 0");
  known.first = define("zext i32 " + first + " to i64");
  known.delta = define("sub <16 x i32> " + address + ", " + splat("i32", first));
  known.uniform = all_set(define("icmp eq <16 x i32> " + known.delta + ", zeroinitializer"));
}

const std::string& LdsText::are_adjacent(Address& known, unsigned bytes) {
  std::string& adjacent = known.adjacent[bytes];
  if (adjacent.empty()) adjacent = all_set(define("icmp eq <16 x i32> " + known.delta + ", " + steps(bytes, 0)));
  return adjacent;
}

std::string LdsText::base_at(uint32_t offset) {
  return define("getelementptr i8, ptr %lds, i64 " + std::to_string(offset));
}

std::string LdsText::uniform_dword(const LdsRead& read, const std::string& at, unsigned dword) {
  const std::string place = define("getelementptr i8, ptr " + at + ", i64 " + std::to_string(4 * dword));
  if (read.bytes >= 4) return splat("i32", define("load i32, ptr " + place + ", align 1"));
  const std::string type = read.bytes == 1 ? "i8" : "i16";
  const std::string narrow = define("load " + type + ", ptr " + place + ", align 1");
  return splat("i32", define((read.is_signed ? "sext " : "zext ") + type + " " + narrow + " to i32"));
}

std::vector<std::string> LdsText::adjacent_dwords(const std::string& at, unsigned dwords) {
  std::vector<std::string> parts;
  for (unsigned k = 0; k < dwords; ++k) {
    const std::string place = define("getelementptr i8, ptr " + at + ", i64 " + std::to_string(64 * k));
    parts.push_back(define("load <16 x i32>, ptr " + place + ", align 1"));
  }
  if (dwords == 1) return parts;
  std::vector<std::string> wide = parts;
  std::string type = "<16 x i32>";
  if (dwords == 4) {
    std::string all = "<";
    for (unsigned k = 0; k < 32; ++k) all += (k ? ", i32 " : "i32 ") + std::to_string(k);
    for (unsigned k = 0; k < 2; ++k)
      wide[k] = define("shufflevector <16 x i32> " + parts[2 * k] + ", <16 x i32> " + parts[2 * k + 1] +
                       ", <32 x i32> " + all + ">");
    type = "<32 x i32>";
  }
  std::vector<std::string> results;
  for (unsigned k = 0; k < dwords; ++k)
    results.push_back(define("shufflevector " + type + " " + wide[0] + ", " + type + " " + wide[1] + ", <16 x i32> " +
                             steps(dwords, k)));
  return results;
}

// Narrow reads take a dword, too: what lies behind the end of LDS is ours (lds_end.h).
std::string LdsText::gathered_dword(const LdsRead& read, const std::string& address, uint32_t offset, unsigned dword) {
  const std::string places = define("getelementptr i8, ptr " + base_at(offset + 4 * dword) + ", <16 x i32> " + address);
  std::string value = define("call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> " + places +
                             ", i32 1, <16 x i1> %active, <16 x i32> zeroinitializer)");
  if (read.bytes >= 4) return value;
  const std::string shift = steps(0, 32 - 8 * read.bytes);
  value = define("shl <16 x i32> " + value + ", " + shift);
  return define((read.is_signed ? "ashr <16 x i32> " : "lshr <16 x i32> ") + value + ", " + shift);
}

std::vector<std::string> LdsText::read_at(const LdsRead& read, const std::string& address, Address& known,
                                          uint32_t offset) {
  const unsigned dwords = read.dwords();
  const bool may_be_adjacent = read.bytes == 4 || read.bytes == 8 || read.bytes == 16;
  const std::string adjacent = may_be_adjacent ? are_adjacent(known, read.bytes) : std::string();
  const std::string base = base_at(offset);
  const std::string at = define("getelementptr i8, ptr " + base + ", i64 " + known.first);
  const std::string label = fresh_().substr(1);
  body_ +=
      "  br i1 " + known.uniform + ", label %" + label + ".same, label %" + label + ".other\n" + label + ".same:\n";
  std::vector<std::vector<std::string>> ways(1);
  std::vector<std::string> from = {label + ".same"};
  for (unsigned k = 0; k < dwords; ++k) ways[0].push_back(uniform_dword(read, at, k));
  body_ += "  br label %" + label + "\n" + label + ".other:\n";
  if (may_be_adjacent) {
    body_ += "  br i1 " + adjacent + ", label %" + label + ".row, label %" + label + ".any\n" + label + ".row:\n";
    ways.push_back(adjacent_dwords(at, dwords));
    from.push_back(label + ".row");
    body_ += "  br label %" + label + "\n" + label + ".any:\n";
  }
  ways.emplace_back();
  from.push_back(may_be_adjacent ? label + ".any" : label + ".other");
  for (unsigned k = 0; k < dwords; ++k) ways.back().push_back(gathered_dword(read, address, offset, k));
  body_ += "  br label %" + label + "\n" + label + ":\n";
  std::vector<std::string> results;
  for (unsigned k = 0; k < dwords; ++k) {
    std::string phi = "phi <16 x i32> ";
    for (size_t way = 0; way < ways.size(); ++way)
      phi += (way ? ", [ " : "[ ") + ways[way][k] + ", %" + from[way] + " ]";
    results.push_back(define(phi));
  }
  return results;
}

std::vector<std::string> LdsText::read(const LdsRead& read, const std::string& address) {
  Address& known = checked_[address];
  check(known, address);
  known.reach = std::max(known.reach, read.reach());
  look_at(known, address);
  std::vector<std::string> results;
  for (unsigned k = 0; k < read.addresses; ++k) {
    for (std::string& value : read_at(read, address, known, read.offsets[k])) results.push_back(std::move(value));
  }
  return results;
}

}  // namespace kernloop::softgpu
