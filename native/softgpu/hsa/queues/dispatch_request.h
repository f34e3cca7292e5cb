// A dispatch packet as the engine takes it: for our own HSA runtime, and for AMD's over the emulated kernel driver.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <string>
#include <utility>

#include "softgpu/engine/engine.h"

namespace kernloop::softgpu {

inline DispatchRequest dispatch_request(const hsa_kernel_dispatch_packet_t& packet, std::string kernel_name,
                                        uint64_t packet_address, uint64_t queue_address, uint64_t dispatch_id) {
  DispatchRequest request;
  request.kernel_name = std::move(kernel_name);
  request.kernel_object = packet.kernel_object;
  request.workgroup_size[0] = packet.workgroup_size_x;
  request.workgroup_size[1] = packet.workgroup_size_y;
  request.workgroup_size[2] = packet.workgroup_size_z;
  request.grid_size[0] = packet.grid_size_x;
  request.grid_size[1] = packet.grid_size_y;
  request.grid_size[2] = packet.grid_size_z;
  request.dimensions = packet.setup & ((1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
  request.private_segment_bytes = packet.private_segment_size;
  request.group_segment_bytes = packet.group_segment_size;
  request.kernarg_address = reinterpret_cast<uint64_t>(packet.kernarg_address);
  request.packet_address = packet_address;
  request.queue_address = queue_address;
  request.dispatch_id = dispatch_id;
  return request;
}

}  // namespace kernloop::softgpu
