// Life of the runtime: reference counts, options, tools that cannot be loaded, forks, exports.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "softgpu/hsa/tests/client.h"

namespace kernloop::softgpu {
namespace {

struct Ended {
  int code;  // exit code, or -signal
  std::string text;
};

// Runs `body` in a child process and returns its exit code and its stderr.
Ended in_child(const std::function<int()>& body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    _exit(body());
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text};
}

TEST(Init, IsCounted) {
  uint64_t timestamp = 0;
  EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &timestamp), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  ASSERT_HSA(hsa_init());
  ASSERT_HSA(hsa_init());
  ASSERT_HSA(hsa_shut_down());
  EXPECT_HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &timestamp));
  ASSERT_HSA(hsa_shut_down());
  EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &timestamp), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

TEST(Init, AnUnsupportedTargetFailsAloud) {
  auto ended = in_child([] {
    setenv("KERNLOOP_SOFTGPU", "gfx1101", 1);
    return hsa_init() == HSA_STATUS_SUCCESS ? 1 : 0;
  });
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.text.find("KERNLOOP_SOFTGPU=gfx1101"), std::string::npos) << ended.text;
  EXPECT_NE(ended.text.find("gfx90a, gfx1030, gfx942 and gfx1100"), std::string::npos) << ended.text;
}

TEST(Init, OptionsThatAreNoNumbersFailAloud) {
  for (const char* name : {"KERNLOOP_SOFTGPU_THREADS", "KERNLOOP_SOFTGPU_SEED", "KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS",
                           "KERNLOOP_SOFTGPU_LOG"}) {
    for (const char* value : {"many", "-1", "3x", "99999999999999999999999"}) {
      auto ended = in_child([&] {
        setenv(name, value, 1);
        return hsa_init() == HSA_STATUS_SUCCESS ? 1 : 0;
      });
      EXPECT_EQ(ended.code, 0) << name << "=" << value;
      EXPECT_NE(ended.text.find(name), std::string::npos) << ended.text;
    }
  }
}

TEST(Init, AToolThatCannotBeLoadedIsReportedAndLeftOut) {
  auto ended = in_child([] {
    setenv("HSA_TOOLS_LIB", "no-such-tool.so libm.so.6 " KERNLOOP_TEST_TOOL, 1);
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    return dlopen(KERNLOOP_TEST_TOOL, RTLD_NOW | RTLD_NOLOAD) != nullptr ? 0 : 2;
  });
  EXPECT_EQ(ended.code, 0) << ended.text;
  EXPECT_NE(ended.text.find("no-such-tool.so"), std::string::npos) << ended.text;
  EXPECT_NE(ended.text.find("libm.so.6"), std::string::npos) << ended.text;
  EXPECT_EQ(ended.text.find("test_tool"), std::string::npos) << ended.text;
}

class InitFork : public HsaTest {};

TEST_F(InitFork, AChildStartsAnewWithItsOwnInit) {
  uint32_t* parents = device(16);
  parents[0] = 5;
  hsa_queue_t* q = queue();
  hsa_signal_t done = signal(1);
  const uint64_t store = kernel("store");
  enqueue(q, packet(store, kernargs(parents + 1, 6u), done));
  ASSERT_EQ(wait_zero(done), 0);
  auto ended = in_child([&] {
    uint64_t timestamp = 0;
    if (hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &timestamp) != HSA_STATUS_ERROR_NOT_INITIALIZED) return 1;
    if (hsa_signal_load_relaxed(done) != 0) return 2;
    executable = {};
    agents = {};
    HsaTest::SetUp();
    uint32_t* mine = device(16);
    if (mine == parents || parents[1] != 6) return 3;
    hsa_signal_t again = signal(1);
    enqueue(queue(), packet(kernel("store"), kernargs(mine, 7u), again));
    if (wait_zero(again) != 0 || *mine != 7) return 4;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 5;
  });
  EXPECT_EQ(ended.code, 0) << ended.text;
}

TEST_F(InitFork, AFaultWithoutACallbackAbortsWithAWord) {
  auto ended = in_child([&] {
    executable = {};
    HsaTest::SetUp();
    hsa_queue_t* q = nullptr;
    hsa_queue_create(agents.gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &q);
    auto* wild = reinterpret_cast<uint32_t*>(uint64_t{0x4000'dead'0000});
    hsa_signal_t done = signal(1);
    enqueue(q, packet(kernel("store"), kernargs(wild, 1u), done));
    wait_zero(done);
    return 0;
  });
  EXPECT_EQ(ended.code, -SIGABRT);
  EXPECT_NE(ended.text.find("kernloop softgpu: "), std::string::npos) << ended.text;
  EXPECT_NE(ended.text.find("store"), std::string::npos) << ended.text;
  EXPECT_NE(ended.text.find("0x4000dead0000"), std::string::npos) << ended.text;
}

TEST(Exports, EveryFunctionOfTheTablesIsThereUnderRocrsVersion) {
  // These three are in the table only, in ROCr as well.
  const std::string table_only[] = {"hsa_amd_queue_intercept_create", "hsa_amd_queue_intercept_register",
                                    "hsa_amd_runtime_queue_create_register"};
  const char* names[] = {
#define KERNLOOP_HSA(table, name) #name,
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA
      "hsa_signal_load_acquire",
      "hsa_queue_add_write_index_acq_rel",
      "hsa_amd_image_get_info_max_dim",
  };
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  size_t found = 0;
  for (const char* name : names) {
    const bool hidden = std::find(std::begin(table_only), std::end(table_only), name) != std::end(table_only);
    EXPECT_EQ(dlvsym(library, name, "ROCR_1") == nullptr, hidden) << name;
    ++found;
  }
  EXPECT_EQ(found, 125u + 72 + 1 + 6 + 14 + 7 + 3) << "core, AMD, later, finalizer, images, sampling, aliases";
}

class UnsupportedTest : public HsaTest {};

TEST_F(UnsupportedTest, WhatIsMissingFailsAndSaysSo) {
  auto ended = in_child([&] {
    hsa_init();
    hsa_amd_ipc_memory_t handle{};
    int failures = 0;
    failures += hsa_amd_ipc_memory_create(device(1), 4096, &handle) != HSA_STATUS_SUCCESS;
    failures += hsa_amd_svm_attributes_set(nullptr, 0, nullptr, 0) != HSA_STATUS_SUCCESS;
    failures +=
        hsa_ext_image_create(agents.gpu, nullptr, nullptr, HSA_ACCESS_PERMISSION_RO, nullptr) != HSA_STATUS_SUCCESS;
    return failures == 3 ? 0 : 1;
  });
  EXPECT_EQ(ended.code, 0);
  for (const char* name : {"hsa_amd_ipc_memory_create", "hsa_amd_svm_attributes_set", "hsa_ext_image_create"})
    EXPECT_NE(ended.text.find(name), std::string::npos) << ended.text;
}

TEST_F(UnsupportedTest, EveryStatusHasItsName) {
  const char* text = nullptr;
  ASSERT_HSA(hsa_status_string(HSA_STATUS_ERROR_INVALID_QUEUE, &text));
  EXPECT_EQ(std::string(text).rfind("HSA_STATUS_ERROR_INVALID_QUEUE", 0), 0u);
  ASSERT_HSA(hsa_status_string(static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT), &text));
  EXPECT_EQ(std::string(text).rfind("HSA_STATUS_ERROR_MEMORY_FAULT", 0), 0u);
  EXPECT_EQ(hsa_status_string(static_cast<hsa_status_t>(0x7777), &text), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace kernloop::softgpu
