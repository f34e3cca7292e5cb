// lane_scan.cpp as a host without AVX2 runs it, under other names.
#define KERNLOOP_HOST_VARIANTS
#define scan_lanes scan_lanes_baseline
#define fill_inactive fill_inactive_baseline
#define join_addresses join_addresses_baseline
#define offset_addresses offset_addresses_baseline
#define scan_offsets scan_offsets_baseline
#include "softgpu/engine/lane_scan.cpp"
