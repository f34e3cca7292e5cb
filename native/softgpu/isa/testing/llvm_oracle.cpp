#include "softgpu/isa/testing/llvm_oracle.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "softgpu/isa/testing/llvm_disassembler.h"

namespace kernloop::softgpu::testing {
namespace {

// "s_mov_b32 s0, 0x60000000 + i" after each item tells where its output ends.
constexpr uint32_t kMarkerOpcode[kIsas] = {0xbe8000ff, 0xbe8003ff, 0xbe8000ff, 0xbe8000ff};
constexpr uint32_t kMarkerBase = 0x60000000;
constexpr const char* kMarkerText = "s_mov_b32 s0, 0x6";
constexpr size_t kMarkerLength = sizeof("s_mov_b32 s0, 0x60000000") - 1;

struct Line {
  std::string text;
  std::optional<Bytes> encoding;  // empty if it has a fixup
};

std::string single_spaced(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  std::string result;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty()) return result;
    const std::string_view word = text.substr(0, text.find_first_of(kSpace));
    if (!result.empty()) result += ' ';
    result += word;
    text.remove_prefix(word.size());
  }
}

// The instructions of each item, with "; encoding: [0x00,…]" if it was asked for, split at the markers. `complete`
// counts the items whose marker was written.
std::vector<std::vector<Line>> split_at_markers(const std::string& output, size_t items, size_t& complete) {
  std::vector<std::vector<Line>> result(items);
  std::vector<Line> current;
  std::istringstream stream(output);
  for (std::string raw; std::getline(stream, raw);) {
    const size_t mark = std::min(raw.find("; encoding: ["), raw.size());
    Line line{single_spaced(raw.substr(0, mark)), Bytes{}};
    if (line.text.empty() || line.text.starts_with('.') || line.text.ends_with(':')) continue;
    if (line.text.starts_with(kMarkerText) && line.text.size() == kMarkerLength) {
      const size_t item = std::stoul(line.text.substr(line.text.find("0x")), nullptr, 16) - kMarkerBase;
      if (item < items) {
        result[item] = std::move(current);
        complete = item + 1;
      }
      current.clear();
      continue;
    }
    for (size_t at = raw.find("0x", mark); at != std::string::npos; at = raw.find("0x", at + 2)) {
      line.encoding->push_back(static_cast<uint8_t>(std::stoul(raw.substr(at, 4), nullptr, 16)));
    }
    if (raw.find('\'', mark) != std::string::npos || raw.find(",A", mark) != std::string::npos) line.encoding.reset();
    current.push_back(std::move(line));
  }
  return result;
}

void write_file(const std::filesystem::path& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

std::string shell_quoted(const std::filesystem::path& path) {
  return std::string(1, '\'').append(path.string()).append(1, '\'');
}

void append_dword(std::string& text, uint32_t dword) {
  char bytes[24];
  std::snprintf(bytes, sizeof bytes, " 0x%02x 0x%02x 0x%02x 0x%02x", dword & 0xff, dword >> 8 & 0xff,
                dword >> 16 & 0xff, dword >> 24);
  text += bytes;
}

}  // namespace

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  Bytes bytes(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

LlvmOracle::LlvmOracle(const Subject& subject) : subject_(subject) {}
LlvmOracle::~LlvmOracle() = default;

void LlvmOracle::require() {
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);  // a crash would otherwise spend half a second on its stack trace
  for (const char* tool : {llvm_mc(), KERNLOOP_LLVM_OBJCOPY}) {
    ASSERT_EQ(access(tool, X_OK), 0) << tool << ": the LLVM 15 tools that judge the decoder are missing; install "
                                     << "llvm-15 (Debian: apt-get install llvm-15) and configure the build again";
  }
}

std::filesystem::path LlvmOracle::scratch() {
  if (scratch_.empty()) {
    std::string pattern = ::testing::TempDir() + "kernloop-isa-XXXXXX";
    const char* made = mkdtemp(pattern.data());
    if (made == nullptr) {
      ADD_FAILURE() << "no scratch directory " << pattern << ": " << std::strerror(errno);
      std::abort();
    }
    scratch_ = made;
    static std::set<std::filesystem::path> made_directories;
    if (made_directories.empty()) {
      std::atexit([] {
        for (const auto& directory : made_directories) {
          std::error_code ignored;
          std::filesystem::remove_all(directory, ignored);
        }
      });
    }
    made_directories.insert(scratch_);
  }
  return scratch_;
}

