// One access to LDS each, at the offset of the second argument: LDS ends at 768, its last granule at 1024. v[8:11] go to
// the first argument, and behind them what LDS holds at 764.
.text

.macro kernel name, first
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    v_mov_b32 v1, 0
    v_mov_b32 v3, 764
    v_mov_b32 v4, 1
    v_mov_b32 v5, 2
    v_mov_b32 v6, 3
    v_mov_b32 v7, 4
    v_mov_b32 v8, -1
    v_mov_b32 v9, -1
    v_mov_b32 v10, -1
    v_mov_b32 v11, -1
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s6
    ds_write_b32 v3, v3
    s_waitcnt lgkmcnt(0)
    \first
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v12, v3
    global_store_dwordx4 v1, v[8:11], s[4:5]
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v12, s[4:5] offset:16
    s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 768
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
#ifdef CDNA
    .amdhsa_accum_offset 16
#endif
  .end_amdhsa_kernel
.endm

kernel read_u8, "ds_read_u8 v8, v2"
kernel read_b32, "ds_read_b32 v8, v2"
kernel read_b64, "ds_read_b64 v[8:9], v2"
kernel read_b128, "ds_read_b128 v[8:11], v2"
kernel read2_b32, "ds_read2_b32 v[8:9], v2 offset0:0 offset1:1"
kernel write_b32, "ds_write_b32 v2, v4"
kernel write_b128, "ds_write_b128 v2, v[4:7]"
kernel write2_b32, "ds_write2_b32 v2, v4, v5 offset0:0 offset1:1"
kernel add_rtn, "ds_add_rtn_u32 v8, v2, v4"
kernel swap2_rtn, "ds_wrxchg2_rtn_b32 v[8:9], v2, v4, v5 offset0:0 offset1:1"
