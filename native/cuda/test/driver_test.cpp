#include "cuda/driver.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda/cupti.h"

namespace kernloop::cuda {
namespace {

// Sets an environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(DriverLoad, AMissingLibraryIsNamedWithTheLoadersReason) {
  const Environment named("KERNLOOP_CUDA_DRIVER", "/nowhere/libcuda.so.1");
  const auto driver = Driver::load();
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, "ENVIRONMENT_CUDA_DRIVER_MISSING");
  EXPECT_NE(driver.error().message.find("/nowhere/libcuda.so.1"), std::string::npos) << driver.error().message;
  EXPECT_FALSE(driver.error().hint.empty());
}

// Any library serves as one that opens and lacks the functions: missing ones are listed, optional ones are not.
TEST(DriverLoad, ALibraryWithoutTheFunctionsIsTooOld) {
  const auto driver = Driver::load("libc.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, "ENVIRONMENT_CUDA_DRIVER_TOO_OLD");
  EXPECT_NE(driver.error().message.find("cuKernelGetParamInfo"), std::string::npos) << driver.error().message;
  EXPECT_EQ(driver.error().message.find("cuTensorMapEncodeIm2colWide"), std::string::npos) << driver.error().message;
}

TEST(CuptiLoad, AMissingLibraryIsNamedWithTheLoadersReason) {
  const Environment named("KERNLOOP_CUPTI", "/nowhere/libcupti.so");
  const auto cupti = Cupti::load();
  ASSERT_FALSE(cupti);
  EXPECT_EQ(cupti.error().code, "ENVIRONMENT_CUPTI_MISSING");
  EXPECT_NE(cupti.error().message.find("/nowhere/libcupti.so"), std::string::npos) << cupti.error().message;
}

TEST(CuptiLoad, ALibraryWithoutTheFunctionsIsTooOld) {
  const Environment named("KERNLOOP_CUPTI", "libc.so.6");
  const auto cupti = Cupti::load();
  ASSERT_FALSE(cupti);
  EXPECT_EQ(cupti.error().code, "ENVIRONMENT_CUPTI_TOO_OLD");
  EXPECT_NE(cupti.error().message.find("cuptiSubscribe"), std::string::npos) << cupti.error().message;
}

CUptiResult name_of_result(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
  return CUPTI_SUCCESS;
}

TEST(CuptiLoad, ASecondToolInTheProcessIsSaidToBeOne) {
  Cupti cupti;
  cupti.cuptiGetResultString = name_of_result;
  const Error error = subscription_error(cupti, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "cuptiSubscribe");
  EXPECT_EQ(error.code, "CUPTI_BUSY");
  EXPECT_EQ(error.message, "cuptiSubscribe: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39)");
}

}  // namespace
}  // namespace kernloop::cuda
