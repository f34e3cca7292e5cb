// NVIDIA's management library, faked for one device that is at its power cap and hot.
#include <cstring>

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  static int one;
  if (std::strcmp(id, "0000:3b:00.0") != 0) return 6;  // NVML_ERROR_NOT_FOUND
  *device = &one;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  if (type != 1 && type != 2) return 2;  // NVML_ERROR_INVALID_ARGUMENT
  *mhz = type == 1 ? 1755 : 2619;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned*) {
  return 3;  // NVML_ERROR_NOT_SUPPORTED
}
// The name of drivers before 535.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x2 | 0x4 | 0x40;  // idle, set by the application, power cap, hardware thermal
  return 0;
}

}  // extern "C"
