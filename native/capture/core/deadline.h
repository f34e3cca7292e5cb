// A point in time by which a step must have ended.
#pragma once

#include <algorithm>
#include <chrono>

namespace kernloop::capture {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  static Deadline in(std::chrono::milliseconds limit) { return Deadline(Clock::now() + limit); }

  bool passed() const { return Clock::now() >= at_; }
  std::chrono::milliseconds left() const {
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(at_ - Clock::now());
    return std::max(rest, std::chrono::milliseconds(0));
  }
  Clock::time_point at() const { return at_; }
  bool operator<(const Deadline& other) const { return at_ < other.at_; }

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

}  // namespace kernloop::capture
