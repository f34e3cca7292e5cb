// Results of memory operations that are used with and without a wait. s[4:5] is the address of an array, v1 is 0.
.text

.macro kernel name, first, second=, third=, fourth=
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v1, 0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v8, s4
    v_mov_b32 v9, s5
    \first
    \second
    \third
    \fourth
    s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
#ifdef CDNA
    .amdhsa_accum_offset 16
#endif
  .end_amdhsa_kernel
.endm

.macro load register
  global_load_dword \register, v1, s[4:5]
.endm
.macro store register
  global_store_dword v1, \register, s[4:5] offset:64
.endm
.macro choose register
#ifdef CDNA
  v_cndmask_b32 \register, v1, v1, vcc
#else
  v_cndmask_b32 \register, v1, v1, vcc_lo
#endif
.endm
.macro add_and_return register
  global_atomic_add \register, v1, v1, s[4:5] RETURNS
.endm

kernel used, "load v2", "v_mov_b32 v4, v2"
kernel waited, "load v2", "s_waitcnt vmcnt(0)", "v_mov_b32 v4, v2"
kernel waited_for_lgkmcnt, "load v2", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v4, v2"
kernel first_of_two, "load v2", "load v3", "s_waitcnt vmcnt(1)", "v_mov_b32 v4, v2"
kernel second_of_two, "load v2", "load v3", "s_waitcnt vmcnt(1)", "v_mov_b32 v4, v3"
kernel first_of_two_at_once, "load v2", "load v3", "v_mov_b32 v4, v2"
kernel store_behind, "load v2", "store v1", "s_waitcnt vmcnt(1)", "v_mov_b32 v4, v2"
kernel stored, "load v2", "store v2"
kernel as_address, "load v2", "global_load_dword v3, v2, s[4:5]"
kernel overwritten, "load v2", "v_mov_b32 v2, 0"
kernel loaded_again, "load v2", "load v2", "s_waitcnt vmcnt(0)", "v_mov_b32 v4, v2"
kernel loaded_again_from_lds, "load v2", "ds_read_b32 v2, v1"
kernel wide, "global_load_dwordx4 v[4:7], v1, s[4:5]", "v_mov_b32 v3, v7"
kernel atomic, "add_and_return v2", "v_mov_b32 v4, v2"
kernel scalar, "s_load_dword s8, s[4:5], 0x0", "s_mov_b32 s9, s8"
kernel scalar_waited, "s_load_dword s8, s[4:5], 0x0", "s_waitcnt lgkmcnt(0)", "s_mov_b32 s9, s8"
kernel scalar_of_two, "s_load_dword s8, s[4:5], 0x0", "s_load_dword s9, s[4:5], 0x4", "s_waitcnt lgkmcnt(1)", "s_mov_b32 s10, s8"
kernel scalar_again, "s_load_dword s8, s[4:5], 0x0", "s_load_dword s8, s[4:5], 0x4"
kernel lds, "ds_read_b32 v2, v1", "v_mov_b32 v4, v2"
kernel lds_first_of_two, "ds_read_b32 v2, v1", "ds_read_b32 v3, v1", "s_waitcnt lgkmcnt(1)", "v_mov_b32 v4, v2"
kernel lds_second_of_two, "ds_read_b32 v2, v1", "ds_read_b32 v3, v1", "s_waitcnt lgkmcnt(1)", "v_mov_b32 v4, v3"
kernel lds_behind_scalar, "s_load_dword s8, s[4:5], 0x0", "ds_read_b32 v2, v1", "s_waitcnt lgkmcnt(1)", "v_mov_b32 v4, v2"
kernel flat, "flat_load_dword v2, v[8:9]", "v_mov_b32 v4, v2"
kernel flat_waited, "flat_load_dword v2, v[8:9]", "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32 v4, v2"
kernel mask, "s_load_dwordx2 vcc, s[4:5], 0x0", "choose v4"
#ifndef CDNA
kernel waited_by_one_counter, "load v2", "s_waitcnt_vmcnt null, 0x0", "v_mov_b32 v4, v2"
kernel lds_waited_by_one_counter, "ds_read_b32 v2, v1", "s_waitcnt_lgkmcnt null, 0x0", "v_mov_b32 v4, v2"
kernel waited_by_other_counter, "load v2", "s_waitcnt_vscnt null, 0x0", "v_mov_b32 v4, v2"
#endif