const char* LlvmOracle::llvm_mc() const {
  return subject_.llvm == 15 ? KERNLOOP_LLVM_MC : KERNLOOP_LLVM_MC_22;
}

LlvmOracle::Output LlvmOracle::run(const std::string& program, const std::string& arguments) {
  const auto out = scratch() / "out";
  const auto err = scratch() / "err";
  const std::string command =
      "timeout 300 " + shell_quoted(program) + " " + arguments + " >" + shell_quoted(out) + " 2>" + shell_quoted(err);
  const int status = std::system(command.c_str());
  const Bytes text = read_file(out);
  const Bytes errors = read_file(err);
  // A shell reports a child's signal as 128 + number.
  const bool crashed = !WIFEXITED(status) || WEXITSTATUS(status) >= 124;
  return {crashed, std::string(text.begin(), text.end()), std::string(errors.begin(), errors.end())};
}

LlvmOracle::Output LlvmOracle::run_llvm_mc(const std::string& arguments, const std::string& input) {
  const auto in = scratch() / "in";
  write_file(in, input);
  const std::string target =
      std::string(" -triple=amdgcn-amd-amdhsa -mcpu=") + subject_.mcpu + " " + subject_.attributes;
  return run(llvm_mc(), arguments + target + shell_quoted(in));
}

// Encodings are not asked for: of writing them llvm-mc dies more often.
std::vector<std::optional<std::string>> LlvmOracle::disassemble_once(std::span<const Words> items) {
  std::string input;
  for (size_t i = 0; i < items.size(); ++i) {
    input += "[";
    for (uint32_t word : items[i]) append_dword(input, word);
    input += "]\n[";
    append_dword(input, kMarkerOpcode[static_cast<unsigned>(subject_.target.isa)]);
    append_dword(input, kMarkerBase + static_cast<uint32_t>(i));
    input += "]\n";
  }
  const Output output = run_llvm_mc("-disassemble", input);
  size_t complete = 0;
  const auto lines = split_at_markers(output.text, items.size(), complete);
  std::vector<std::optional<std::string>> texts;
  for (size_t i = 0; i < complete; ++i)
    texts.push_back(lines[i].empty() ? std::nullopt : std::optional(lines[i].front().text));
  return texts;
}

// The output of llvm-mc before it died counts; the culprit is among the few items whose output it still held back, and
// halving finds it.
std::vector<std::optional<std::string>> LlvmOracle::disassemble_past_deaths(std::span<const Words> items) {
  constexpr size_t kHeldBack = 64;
  std::vector<std::optional<std::string>> texts;
  while (texts.size() < items.size()) {
    const auto rest = items.subspan(texts.size());
    const auto known = disassemble_once(rest);
    texts.insert(texts.end(), known.begin(), known.end());
    if (known.size() == rest.size()) break;
    if (rest.size() == 1) {
      texts.emplace_back();
      break;
    }
    const auto suspects = items.subspan(texts.size());
    const size_t window = std::min(kHeldBack, suspects.size());
    for (const auto half : {suspects.first(window / 2), suspects.subspan(window / 2, window - window / 2)}) {
      const auto half_texts = disassemble_past_deaths(half);
      texts.insert(texts.end(), half_texts.begin(), half_texts.end());
    }
  }
  return texts;
}

// LLVM dies on some reserved encodings (LLVM 15 on many, of SDWA and MFMA). Its library tells most of them, at less
// cost than a start of llvm-mc for each.
std::vector<std::optional<std::string>> LlvmOracle::disassemble(std::span<const Words> items) {
  if (!library_) library_ = std::make_unique<LlvmDisassembler>(subject_);
  const std::vector<bool> fatal = library_->fatal(items);
  std::vector<Words> others;
  for (size_t i = 0; i < items.size(); ++i)
    if (!fatal[i]) others.push_back(items[i]);
  const auto known = disassemble_past_deaths(others);
  std::vector<std::optional<std::string>> texts;
  size_t next = 0;
  for (const bool died : fatal) texts.push_back(died ? std::nullopt : known[next++]);
  return texts;
}

