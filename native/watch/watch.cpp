// Watches a build: in LD_PRELOAD of a build command, this library is loaded into every process that the dynamic loader
// starts, looks at its command, and, if that is a compiler of device code, leaves a record in the folder that
// KERNLOOP_WATCH_DIR names. No call is intercepted: a compiler is found whether make, ninja or a script starts it, by
// any path, behind ccache or a wrapper.
//
// A record is a file of fields, each a letter, text and a NUL: d working directory, x the program as the kernel was
// told it, a each word of the command (the program's own name first), e variables that compilers take options from, r a
// response file and t its text (it may be gone when the build has ended). It appears by rename, so that a reader never
// sees a part.
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

namespace {

using std::string_view;

constexpr const char* kFolder = "KERNLOOP_WATCH_DIR";
/// Longer files are no lists of options.
constexpr size_t kMaxResponseBytes = 4 << 20;
constexpr int kMaxResponseFiles = 64;

string_view base_name(string_view path) {
  const auto slash = path.rfind('/');
  return slash == string_view::npos ? path : path.substr(slash + 1);
}

/// `clang++` of `clang++-15`, `nvcc` of `nvcc-12.4`, `hipcc` of `hipcc.bin`.
string_view without_version(string_view name) {
  const auto end = name.find_last_not_of("0123456789.");
  if (end != string_view::npos && end + 1 < name.size() && name[end] == '-') name = name.substr(0, end);
  for (const string_view suffix : {".bin", ".pl"})
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      name.remove_suffix(suffix.size());
  return name;
}

bool is_one_of(string_view name, std::initializer_list<string_view> names) {
  for (const auto each : names)
    if (name == each) return true;
  return false;
}

bool is_compiler(string_view path) {
  const auto name = without_version(base_name(path));
  return is_one_of(name, {"nvcc", "hipcc", "clang", "clang++", "amdclang", "amdclang++"});
}

/// Programs that precede a compiler in a command and start it, or not.
bool is_launcher(string_view path) {
  return is_one_of(base_name(path), {"ccache", "sccache", "distcc", "icecc"});
}

class Record {
 public:
  explicit Record(int file) : file_(file) {}

  void field(char letter, string_view text) {
    put(string_view(&letter, 1));
    put(text);
    put(string_view("\0", 1));
  }

  bool is_whole() const { return whole_; }

 private:
  void put(string_view bytes) {
    while (whole_ && !bytes.empty()) {
      const auto written = write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        whole_ = false;
        return;
      }
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }

  int file_;
  bool whole_ = true;
};

void add_response_file(Record& record, const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat facts {};
  if (file < 0) return;
  const bool is_short =
      fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && static_cast<size_t>(facts.st_size) <= kMaxResponseBytes;
  const auto size = is_short ? static_cast<size_t>(facts.st_size) : 0;
  auto* text = size > 0 ? static_cast<char*>(malloc(size)) : nullptr;
  if (text != nullptr) {
    size_t got = 0;
    for (ssize_t part = 0; got < size && (part = read(file, text + got, size - got)) > 0;)
      got += static_cast<size_t>(part);
    // A file with a NUL is not text.
    if (memchr(text, 0, got) == nullptr) {
      record.field('r', path);
      record.field('t', string_view(text, got));
    }
    free(text);
  }
  close(file);
}

/// A script's arguments follow those of its interpreter.
char** words_of(char** words, const char* executed) {
  char start[2] = {};
  const int file = open(executed, O_RDONLY | O_CLOEXEC);
  const bool is_script = file >= 0 && read(file, start, 2) == 2 && start[0] == '#' && start[1] == '!';
  if (file >= 0) close(file);
  if (!is_script) return words;
  for (char** word = words; *word != nullptr; ++word)
    if (strcmp(*word, executed) == 0) return word;
  return words;
}

void write_fields(Record& record, char** words, const char* executed, const char* folder) {
  record.field('d', folder);
  record.field('x', executed);
  for (char** word = words; *word != nullptr; ++word) record.field('a', *word);
  for (const char* name :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "HIPCC_COMPILE_FLAGS_APPEND", "CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = getenv(name);
    if (value == nullptr) continue;
    char line[4096];
    if (snprintf(line, sizeof line, "%s=%s", name, value) < static_cast<int>(sizeof line)) record.field('e', line);
  }
  int left = kMaxResponseFiles;
  for (char** word = words; *word != nullptr && left > 0; ++word) {
    const string_view text(*word);
    const bool is_option = text.find("options-file") != string_view::npos || text == "-optf" || text == "--optf";
    if (text.starts_with('@') && text.size() > 1) {
      add_response_file(record, *word + 1);
      --left;
    } else if (is_option) {
      const auto* equals = strchr(*word, '=');
      const char* path = equals != nullptr ? equals + 1 : word[1];
      if (path != nullptr) add_response_file(record, path);
      --left;
    }
  }
}

__attribute__((constructor)) void watch(int count, char** words, char** /*environment*/) {
  const char* place = getenv(kFolder);
  if (place == nullptr || count < 1 || words == nullptr || words[0] == nullptr) return;
  const auto* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (executed == nullptr) return;
  const int saved = errno;
  char** command = words_of(words, executed);
  const bool is_launched = is_launcher(command[0]) && command[1] != nullptr && is_compiler(command[1]);
  if (is_compiler(executed) || is_compiler(command[0]) || is_launched) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    char folder[4096], partial[4096], whole[4096];
    const auto stamp = static_cast<long long>(now.tv_sec) * 1000000000 + now.tv_nsec;
    const int length = snprintf(whole, sizeof whole, "%s/%020lld-%d.command", place, stamp, getpid());
    if (length > 0 && length + 8 < static_cast<int>(sizeof partial) && getcwd(folder, sizeof folder) != nullptr) {
      snprintf(partial, sizeof partial, "%.*s.partial", length, whole);
      const int file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (file >= 0) {
        Record record(file);
        write_fields(record, command, executed, folder);
        close(file);
        if (!record.is_whole() || rename(partial, whole) != 0) unlink(partial);
      }
    }
    // The compiler's child processes are its own parts.
    unsetenv(kFolder);
  }
  errno = saved;
}

}  // namespace
