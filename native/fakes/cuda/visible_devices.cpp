#include "fakes/cuda/visible_devices.h"

#include <cctype>
#include <cstdio>
#include <numeric>
#include <sstream>

#include "base/numbers.h"

namespace kernloop::cuda::fake {
namespace {

// -1: none.
int find_device(const std::string& entry, int installed) {
  if (const auto number = number_of<int>(entry)) return *number < installed ? *number : -1;
  if (!entry.starts_with("GPU-")) return -1;
  for (int i = 0; i < installed; ++i) {
    if (uuid_text(i).starts_with(entry)) return i;
  }
  return -1;
}

}  // namespace

std::string uuid_bytes(int installed_index) {
  return "fake-cuda-devic" + std::string(1, static_cast<char>('0' + installed_index));
}

std::string uuid_text(int installed_index) {
  const std::string bytes = uuid_bytes(installed_index);
  std::string text = "GPU-";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    text += digits;
  }
  return text;
}

std::vector<int> visible_devices(const char* text, int installed) {
  std::vector<int> visible;
  if (text == nullptr) {
    visible.resize(static_cast<size_t>(installed));
    std::iota(visible.begin(), visible.end(), 0);
    return visible;
  }
  std::istringstream list(text);
  for (std::string entry; std::getline(list, entry, ',');) {
    const int device = find_device(entry, installed);
    if (device < 0) break;
    visible.push_back(device);
  }
  return visible;
}

}  // namespace kernloop::cuda::fake
