// The calls of the emulated driver that no runtime makes, and those that only runtimes of later releases make.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "softgpu/kfd/linux_6_12_calls.h"
#include "softgpu/kfd/render_abi.h"

namespace {

using kernloop::FileDescriptor;
using namespace kernloop::softgpu::kfd;

bool is_later_kernel() {
  const char* const release = std::getenv("KERNLOOP_SOFTGPU_LINUX");
  return release != nullptr && std::string(release) == "6.12";
}

FileDescriptor open_device(const char* path) {
  FileDescriptor device(::open(path, O_RDWR | O_CLOEXEC));
  EXPECT_TRUE(device) << std::strerror(errno);
  return device;
}

TEST(Driver, SaysItsVersion) {
  const auto kfd = open_device("/dev/kfd");
  kfd_ioctl_get_version_args args{};
  ASSERT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_GET_VERSION, &args), 0);
  EXPECT_EQ(args.major_version, 1u);
  EXPECT_EQ(args.minor_version, is_later_kernel() ? 17u : 11u);
}

// Virtual memory as ROCr since 6.0 and libdrm ask for it: a buffer without an address, shown at addresses of the GPU.
class MappedBuffer : public testing::Test {
 protected:
  static constexpr uint64_t kBytes = uint64_t{2} << 20;
  void SetUp() override {
    kfd_ioctl_alloc_memory_of_gpu_args args{};
    args.size = kBytes;
    args.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    ASSERT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
    buffer = args.handle;
    place = static_cast<char*>(::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ASSERT_NE(place, MAP_FAILED);
  }
  void TearDown() override { ::munmap(place, kBytes); }

  int exported() {
    ExportDmabuf args{buffer, O_CLOEXEC, 0};
    return ::ioctl(kfd.get(), AMDKFD_IOWR(kExportDmabuf, ExportDmabuf), &args) == 0 ? static_cast<int>(args.descriptor)
                                                                                    : -1;
  }
  int import() {
    const FileDescriptor dmabuf(exported());
    DrmPrimeHandle args{0, 0, dmabuf.get()};
    const int result = ::ioctl(render.get(), _IOWR('d', kDrmPrimeToHandle, DrmPrimeHandle), &args);
    handle = args.handle;
    return result;
  }
  int address_call(uint32_t operation, uint64_t offset, uint64_t bytes) {
    AmdgpuGemAddress args{handle, 0, operation, 0, reinterpret_cast<uint64_t>(place), offset, bytes};
    return ::ioctl(render.get(), _IOW('d', kAmdgpuGemAddress, AmdgpuGemAddress), &args);
  }
  int free_buffer() {
    kfd_ioctl_free_memory_of_gpu_args args{buffer};
    return ::ioctl(kfd.get(), AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
  }
  int close_import() {
    DrmGemClose args{handle, 0};
    return ::ioctl(render.get(), _IOW('d', kDrmGemClose, DrmGemClose), &args);
  }

  const FileDescriptor kfd = open_device("/dev/kfd"), render = open_device("/dev/dri/renderD128");
  uint64_t buffer = 0;
  uint32_t handle = 0;
  char* place = nullptr;
};

TEST_F(MappedBuffer, IsOfLaterKernelsOnly) {
  ::testing::internal::CaptureStderr();
  const FileDescriptor dmabuf(exported());
  const int reason = errno;
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(static_cast<bool>(dmabuf), is_later_kernel());
  if (is_later_kernel()) return;
  EXPECT_EQ(reason, ENOTTY);
  EXPECT_NE(said.find("ioctl 0x24"), std::string::npos) << said;
}

TEST_F(MappedBuffer, KeepsItsBytesFromPlaceToPlaceUntilItsLastUserIsGone) {
  if (!is_later_kernel()) {
    EXPECT_EQ(exported(), -1);
    return;
  }
  ASSERT_EQ(import(), 0);
  AmdgpuGemCreation facts{};
  AmdgpuGemOperation question{handle, kGemHowCreated, reinterpret_cast<uint64_t>(&facts)};
  ASSERT_EQ(::ioctl(render.get(), _IOWR('d', kAmdgpuGemOperation, AmdgpuGemOperation), &question), 0);
  EXPECT_EQ(facts.bytes, kBytes);

  ASSERT_EQ(address_call(kGemMap, 0, kBytes), 0);
  place[kBytes - 1] = 'x';
  ASSERT_EQ(address_call(kGemUnmap, 0, kBytes), 0);
  // Not there, and still reserved.
  EXPECT_EQ(::mmap(place, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), MAP_FAILED);

  // The second half of the buffer, at the first half of the place. Freed, it lives on as long as it is imported.
  ASSERT_EQ(free_buffer(), 0);
  EXPECT_EQ(free_buffer(), -1) << "a second time";
  ASSERT_EQ(address_call(kGemMap, kBytes / 2, kBytes / 2), 0);
  EXPECT_EQ(place[kBytes / 2 - 1], 'x');
  ASSERT_EQ(address_call(kGemUnmap, 0, kBytes / 2), 0);
  ASSERT_EQ(close_import(), 0);
  EXPECT_EQ(close_import(), -1) << "a second time";
  EXPECT_EQ(address_call(kGemMap, 0, kBytes), -1) << "of a handle that is closed";
}

TEST_F(MappedBuffer, PlacesOutsideOfItAreRefused) {
  if (!is_later_kernel()) {
    EXPECT_EQ(exported(), -1);
    return;
  }
  ASSERT_EQ(import(), 0);
  for (const auto& [offset, bytes] : {std::pair{uint64_t{0}, kBytes + 4096},
                                      {uint64_t{4096}, kBytes},
                                      {~uint64_t{0} & ~uint64_t{4095}, uint64_t{8192}},
                                      {uint64_t{1}, uint64_t{4096}},
                                      {uint64_t{0}, uint64_t{0}}}) {
    EXPECT_EQ(address_call(kGemMap, offset, bytes), -1) << offset << " " << bytes;
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(close_import(), 0);
}

TEST(Driver, ShowsItsFilesAsDevices) {
  const auto render = open_device("/dev/dri/renderD128");
  struct stat status;
  ASSERT_EQ(::fstat(render.get(), &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(Driver, RefusesWhatItDoesNotEmulateByName) {
  const auto kfd = open_device("/dev/kfd");
  uint64_t args[16] = {};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_SMI_EVENTS, args), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(::ioctl(kfd.get(), AMDKFD_IOWR(0x7f, uint64_t), args), -1);
  EXPECT_EQ(errno, ENOTTY);
  kfd_ioctl_create_queue_args queue{};
  queue.queue_type = KFD_IOC_QUEUE_TYPE_SDMA_XGMI;
  EXPECT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_CREATE_QUEUE, &queue), -1);
  EXPECT_EQ(errno, EINVAL);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("ioctl 0x1f (AMDKFD_IOC_SMI_EVENTS) is not emulated"), std::string::npos) << said;
  EXPECT_NE(said.find("ioctl 0x7f"), std::string::npos) << said;
  EXPECT_NE(said.find("queues of type 3 are not emulated"), std::string::npos) << said;
}

TEST(Driver, RefusesHandlesThatItDidNotGive) {
  const auto kfd = open_device("/dev/kfd");
  kfd_ioctl_free_memory_of_gpu_args memory{0x1234};
  EXPECT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_FREE_MEMORY_OF_GPU, &memory), -1);
  EXPECT_EQ(errno, EINVAL);
  kfd_ioctl_destroy_queue_args queue{77, 0};
  EXPECT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_DESTROY_QUEUE, &queue), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST(Driver, RefusesMoreMemoryThanTheGpuHas) {
  const auto kfd = open_device("/dev/kfd");
  kfd_ioctl_alloc_memory_of_gpu_args args{};
  args.va_addr = 0x6000'0000'0000;
  args.size = uint64_t{17} << 30;
  args.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  EXPECT_EQ(::ioctl(kfd.get(), AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), -1);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(Driver, RefusesForkedProcesses) {
  const auto kfd = open_device("/dev/kfd");
  const pid_t child = ::fork();
  if (child == 0) {
    kfd_ioctl_get_version_args args{};
    const bool refuses_old = ::ioctl(kfd.get(), AMDKFD_IOC_GET_VERSION, &args) == -1 && errno == EINVAL;
    const bool refuses_new = ::open("/dev/kfd", O_RDWR) == -1 && errno == ENODEV;
    ::_exit(refuses_old && refuses_new ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
