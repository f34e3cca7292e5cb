// LLVM IR of reads of LDS by a group of 16 lanes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "softgpu/engine/translate/lds_read.h"

namespace kernloop::softgpu {

// Lanes of a group mostly read the same address, or neighbouring elements: one scalar or whole access then, and else a
// gather of the active lanes.
class LdsText {
 public:
  // `fresh` makes a name of a value that is not yet used.
  LdsText(std::string& body, std::function<std::string()> fresh) : body_(body), fresh_(std::move(fresh)) {}

  // The result, dword by dword, of those that read at `address`, a value that was named before; those of the second
  // address follow. The function goes to %bail if an active lane reads past the end.
  std::vector<std::string> read(const LdsRead& read, const std::string& address);
  // The base and the limits of LDS, for the entry of the function; nothing without reads.
  std::string entry() const;
  static std::string declarations();
  bool is_used() const { return !checked_.empty(); }

 private:
  // Facts about an address, found once.
  struct Address {
    std::string last;                          // value of the entry: the largest address that is inside
    std::string first;                         // of lane 0, i64
    std::string delta;                         // from lane 0
    std::string uniform;                       // all lanes are active, at the same address
    std::map<unsigned, std::string> adjacent;  // likewise, and elements of so many bytes follow each other
    uint32_t reach = 0;                        // the end of all reads behind it
  };

  std::string define(const std::string& what);
  void check(Address& known, const std::string& address);
  void look_at(Address& known, const std::string& address);
  std::string all_set(const std::string& bits);
  const std::string& are_adjacent(Address& known, unsigned bytes);
  std::string base_at(uint32_t offset);
  std::string splat(const std::string& type, const std::string& value);
  std::string uniform_dword(const LdsRead& read, const std::string& at, unsigned dword);
  std::vector<std::string> adjacent_dwords(const std::string& at, unsigned dwords);
  std::string gathered_dword(const LdsRead& read, const std::string& address, uint32_t offset, unsigned dword);
  std::vector<std::string> read_at(const LdsRead& read, const std::string& address, Address& known, uint32_t offset);

  std::string& body_;
  const std::function<std::string()> fresh_;
  std::map<std::string, Address> checked_;
};

}  // namespace kernloop::softgpu