std::vector<std::optional<Bytes>> LlvmOracle::assemble(std::span<const std::string> texts) {
  std::string input;
  for (size_t i = 0; i < texts.size(); ++i) {
    char marker[40];
    std::snprintf(marker, sizeof marker, "\ns_mov_b32 s0, 0x%x\n", kMarkerBase + static_cast<uint32_t>(i));
    input += texts[i] + marker;
  }
  const Output output = run_llvm_mc("--show-encoding", input);
  EXPECT_FALSE(output.crashed) << "llvm-mc crashed while assembling: " << output.errors.substr(0, 400);
  size_t complete = 0;
  const auto lines = split_at_markers(output.text, texts.size(), complete);
  EXPECT_EQ(complete, texts.size());
  std::vector<std::optional<Bytes>> encodings(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (lines[i].size() == 1) encodings[i] = lines[i].front().encoding;
  }
  return encodings;
}

Bytes LlvmOracle::text_section(const std::filesystem::path& object) {
  const auto section = scratch() / "text";
  std::filesystem::remove(section);
  const Output output = run(KERNLOOP_LLVM_OBJCOPY,
                            "-O binary --only-section=.text " + shell_quoted(object) + " " + shell_quoted(section));
  EXPECT_EQ(output.errors, "");
  return read_file(section);
}

Bytes LlvmOracle::assemble_section(const std::string& source) {
  const auto object = scratch() / "object";
  const Output output = run_llvm_mc("-filetype=obj -o " + shell_quoted(object), source);
  EXPECT_EQ(output.errors, "");
  return text_section(object);
}

Bytes LlvmOracle::compile_hip(const std::string& source_path, const std::string& level) {
  if (access(KERNLOOP_HIPCC, X_OK) != 0) {
    ADD_FAILURE() << KERNLOOP_HIPCC << ": hipcc compiles the corpus; install it (Debian: apt-get install hipcc "
                  << "libamdhip64-dev) and configure the build again";
    return {};
  }
  const auto bundle = scratch() / "bundle";
  std::filesystem::remove(bundle);
  setenv("HIP_PLATFORM", "amd", 1);  // hipcc takes the other platform if an nvcc is installed
  const Output output = run(KERNLOOP_HIPCC, "--genco " + level + " --offload-arch=" + subject_.mcpu + " " +
                                                shell_quoted(source_path) + " -o " + shell_quoted(bundle));
  EXPECT_TRUE(std::filesystem::exists(bundle)) << output.errors;
  return std::filesystem::exists(bundle) ? read_file(bundle) : Bytes{};
}

// clang-offload-bundler's format: magic, count, then offset, size, triple length and triple of each entry.
std::vector<Bytes> LlvmOracle::text_sections(const Bytes& file) {
  static constexpr char kMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
  constexpr size_t kMagicLength = sizeof kMagic - 1;
  const std::string view(file.begin(), file.end());
  const auto u64 = [&](size_t at) {
    uint64_t value = 0;
    if (at + 8 <= view.size()) std::memcpy(&value, view.data() + at, 8);
    return value;
  };
  std::vector<Bytes> sections;
  for (size_t start = view.find(kMagic); start != std::string::npos; start = view.find(kMagic, start + 1)) {
    size_t at = start + kMagicLength + 8;
    const uint64_t count = u64(start + kMagicLength);
    for (uint64_t i = 0; i < count && at + 24 <= view.size(); ++i) {
      const uint64_t offset = u64(at);
      const uint64_t size = u64(at + 8);
      const uint64_t length = u64(at + 16);
      const std::string triple = view.substr(at + 24, length);
      at += 24 + length;
      if (triple.find(subject_.mcpu) == std::string::npos || start + offset + size > view.size()) continue;
      const auto object = scratch() / "code_object";
      write_file(object, view.substr(start + offset, size));
      sections.push_back(text_section(object));
    }
  }
  return sections;
}

}  // namespace kernloop::softgpu::testing
