#include "replay/core/lenses/dump.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "archive/files/file.h"

namespace kernloop::replay {

namespace {

std::string escaped(const std::string& name) {
  // File systems allow 255 bytes: long template names end in the digest of the whole.
  constexpr size_t kMaxLength = 120;
  std::string text;
  for (unsigned char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || (c == '.' && !text.empty());
    plain ? void(text += static_cast<char>(c)) : void(text.append(1, '%').append(to_hex({&c, 1})));
  }
  if (text.size() <= kMaxLength) return text;
  const Bytes bytes(reinterpret_cast<const uint8_t*>(name.data()), name.size());
  return text.substr(0, kMaxLength) + "-" + sha256(bytes).hex().substr(0, 16);
}

constexpr const char* kManifestName = "dump.json";

// Never overwrites an existing file; O_EXCL does not follow an existing link, either.
Result<FileDescriptor> create(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return archive::io_error("cannot create", path, errno);
  return file;
}

}  // namespace

Result<Json> write_target(DeviceReplay& device, const Target& target, const std::filesystem::path& path) {
  constexpr uint64_t kPieceBytes = 4u << 20;
  auto file = create(path);
  if (!file) return file.error();
  Buffer piece;
  Sha256 digest;
  for (uint64_t offset = 0; offset < target.size; offset += kPieceBytes) {
    piece.assign(std::min(kPieceBytes, target.size - offset), uint8_t{0});
    if (auto read = read_kept(device, target, offset, piece); !read) return read.error();
    digest.update(piece);
    if (auto written = archive::write_all(file->get(), piece, path); !written) return written.error();
  }
  Json row = {{"size", target.size}, {"sha256", digest.finish().hex()}};
  // Zeros in the file, which no memory held.
  if (!target.dropped.empty()) row["dropped_bytes"] = target.dropped_bytes();
  return row;
}

namespace {

bool is_wanted(const DumpRequest& request, const Target& target) {
  return request.names.empty() ||
         std::find(request.names.begin(), request.names.end(), target.name) != request.names.end();
}

Error already_there(const std::filesystem::path& path) {
  return {"TARGET_EXISTS", path.string() + " is there already, and a dump overwrites nothing",
          "name another folder, or remove it"};
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
  return name + "@" + to_hex_number(target.address) + ".bin";
}

Status check_files_absent(const std::filesystem::path& directory, const char* manifest,
                          const std::vector<std::string>& files) {
  std::error_code none;
  // A dangling link counts as existing, too.
  const auto is_there = [&](const std::filesystem::path& path) {
    return std::filesystem::symlink_status(path, none).type() != std::filesystem::file_type::not_found;
  };
  if (is_there(directory / manifest)) return already_there(directory / manifest);
  for (const std::string& file : files) {
    if (is_there(directory / file)) return already_there(directory / file);
  }
  return Unit{};
}

Status write_manifest(const std::filesystem::path& path, const Json& facts) {
  const std::string text = archive::to_text(facts);
  auto file = create(path);
  if (!file) return file.error();
  return archive::write_all(file->get(), {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, path);
}

Status check_dump(const DumpRequest& request, const std::vector<Target>& targets) {
  for (const std::string& name : request.names) {
    if (std::any_of(targets.begin(), targets.end(), [&](const Target& target) { return target.name == name; }))
      continue;
    std::string known;
    for (const Target& target : targets) known += (known.empty() ? "" : ", ") + target.name;
    return Error{"USAGE", "the capture has no region or module variable " + name + " to dump", "it has " + known};
  }
  std::vector<std::string> files;
  for (const Target& target : targets) {
    if (is_wanted(request, target)) files.push_back(dump_file_name(target, targets));
  }
  return check_files_absent(request.directory, kManifestName, files);
}

Status dump_targets(const DumpRequest& request, DeviceReplay& device, const std::vector<Target>& targets, Json facts) {
  std::error_code failure;
  std::filesystem::create_directories(request.directory, failure);
  if (failure) return archive::io_error("cannot create", request.directory, failure.value());
  Json contents = Json::array();
  for (const Target& target : targets) {
    if (!is_wanted(request, target)) continue;
    const std::string name = dump_file_name(target, targets);
    auto row = write_target(device, target, request.directory / name);
    if (!row) return row.error();
    row->update(
        {{"file", name}, {"kind", target.kind()}, {"name", target.name}, {"address", to_hex_number(target.address)}});
    contents.push_back(std::move(*row));
  }
  facts["schema"] = "kernloop.dump/1";
  facts["time"] = request.time == DumpTime::kPre ? "pre" : "post";
  facts["contents"] = std::move(contents);
  return write_manifest(request.directory / kManifestName, facts);
}

}  // namespace kernloop::replay
