#include <fcntl.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "softgpu/hsa/tests/client.h"

namespace kernloop::softgpu {
namespace {

class ExecutableTest : public HsaTest {
 protected:
  template <typename T>
  T ask(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
    T value{};
    EXPECT_HSA(hsa_executable_symbol_get_info(symbol, attribute, &value));
    return value;
  }
  hsa_executable_symbol_t find(const char* name) {
    kernel("store");
    hsa_executable_symbol_t symbol{};
    EXPECT_HSA(hsa_executable_get_symbol_by_name(executable, name, &agents.gpu, &symbol));
    return symbol;
  }
  hsa_status_t try_load(const std::vector<char>& bytes, hsa_executable_t into) {
    hsa_code_object_reader_t reader;
    EXPECT_HSA(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
    const hsa_status_t status = hsa_executable_load_agent_code_object(into, agents.gpu, reader, nullptr, nullptr);
    EXPECT_HSA(hsa_code_object_reader_destroy(reader));
    return status;
  }
  hsa_executable_t fresh() {
    hsa_executable_t created{};
    EXPECT_HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &created));
    return created;
  }
};

TEST_F(ExecutableTest, ListsItsKernelsAndVariables) {
  kernel("store");
  std::set<std::string> names;
  ASSERT_HSA(hsa_executable_iterate_agent_symbols(
      executable, agents.gpu,
      [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* data) {
        uint32_t length = 0;
        hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
        std::string name(length, '\0');
        hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
        static_cast<std::set<std::string>*>(data)->insert(name);
        return HSA_STATUS_SUCCESS;
      },
      &names));
  for (const char* expected : {"add.kd", "store.kd", "use_lds.kd", "variable", "table"})
    EXPECT_TRUE(names.contains(expected)) << expected;
  EXPECT_FALSE(names.contains("add")) << "functions are no executable symbols";
}

TEST_F(ExecutableTest, VariablesAreMemoryThatKernelsAndHostShare) {
  auto symbol = find("variable");
  EXPECT_EQ(ask<hsa_symbol_kind_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_VARIABLE);
  EXPECT_EQ(ask<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 4u);
  auto* variable = reinterpret_cast<uint32_t*>(ask<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS));
  EXPECT_EQ(*variable, 40u);
  *variable = 100;
  uint32_t* out = device(1);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(kernel("use_variables"), kernargs(out), done));
  ASSERT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*out, 107u);
  EXPECT_EQ(*variable, 107u);
}

TEST_F(ExecutableTest, CodeIsReadOnlyForKernels) {
  const uint64_t store = kernel("store");
  int64_t entry = 0;  // kernel_code_entry_byte_offset of the descriptor
  std::memcpy(&entry, reinterpret_cast<const char*>(store) + 16, sizeof entry);
  enqueue(queue(), packet(store, kernargs(store + static_cast<uint64_t>(entry), 1u), signal(1)));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR_MEMORY_FAULT);
}

// HIP since 6.0 copies to __constant__ variables by a kernel.
TEST_F(ExecutableTest, ConstantsAreWritableForKernelsUnlessTheyWereClosed) {
  const auto limits_of = [&](hsa_executable_t of) {
    hsa_executable_symbol_t symbol{};
    EXPECT_HSA(hsa_executable_get_symbol_by_name(of, "limits", &agents.gpu, &symbol));
    return reinterpret_cast<uint32_t*>(ask<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS));
  };
  const uint64_t store = kernel("store");
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(store, kernargs(&limits_of(executable)[1], 70u), done));
  ASSERT_EQ(wait_zero(done), 0);
  uint32_t* out = device(1);
  done = signal(1);
  enqueue(queue(), packet(kernel("read_limit"), kernargs(out, 1u), done));
  ASSERT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*out, 70u) << "a later kernel reads what was written";

  ASSERT_HSA(softgpu.open_constants(0));
  hsa_executable_t closed{};
  load(code, &closed);
  enqueue(queue(), packet(store, kernargs(limits_of(closed), 70u), signal(1)));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(*limits_of(closed), 10u);
}

TEST_F(ExecutableTest, EachLoadHasItsOwnVariables) {
  kernel("store");
  hsa_executable_t second{};
  load(code, &second);
  hsa_executable_symbol_t other{};
  ASSERT_HSA(hsa_executable_get_symbol_by_name(second, "variable", &agents.gpu, &other));
  EXPECT_NE(ask<uint64_t>(find("variable"), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS),
            ask<uint64_t>(other, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS));
}

