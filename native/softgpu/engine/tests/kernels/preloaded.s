// Kernels whose arguments are in SGPRs when a wave starts (AMDGPUUsage "Preloaded Kernel Arguments"). LLVM 15 has no
// directive for it: preloaded_test.cpp puts the field into the descriptors. The first 256 bytes of each, which are for
// firmware that does not preload, trap.
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"

.macro kernel name
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
  s_trap 2
  .fill 63, 4, 0xbf800000
.endm
.macro descriptor name, has_pointer, user_sgprs
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr \has_pointer
    .amdhsa_user_sgpr_count \user_sgprs
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_kernarg_size 64
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
    .amdhsa_accum_offset 16
  .end_amdhsa_kernel
.endm
// out[workgroup] = {a, b, c, d}; one work-item a workgroup
.macro show out, group, a, b, c, d
  v_mov_b32 v2, \a
  v_mov_b32 v3, \b
  v_mov_b32 v4, \c
  v_mov_b32 v5, \d
  s_lshl_b32 s20, \group, 4
  v_mov_b32 v1, s20
  global_store_dwordx4 v1, v[2:5], \out
  s_endpgm
.endm

// The address of the arguments, then the first five dwords of them: (out, a, b, c)
kernel behind_the_pointer
  show s[2:3], s7, s4, s5, s6, s7
descriptor behind_the_pointer, 1, 7

// The address of the arguments, then the dwords 3 and 4: (out, -, b, c)
kernel from_the_middle
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  show s[8:9], s4, s2, s3, s4, 9
descriptor from_the_middle, 1, 4

// Sixteen dwords and nothing else: (out, …)
kernel all_of_them
  show s[0:1], s16, s2, s3, s15, s16
descriptor all_of_them, 0, 16
