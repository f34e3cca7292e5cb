// Workgroups of 128 items that hand numbers to each other over a barrier: each item stores its own, and loads that of
// an item of another wave. s[4:5] is the address of an array, v2 the item's place in LDS and v3 the other item's.
.text

.macro kernel name, first, second=, third=, fourth=, fifth=, processor=1
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v2, 2, v0
    v_xor_b32 v3, 0x100, v2
    v_mov_b32 v6, v2
    s_mov_b64 s[6:7], src_shared_base
    v_mov_b32 v7, s7
    s_waitcnt lgkmcnt(0)
    \first
    \second
    \third
    \fourth
    \fifth
    s_waitcnt vmcnt(0) lgkmcnt(0)
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
#else
    .amdhsa_workgroup_processor_mode \processor
#endif
  .end_amdhsa_kernel
.endm

.macro store
  ds_write_b32 v2, v0
.endm
.macro load
  ds_read_b32 v4, v3
.endm
.macro store_by_flat
  flat_store_dword v[6:7], v0
.endm
.macro store_globally
  global_store_dword v2, v0, s[4:5]
.endm
.macro load_globally
  global_load_dword v4, v3, s[4:5]
.endm
.macro wait
  s_waitcnt lgkmcnt(0)
.endm

// The barrier comes before the store is there.
kernel no_wait, "store", "s_barrier", "load"
kernel wait_for_another_counter, "store", "s_waitcnt vmcnt(0)", "s_barrier", "load"
kernel wait_for_the_one_before, "ds_read_b32 v5, v2", "store", "s_waitcnt lgkmcnt(1)", "s_barrier", "load"
kernel wait_behind_the_barrier, "store", "s_barrier", "wait", "load"
kernel atomic_no_wait, "ds_add_u32 v2, v0", "s_barrier", "load"
kernel flat_no_wait, "store_by_flat", "s_barrier", "load"
kernel written_over, "store", "s_barrier", "ds_write_b32 v3, v0"

kernel waited, "store", "wait", "s_barrier", "load"
kernel waited_in_order, "store", "ds_read_b32 v5, v2", "s_waitcnt lgkmcnt(1)", "s_barrier", "load"
kernel waited_behind_a_swizzle, "store", "ds_swizzle_b32 v5, v2 offset:0x1f", "s_waitcnt lgkmcnt(1)", "s_barrier", "load"
kernel waited_before_the_next_barrier, "store", "s_barrier", "wait", "s_barrier", "load"
kernel atomic_waited, "ds_add_u32 v2, v0", "wait", "s_barrier", "load"
kernel flat_waited, "store_by_flat", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_barrier", "load"
kernel loaded_before, "load", "s_barrier", "ds_write_b32 v2, v0"
#ifndef CDNA
kernel waited_by_one_counter, "store", "s_waitcnt_lgkmcnt null, 0x0", "s_barrier", "load"
#endif

// Only the two compute units of a work-group processor see different memory.
kernel global_no_wait, "store_globally", "s_barrier", "load_globally"
kernel global_no_wait_in_one_unit, "store_globally", "s_barrier", "load_globally", processor=0
#ifdef CDNA
kernel global_waited, "store_globally", "s_waitcnt vmcnt(0)", "s_barrier", "load_globally"
#else
kernel global_waited, "store_globally", "s_waitcnt_vscnt null, 0x0", "s_barrier", "load_globally"
#endif
