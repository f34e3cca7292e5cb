#include "fuzz/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace kernloop::fuzz {

namespace fs = std::filesystem;

namespace {

std::vector<Target>& registered() {
  static std::vector<Target> all;
  return all;
}

}  // namespace

Registration::Registration(Target target) {
  auto& all = registered();
  const auto at = std::upper_bound(all.begin(), all.end(), target,
                                   [](const Target& a, const Target& b) { return a.name < b.name; });
  all.insert(at, std::move(target));
}

const std::vector<Target>& targets() {
  return registered();
}

void require(bool promise, const char* what) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

Input file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Input bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  require(!bytes.empty(), path.c_str());
  return bytes;
}

Input test_data(const std::string& path) {
  return file_bytes(fs::path(KERNLOOP_FUZZ_SOURCES) / path);
}

std::vector<Input> test_data_with(const std::string& folder, const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(KERNLOOP_FUZZ_SOURCES) / folder)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<Input> inputs;
  for (const std::string& name : names) inputs.push_back(test_data(folder + "/" + name));
  return inputs;
}

ScratchFolder::ScratchFolder() {
  const fs::path memory = "/dev/shm";
  std::string name =
      ((fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "kernloop-fuzz-XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "a scratch folder");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::write(const std::string& name, Bytes bytes) const {
  const fs::path path = path_ / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace kernloop::fuzz
