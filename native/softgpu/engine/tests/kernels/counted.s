// Kernels whose every instruction is counted by hand in counters_test.cpp: none is the compiler's choice.
// s[0:1] points to the kernel arguments, s2 is the workgroup, v0 the work-item; one wave a workgroup.
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"

.macro descriptor name, lds=0
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_next_free_vgpr 64
    .amdhsa_next_free_sgpr 32
    .amdhsa_accum_offset 32
  .end_amdhsa_kernel
  .text
.endm
.macro kernel name
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
.endm

.text

// (in, out, stride): out[item] = in[item * stride]
kernel strided_copy
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v1, v0, s8
  v_lshlrev_b32 v1, 2, v1
  global_load_dword v2, v1, s[4:5]
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt vmcnt(0)
  global_store_dword v0, v2, s[6:7]
  s_endpgm
descriptor strided_copy

// (in, out, stride): the same with 16 bytes a lane, through a FLAT address
kernel wide_flat_copy
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v1, v0, s8
  v_lshlrev_b32 v1, 4, v1
  v_mov_b32 v5, s5
  v_add_co_u32 v4, vcc, s4, v1
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  flat_load_dwordx4 v[8:11], v[4:5]
  v_lshlrev_b32 v0, 4, v0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dwordx4 v0, v[8:11], s[6:7]
  s_endpgm
descriptor wide_flat_copy

// (lanes): a branch that the first `lanes` lanes take
kernel diverge
  s_load_dword s8, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_cmp_gt_u32 vcc, s8, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz rejoin
  v_add_u32 v1, v0, v0
  v_add_u32 v1, v0, v1
  v_add_u32 v1, v0, v1
rejoin:
  s_or_b64 exec, exec, s[10:11]
  s_endpgm
descriptor diverge

// (trips): a loop of the whole wave
kernel uniform_loop
  s_load_dword s8, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
again:
  v_add_u32 v1, v0, v0
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 again
  s_endpgm
descriptor uniform_loop

// (lanes, limit): the first lanes compare their number, and select by it; the wave by SCC
kernel sides
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_bfm_b64 exec, s8, 0
  s_cmp_lt_u32 s8, 64
  s_cbranch_scc1 some
  s_mov_b64 exec, -1
some:
  v_cmp_gt_u32 vcc, s9, v0
  v_cndmask_b32 v1, v0, v2, vcc
  s_cmp_gt_u32 s9, 10
  s_cselect_b32 s10, 1, 0
  v_add_u32 v1, v0, v0
  v_cmpx_gt_u32 vcc, 5, v0
  s_endpgm
descriptor sides

// A loop that lane k leaves after k % 4 + 1 rounds
kernel lane_loop
  v_and_b32 v1, 3, v0
next_round:
  v_cmp_eq_u32 vcc, 0, v1
  v_subrev_u32 v1, 1, v1
  s_andn2_b64 exec, exec, vcc
  s_cbranch_execnz next_round
  s_endpgm
descriptor lane_loop

// (stride): LDS at item * stride dwords; 4, 8 and 16 bytes a lane
.macro lds_kernel name, shift, write, read
kernel \name
  s_load_dword s8, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v1, v0, s8
  v_lshlrev_b32 v1, 2, v1
  \write
  s_waitcnt lgkmcnt(0)
  s_barrier
  \read
  s_endpgm
descriptor \name, 16384
.endm
lds_kernel lds_b32, 2, "ds_write_b32 v1, v0", "ds_read_b32 v8, v1"
lds_kernel lds_b64, 2, "ds_write_b64 v1, v[2:3]", "ds_read_b64 v[8:9], v1"
lds_kernel lds_b128, 2, "ds_write_b128 v1, v[4:7]", "ds_read_b128 v[8:11], v1"
lds_kernel lds_pair, 2, "ds_write2_b32 v1, v2, v3 offset1:1", "ds_read2st64_b32 v[8:9], v1 offset1:1"
lds_kernel lds_add, 2, "ds_add_u32 v1, v0", "ds_add_rtn_u32 v8, v1, v0"

kernel matrix
  v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]
  v_accvgpr_read_b32 v2, a0
  buffer_wbl2
  s_endpgm
descriptor matrix

// (out): the workgroup that stores last wins
kernel last_writer
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v2, s2
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[4:5]
  s_endpgm
descriptor last_writer
