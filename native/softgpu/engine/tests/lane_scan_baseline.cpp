// lane_scan_portable.cpp as a host without AVX2 runs it, under another name.
#define KERNLOOP_HOST_VARIANTS
#define portable baseline
#include "softgpu/engine/lanes/lane_scan_portable.cpp"
