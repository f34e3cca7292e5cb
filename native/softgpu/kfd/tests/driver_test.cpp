// The calls of the emulated driver that no runtime makes: refusals.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/descriptor.h"

namespace {

using kernloop::FileDescriptor;

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
  EXPECT_EQ(args.minor_version, 11u);
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
  args.size = uint64_t{5} << 30;
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
