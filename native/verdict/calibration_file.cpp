// The replays of a calibration, as one process hands them to the next.
#include <fstream>

#include "verdict/calibration.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMagic = 0x314c41434c4b0a0d;  // changes with the format
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

void put(std::ostream& out, uint64_t number) {
  out.write(reinterpret_cast<const char*>(&number), sizeof number);
}

uint64_t get(std::istream& in) {
  uint64_t number = 0;
  in.read(reinterpret_cast<char*>(&number), sizeof number);
  return number;
}

Error unusable(const std::filesystem::path& path, const char* why) {
  return {"CALIBRATION_FILE", path.string() + ": " + why, "remove it and calibrate again"};
}

}  // namespace

Status Calibration::save(const std::filesystem::path& path) const {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  for (const uint64_t number : {kMagic, uint64_t{targets_.size()}, uint64_t{replays_}, uint64_t{bytes_.size()}})
    put(out, number);
  out.write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  for (const History& history : histories_) {
    for (const std::vector<Run>& runs : history.runs) {
      put(out, runs.size());
      for (const Run& run : runs) put(out, run.offset), put(out, run.size), put(out, run.data);
    }
  }
  if (!out.flush()) return unusable(path, "it cannot be written");
  return Unit{};
}

Status Calibration::load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (get(in) != kMagic || get(in) != targets_.size())
    return unusable(path, "it is not of a calibration of this capture");
  const uint64_t replays = get(in), bytes = get(in);
  if (!in || bytes > kMostBytes) return unusable(path, "it is damaged");
  bytes_.resize(bytes);
  in.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes));
  for (size_t t = 0; t < targets_.size(); ++t) {
    for (uint64_t i = 0; i < replays && in; ++i) {
      std::vector<Run>& runs = histories_[t].runs.emplace_back();
      uint64_t behind = 0;
      for (uint64_t count = get(in); count > 0 && in; --count) {
        const uint64_t offset = get(in), size = get(in), data = get(in);
        const bool fits = offset >= behind && offset <= targets_[t].size && size <= targets_[t].size - offset &&
                          data <= bytes && size <= bytes - data;
        if (!fits) return unusable(path, "it is damaged");
        runs.push_back({offset, size, static_cast<size_t>(data)});
        behind = offset + size;
        ++runs_;
      }
    }
  }
  if (!in) return unusable(path, "it is damaged");
  replays_ = replays;
  return Unit{};
}

}  // namespace kernloop::replay