TEST_F(ExecutableTest, ADestroyedExecutableTakesItsKernelsAlong) {
  const uint64_t store = kernel("store");
  hsa_executable_symbol_t symbol = find("variable");
  ASSERT_HSA(hsa_executable_destroy(executable));
  uint32_t size = 0;
  EXPECT_EQ(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  EXPECT_EQ(hsa_executable_destroy(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  enqueue(queue(), packet(store, kernargs(device(1), 1u), signal(1)));
  ASSERT_TRUE(errors.wait());
  executable = {};
  // Other code at the same address is not confused with the earlier decoding.
  uint32_t* out = device(1);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(kernel("store"), kernargs(out, 8u), done));
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*out, 8u);
}

TEST_F(ExecutableTest, CodeLoadsWhereItWasAskedTo) {
  constexpr uint64_t kThere = 0x5000'0300'0000;
  kernel("store");
  ASSERT_HSA(softgpu.set_next_load_address(kThere));
  hsa_executable_t second{};
  load(code, &second);
  const uint64_t store = kernel_of(second, "store");
  EXPECT_GE(store, kThere);
  EXPECT_LT(store, kThere + 65536);
  uint32_t* out = device(1);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(store, kernargs(out, 8u), done));
  EXPECT_EQ(wait_zero(done), 0);
  // The address is taken now; and a request counts once.
  ASSERT_HSA(softgpu.set_next_load_address(kThere));
  EXPECT_EQ(try_load(code, fresh()), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_HSA(try_load(code, fresh()));
  EXPECT_EQ(softgpu.set_next_load_address(kThere + 12), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(ExecutableTest, FrozenExecutablesTakeNoMore) {
  kernel("store");
  int value = 0;
  EXPECT_EQ(try_load(code, executable), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(hsa_executable_agent_global_variable_define(executable, agents.gpu, "x", &value),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(hsa_executable_freeze(executable, nullptr), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

TEST_F(ExecutableTest, VariablesOfTheProgramAreLinked) {
  const std::vector<char> bytes = read_file(KERNLOOP_TEST_EXTERNAL);
  EXPECT_EQ(try_load(bytes, fresh()), HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
  uint32_t* storage = device(4);
  hsa_executable_t defined = fresh();
  ASSERT_HSA(hsa_executable_agent_global_variable_define(defined, agents.gpu, "defined_by_the_program", storage));
  EXPECT_EQ(hsa_executable_agent_global_variable_define(defined, agents.gpu, "defined_by_the_program", storage),
            HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  ASSERT_HSA(try_load(bytes, defined));
  hsa_executable_symbol_t pointers{};
  ASSERT_HSA(hsa_executable_get_symbol_by_name(defined, "pointers", &agents.gpu, &pointers));
  auto* table = reinterpret_cast<uint64_t*>(ask<uint64_t>(pointers, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS));
  EXPECT_EQ(table[2], reinterpret_cast<uint64_t>(storage));
}

TEST_F(ExecutableTest, BadCodeObjectsAreRefused) {
  EXPECT_EQ(try_load(read_file(KERNLOOP_TEST_GFX1030), fresh()), HSA_STATUS_ERROR_INVALID_ISA);
  kernel("store");
  std::vector<char> cut(code.begin(), code.end() - 10);
  EXPECT_EQ(try_load(cut, fresh()), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  hsa_code_object_reader_t reader{};
  EXPECT_EQ(hsa_code_object_reader_create_from_file(-1, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_EQ(hsa_executable_load_agent_code_object(fresh(), agents.gpu, {12345}, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
}

TEST_F(ExecutableTest, ReadersTakeFiles) {
  const int file = open(KERNLOOP_TEST_KERNELS, O_RDONLY);
  hsa_code_object_reader_t reader{};
  ASSERT_HSA(hsa_code_object_reader_create_from_file(file, &reader));
  hsa_executable_t loaded = fresh();
  ASSERT_HSA(hsa_executable_load_agent_code_object(loaded, agents.gpu, reader, nullptr, nullptr));
  close(file);
  EXPECT_NE(kernel_of(loaded, "add"), 0u);
}

TEST_F(ExecutableTest, TheLoaderExtensionDescribesWhatIsLoaded) {
  const uint64_t store = kernel("store");
  hsa_ven_amd_loader_1_03_pfn_t loader{};
  ASSERT_HSA(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof(loader), &loader));
  const void* host = nullptr;
  ASSERT_HSA(loader.hsa_ven_amd_loader_query_host_address(reinterpret_cast<void*>(store), &host));
  uint32_t group_bytes = 77;
  std::memcpy(&group_bytes, host, 4);
  EXPECT_EQ(group_bytes, 0u);
  EXPECT_NE(loader.hsa_ven_amd_loader_query_host_address(device(1), &host), HSA_STATUS_SUCCESS);
  hsa_executable_t found{};
  ASSERT_HSA(loader.hsa_ven_amd_loader_query_executable(reinterpret_cast<void*>(store + 8), &found));
  EXPECT_EQ(found.handle, executable.handle);

  std::vector<hsa_loaded_code_object_t> objects;
  ASSERT_HSA(loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
      executable,
      [](hsa_executable_t, hsa_loaded_code_object_t object, void* data) {
        static_cast<std::vector<hsa_loaded_code_object_t>*>(data)->push_back(object);
        return HSA_STATUS_SUCCESS;
      },
      &objects));
  ASSERT_EQ(objects.size(), 1u);
  auto info = [&](hsa_ven_amd_loader_loaded_code_object_info_t attribute) {
    uint64_t value = 0;
    EXPECT_HSA(loader.hsa_ven_amd_loader_loaded_code_object_get_info(objects[0], attribute, &value));
    return value;
  };
  const uint64_t base = info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE);
  EXPECT_LE(base, store);
  EXPECT_LT(store, base + info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE));
  ASSERT_EQ(info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE), code.size());
  const auto* stored =
      reinterpret_cast<const char*>(info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE));
  EXPECT_TRUE(std::equal(code.begin(), code.end(), stored));

  size_t count = 0;
  ASSERT_HSA(loader.hsa_ven_amd_loader_query_segment_descriptors(nullptr, &count));
  std::vector<hsa_ven_amd_loader_segment_descriptor_t> segments(count);
  ASSERT_HSA(loader.hsa_ven_amd_loader_query_segment_descriptors(segments.data(), &count));
  EXPECT_TRUE(std::any_of(segments.begin(), segments.end(), [&](const auto& segment) {
    return store - reinterpret_cast<uint64_t>(segment.segment_base) < segment.segment_size;
  }));
  // An old, shorter table is not written beyond its end.
  struct {
    hsa_ven_amd_loader_1_00_pfn_t table;
    uint64_t behind = 42;
  } old;
  ASSERT_HSA(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 0, &old));
  EXPECT_EQ(old.behind, 42u);
}

}  // namespace
}  // namespace kernloop::softgpu
