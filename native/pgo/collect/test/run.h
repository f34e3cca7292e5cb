// Runs a program with its own environment and returns its exit status and output.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

namespace kernloop::pgo::test {

struct Ended {
  int status = 0;    // from wait()
  std::string said;  // on both streams
};

inline Ended run(const std::map<std::string, std::string>& environment, const std::string& command) {
  std::string line = "env";
  for (const auto& [name, value] : environment) line += " '" + name + "=" + value + "'";
  FILE* pipe = ::popen((line + " " + command + " 2>&1").c_str(), "r");
  Ended ended;
  char text[4096];
  while (const size_t count = std::fread(text, 1, sizeof text, pipe)) ended.said.append(text, count);
  ended.status = ::pclose(pipe);
  return ended;
}

// Empty, and gone with its test.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "kernloop-pgo-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kernloop::pgo::test
