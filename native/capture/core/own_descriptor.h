// A descriptor of the agent in the app's process. An app may close every number that it does not know, as daemons do,
// and reuse the numbers for files of its own: every use first checks that it is still ours.
#pragma once

#include <sys/types.h>

#include <utility>

namespace kernloop::capture {

class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  // Takes the descriptor, and moves it above the numbers that apps use. -1: none.
  explicit OwnDescriptor(int fd);
  OwnDescriptor(OwnDescriptor&& other) noexcept { *this = std::move(other); }
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    std::swap(kind_, other.kind_);
    return *this;
  }
  ~OwnDescriptor() { close(); }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  bool is_ours() const;
  // Leaves the number alone if it is no longer ours.
  void close();

 private:
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  mode_t kind_ = 0;
};

}  // namespace kernloop::capture
