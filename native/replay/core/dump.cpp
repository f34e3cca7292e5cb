#include "replay/core/dump.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "archive/file.h"

namespace kernloop::replay {

namespace {

std::string escaped(const std::string& name) {
  // File systems allow 255 bytes: long template names end in the digest of the whole.
  constexpr size_t kMaxLength = 120;
  std::string text;
  for (unsigned char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || (c == '.' && !text.empty());
    plain ? void(text += static_cast<char>(c)) : void(text.append(1, '%').append(archive::to_hex({&c, 1})));
  }
  if (text.size() <= kMaxLength) return text;
  const Bytes bytes(reinterpret_cast<const uint8_t*>(name.data()), name.size());
  return text.substr(0, kMaxLength) + "-" + archive::sha256(bytes).hex().substr(0, 16);
}

Status dump_target(DeviceReplay& device, const Target& target, const std::filesystem::path& path) {
  constexpr uint64_t kPieceBytes = 4u << 20;
  // O_NOFOLLOW: a link left in the folder must not send device memory somewhere else.
  archive::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) return archive::io_error("cannot create", path, errno);
  archive::Buffer piece;
  for (uint64_t offset = 0; offset < target.size; offset += kPieceBytes) {
    piece.resize(std::min(kPieceBytes, target.size - offset));
    if (auto read = device.read(target.address + offset, piece); !read) return read;
    if (auto written = archive::write_all(file.get(), piece, path); !written) return written;
  }
  return Unit{};
}

}  // namespace

std::string dump_file_name(const Target& target, const std::vector<Target>& all) {
  if (!target.is_variable) return target.name + ".bin";
  const std::string name = escaped(target.name);
  // Two code objects may have a variable of the same name.
  const auto same = [&](const Target& other) {
    return &other != &target && (other.is_variable ? escaped(other.name) : other.name) == name;
  };
  if (std::none_of(all.begin(), all.end(), same)) return name + ".bin";
  return name + "@" + archive::to_hex_number(target.address) + ".bin";
}

Status dump_targets(DeviceReplay& device, const std::vector<Target>& targets, const std::filesystem::path& directory) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) return archive::io_error("cannot create", directory, failure.value());
  for (const Target& target : targets) {
    if (auto dumped = dump_target(device, target, directory / dump_file_name(target, targets)); !dumped) return dumped;
  }
  return Unit{};
}

}  // namespace kernloop::replay
