// Interface of the fuzzers: one function for each reader of outside bytes, and the inputs it starts from. libFuzzer
// drives one of them a program (entry.cpp); fuzz_test drives all of them, shortly, in every build.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kernloop::fuzz {

using Bytes = std::span<const uint8_t>;
using Input = std::vector<uint8_t>;

struct Target {
  std::string name;
  std::function<void(Bytes)> run;               // aborts if the reader breaks a promise
  std::function<std::vector<Input>()> seeds{};  // well-formed inputs, from the test data
};

// In order of name.
const std::vector<Target>& targets();

class Registration {
 public:
  explicit Registration(Target target);
};

// A promise that does not depend on the input.
void require(bool promise, const char* what);

// The committed data of the tests, by path below native/.
Input file_bytes(const std::filesystem::path& path);  // not empty
Input test_data(const std::string& path);
std::vector<Input> test_data_with(const std::string& folder, const std::string& extension);

// A file for readers that take a path: the same one each time, in memory if the system has such a file system.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  std::filesystem::path write(const std::string& name, Bytes bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kernloop::fuzz
