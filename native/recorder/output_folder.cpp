#include "recorder/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <vector>

#include "archive/packed/packed_layout.h"

namespace kernloop::recorder {

namespace fs = std::filesystem;

namespace {

const fs::path kCaptureFile = "capture.json";

// Files of a capture, and remains of a program that was killed while writing one. Everything else in its folder is the
// user's.
bool is_of_a_capture(const std::string& name) {
  return std::ranges::any_of(archive::kPackedFiles, [&](const std::string& ours) {
    return name == ours || name.starts_with(ours + ".partial-") ||
           (name.starts_with('.' + ours + '.') && name.ends_with(".tmp"));
  });
}

// `999`, `999-replaced` of a recorder; `host-999`, `host-999-shrunk` of stages. Folders of other owners end
// differently.
bool is_end_of_partial(std::string_view end) {
  for (const std::string_view of_ours : {"-replaced", "-shrunk"}) {
    if (end.ends_with(of_ours)) {
      end.remove_suffix(of_ours.size());
      break;
    }
  }
  const size_t before = end.find_last_not_of("0123456789");
  return !end.empty() && (before == std::string_view::npos || (end[before] == '-' && before + 1 < end.size()));
}

}  // namespace

Result<std::unique_ptr<OutputFolder>> OutputFolder::claim(const fs::path& output) {
  std::unique_ptr<OutputFolder> folder(new OutputFolder);
  folder->output_ = output;
  folder->lock_path_ = output.string() + ".lock";
  std::error_code failure;
  fs::create_directories(output.parent_path(), failure);
  if (failure) return archive::io_error("cannot create", output.parent_path(), failure.value());
  if (auto locked = folder->lock(); !locked) return locked.error();

  // Owners of partial captures of this output are dead: we hold its lock.
  const std::string prefix = output.filename().string() + ".partial-";
  for (const auto& entry : fs::directory_iterator(output.parent_path(), failure)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && is_end_of_partial(std::string_view(name).substr(prefix.size())))
      fs::remove_all(entry.path(), failure);
  }
  folder->partial_ = output.string() + ".partial-" + std::to_string(getpid());
  return folder;
}

Status OutputFolder::lock() {
  while (true) {
    FileDescriptor file(open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file) return archive::io_error("cannot open", lock_path_, errno);
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return archive::io_error("cannot lock", lock_path_, errno);
      return Error{"CAPTURE_BUSY", output_.string() + " is being written by another capture",
                   "wait for it to end, or choose another output"};
    }
    // Another recorder may have removed the file between our open and our lock: then the lock excludes nobody.
    struct stat ours, named;
    if (fstat(file.get(), &ours) == 0 && stat(lock_path_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
        ours.st_dev == named.st_dev) {
      lock_ = std::move(file);
      return Unit{};
    }
  }
}

void OutputFolder::discard() {
  if (partial_.empty()) return;
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
}

OutputFolder::~OutputFolder() {
  if (!lock_) return;
  discard();
  unlink(lock_path_.c_str());
}

Status OutputFolder::publish() {
  if (output_.empty()) return Unit{};
  if (is_of_the_user()) return fill();
  if (auto kept = keep_others(); !kept) return kept;
  if (rename(partial_.c_str(), output_.c_str()) == 0) return archive::sync_directory(output_.parent_path());
  if (errno != ENOTEMPTY && errno != EEXIST)
    return archive::io_error("cannot move a complete capture to", output_, errno);
  // An older capture exists: the two are exchanged, so that there is a complete one at every moment; then the older one
  // is removed.
  if (renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, output_.c_str(), RENAME_EXCHANGE) != 0) {
    // A file system without exchange: a moment without, but never half of one.
    if (auto replaced = replace_in_two_steps(); !replaced) return replaced;
  }
  discard();
  return archive::sync_directory(output_.parent_path());
}

bool OutputFolder::is_of_the_user() const {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(output_, ignored)) && !fs::exists(output_ / kCaptureFile, ignored);
}

// A folder that the user made stays the same one, because a shell may be in it. capture.json comes last: it marks the
// folder as a capture.
Status OutputFolder::fill() {
  std::error_code failure;
  std::vector<fs::path> names;
  for (fs::directory_iterator entry(partial_, failure), end; !failure && entry != end; entry.increment(failure))
    if (entry->path().filename() != kCaptureFile) names.push_back(entry->path().filename());
  if (failure) return archive::io_error("cannot read", partial_, failure.value());
  for (fs::directory_iterator entry(output_, failure), end; !failure && entry != end; entry.increment(failure))
    if (is_of_a_capture(entry->path().filename().string())) fs::remove(entry->path(), failure);
  if (failure) return archive::io_error("cannot remove remains of a capture from", output_, failure.value());
  names.emplace_back(kCaptureFile);
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (rename((partial_ / *name).c_str(), (output_ / *name).c_str()) == 0) continue;
    const int error = errno;
    std::error_code ignored;
    for (auto moved = names.begin(); moved != name; ++moved) fs::remove_all(output_ / *moved, ignored);
    return archive::io_error("cannot move a complete capture to", output_, error);
  }
  discard();
  return archive::sync_directory(output_);
}

// Hard links: at every moment the user's files have a name that is not removed.
Status OutputFolder::keep_others() {
  std::error_code failure;
  // A link to a folder elsewhere is itself replaced, and its target stays.
  if (!fs::is_directory(fs::symlink_status(output_, failure))) return Unit{};
  const auto options =
      fs::copy_options::recursive | fs::copy_options::copy_symlinks | fs::copy_options::create_hard_links;
  for (fs::directory_iterator entry(output_, failure), end; !failure && entry != end; entry.increment(failure)) {
    const fs::path name = entry->path().filename();
    if (is_of_a_capture(name.string())) continue;
    fs::copy(entry->path(), partial_ / name, options, failure);
    if (failure) return archive::io_error("cannot keep", entry->path(), failure.value());
  }
  if (failure) return archive::io_error("cannot read", output_, failure.value());
  return Unit{};
}

// Under the older one's second name the next claim() finds it, should we die before it is removed.
Status OutputFolder::replace_in_two_steps() {
  const fs::path older = partial_.string() + "-replaced";
  if (rename(output_.c_str(), older.c_str()) != 0)
    return archive::io_error("cannot move the older capture away from", output_, errno);
  if (rename(partial_.c_str(), output_.c_str()) != 0) {
    const int error = errno;
    rename(older.c_str(), output_.c_str());
    return archive::io_error("cannot move a complete capture to", output_, error);
  }
  std::error_code ignored;
  fs::remove_all(older, ignored);
  return Unit{};
}

}  // namespace kernloop::recorder
