// One kernel that does nothing, with a pointer and a hidden argument. Rebuild:
//   clang-15 --target=amdgcn-amd-amdhsa -mcpu=gfx90a -x assembler tiny.s -o tiny.hsaco
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .text
  .globl tiny_kernel
  .p2align 8
  .type tiny_kernel,@function
tiny_kernel:
  s_endpgm
.Lend:
  .size tiny_kernel, .Lend-tiny_kernel

  .rodata
  .p2align 6
  .amdhsa_kernel tiny_kernel
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
    .amdhsa_accum_offset 8
    .amdhsa_kernarg_size 24
  .end_amdhsa_kernel

  .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx90a
amdhsa.kernels:
  - .name: tiny_kernel
    .symbol: tiny_kernel.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .name: data }
      - { .offset: 8, .size: 4, .value_kind: by_value, .name: count }
      - { .offset: 16, .size: 8, .value_kind: hidden_hostcall_buffer, .address_space: global }
...
  .end_amdgpu_metadata
