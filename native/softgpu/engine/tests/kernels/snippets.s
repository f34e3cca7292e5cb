// Single instructions and short sequences that the unit tests run on a wave of their own. Each ends in s_endpgm.
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.text

.macro snippet name, text:vararg
  .globl \name
  \name:
    \text
    s_endpgm
.endm
.macro sop1_32 op
  snippet \op, \op s4, s0
.endm
.macro sop1_64 op
  snippet \op, \op s[4:5], s[0:1]
.endm
.macro sop1_32_64 op
  snippet \op, \op s4, s[0:1]
.endm
.macro sop2_32 op
  snippet \op, \op s4, s0, s2
.endm
.macro sop2_64 op
  snippet \op, \op s[4:5], s[0:1], s[2:3]
.endm
.macro sop2_shift64 op
  snippet \op, \op s[4:5], s[0:1], s2
.endm
.macro sopc_32 op
  snippet \op, \op s0, s2
.endm

.irp op, s_mov_b32, s_cmov_b32, s_not_b32, s_wqm_b32, s_brev_b32, s_bcnt0_i32_b32, s_bcnt1_i32_b32, s_ff0_i32_b32, s_ff1_i32_b32, s_flbit_i32_b32, s_flbit_i32, s_sext_i32_i8, s_sext_i32_i16, s_bitset0_b32, s_bitset1_b32, s_quadmask_b32, s_abs_i32
  sop1_32 \op
.endr
.irp op, s_mov_b64, s_cmov_b64, s_not_b64, s_wqm_b64, s_brev_b64, s_quadmask_b64
  sop1_64 \op
.endr
.irp op, s_bcnt0_i32_b64, s_bcnt1_i32_b64, s_ff0_i32_b64, s_ff1_i32_b64, s_flbit_i32_b64, s_flbit_i32_i64
  sop1_32_64 \op
.endr
snippet s_bitreplicate_b64_b32, s_bitreplicate_b64_b32 s[4:5], s0
snippet s_bitset1_b64, s_bitset1_b64 s[4:5], s0
.irp op, s_and_saveexec_b64, s_or_saveexec_b64, s_xor_saveexec_b64, s_andn2_saveexec_b64, s_orn2_saveexec_b64, s_nand_saveexec_b64, s_nor_saveexec_b64, s_xnor_saveexec_b64, s_andn1_saveexec_b64, s_orn1_saveexec_b64, s_andn1_wrexec_b64, s_andn2_wrexec_b64
  sop1_64 \op
.endr

.irp op, s_add_u32, s_sub_u32, s_add_i32, s_sub_i32, s_addc_u32, s_subb_u32, s_min_i32, s_min_u32, s_max_i32, s_max_u32, s_cselect_b32, s_and_b32, s_or_b32, s_xor_b32, s_andn2_b32, s_orn2_b32, s_nand_b32, s_nor_b32, s_xnor_b32, s_lshl_b32, s_lshr_b32, s_ashr_i32, s_bfm_b32, s_mul_i32, s_bfe_u32, s_bfe_i32, s_absdiff_i32, s_mul_hi_u32, s_mul_hi_i32, s_lshl1_add_u32, s_lshl2_add_u32, s_lshl3_add_u32, s_lshl4_add_u32, s_pack_ll_b32_b16, s_pack_lh_b32_b16, s_pack_hh_b32_b16
  sop2_32 \op
.endr
.irp op, s_cselect_b64, s_and_b64, s_or_b64, s_xor_b64, s_andn2_b64, s_orn2_b64, s_nand_b64, s_nor_b64, s_xnor_b64
  sop2_64 \op
.endr
.irp op, s_lshl_b64, s_lshr_b64, s_ashr_i64, s_bfe_u64, s_bfe_i64
  sop2_shift64 \op
.endr
snippet s_bfm_b64, s_bfm_b64 s[4:5], s0, s2

.irp op, s_cmp_eq_i32, s_cmp_lg_i32, s_cmp_gt_i32, s_cmp_ge_i32, s_cmp_lt_i32, s_cmp_le_i32, s_cmp_eq_u32, s_cmp_lg_u32, s_cmp_gt_u32, s_cmp_ge_u32, s_cmp_lt_u32, s_cmp_le_u32, s_bitcmp0_b32, s_bitcmp1_b32
  sopc_32 \op
.endr
snippet s_cmp_eq_u64, s_cmp_eq_u64 s[0:1], s[2:3]
snippet s_cmp_lg_u64, s_cmp_lg_u64 s[0:1], s[2:3]
snippet s_bitcmp0_b64, s_bitcmp0_b64 s[0:1], s2
snippet s_bitcmp1_b64, s_bitcmp1_b64 s[0:1], s2

snippet s_movk_i32, s_movk_i32 s4, 0x8001
snippet s_cmovk_i32, s_cmovk_i32 s4, 0x8001
snippet s_addk_i32, s_addk_i32 s0, 0x8001
snippet s_mulk_i32, s_mulk_i32 s0, 0x8001
snippet s_cmpk_lt_i32, s_cmpk_lt_i32 s0, 0x8001
snippet s_cmpk_lt_u32, s_cmpk_lt_u32 s0, 0x8001
snippet s_cmpk_eq_i32, s_cmpk_eq_i32 s0, 0x8001
snippet s_cmpk_eq_u32, s_cmpk_eq_u32 s0, 0x8001

// Sources other than registers.
snippet literal_source, s_mov_b64 s[4:5], 0x80000001
snippet negative_source, s_mov_b64 s[4:5], -5
snippet exec_source, s_and_b64 s[4:5], exec, s[0:1]
snippet scc_source, s_mov_b32 s4, src_scc
snippet vccz_source, s_mov_b32 s4, src_vccz
snippet execz_source, s_mov_b32 s4, src_execz
snippet shared_base_source, s_mov_b64 s[4:5], src_shared_base
snippet private_limit_source, s_mov_b64 s[4:5], src_private_limit

// Control flow.
.globl call_and_return
call_and_return:
  s_getpc_b64 s[8:9]
after_getpc:
  s_add_u32 s10, s8, callee-after_getpc
  s_addc_u32 s11, s9, 0
  s_swappc_b64 s[30:31], s[10:11]
  s_add_u32 s5, s4, 100
  s_call_b64 s[30:31], callee
  s_endpgm
callee:
  s_add_u32 s4, s4, 1
  s_setpc_b64 s[30:31]

.globl count_down
count_down:
  s_mov_b32 s4, 0
count_again:
  s_add_u32 s4, s4, s0
  s_sub_u32 s0, s0, 1
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc1 count_again
  s_endpgm

.globl jump_misaligned
jump_misaligned:
  s_getpc_b64 s[8:9]
  s_add_u32 s8, s8, 6
  s_setpc_b64 s[8:9]

// Hardware registers and MODE.
snippet read_mode, s_getreg_b32 s4, hwreg(HW_REG_MODE)
snippet read_mode_field, s_getreg_b32 s4, hwreg(HW_REG_MODE, 4, 4)
snippet read_hardware_id, s_getreg_b32 s4, hwreg(HW_REG_HW_ID)
snippet read_bases, s_getreg_b32 s4, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
snippet write_denormals, s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
snippet write_rounding, s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0
snippet write_exceptions, s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 1), 1
snippet write_trap_status, s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 1), 1

snippet sendmsg_interrupt, s_sendmsg sendmsg(MSG_INTERRUPT)
snippet sendmsg_gs, s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
snippet debug_trap, s_trap 3
snippet store_scalar, s_store_dword s0, s[2:3], 0x0

// Relative registers.
snippet s_movrels_b32, s_movrels_b32 s4, s0
snippet s_movreld_b32, s_movreld_b32 s4, s0
snippet s_movrels_b64, s_movrels_b64 s[4:5], s[0:1]

.globl index_source
index_source:
  s_set_gpr_idx_on s0, gpr_idx(SRC0)
  v_mov_b32 v1, v8
  s_set_gpr_idx_off
  v_mov_b32 v2, v8
  s_endpgm
.globl index_destination
index_destination:
  s_set_gpr_idx_on s0, gpr_idx(DST)
  v_mov_b32 v8, v1
  s_set_gpr_idx_off
  s_endpgm
.globl index_unsupported
index_unsupported:
  s_set_gpr_idx_on s0, gpr_idx(SRC0)
  v_add_u32 v1, v8, v9
  s_set_gpr_idx_off
  s_endpgm

// Scalar memory.
snippet s_load_dword, s_load_dword s4, s[0:1], 0x0
snippet s_load_dwordx4, s_load_dwordx4 s[4:7], s[0:1], 0x8
snippet s_load_dwordx16, s_load_dwordx16 s[16:31], s[0:1], 0x0
snippet s_load_negative, s_load_dword s4, s[0:1], -0x4
snippet s_load_soffset, s_load_dword s4, s[0:1], s2
snippet s_buffer_load_dwordx4, s_buffer_load_dwordx4 s[16:19], s[4:7], 0x8

// Vector memory: addresses in v[0:1], data from v2 on, result from v8 on.
.irp size, ubyte, sbyte, ushort, sshort, dword, ubyte_d16, ubyte_d16_hi, sbyte_d16, sbyte_d16_hi, short_d16, short_d16_hi
  snippet global_load_\size, global_load_\size v8, v[0:1], off
  snippet flat_load_\size, flat_load_\size v8, v[0:1]
.endr
snippet global_load_dwordx2, global_load_dwordx2 v[8:9], v[0:1], off
snippet global_load_dwordx3, global_load_dwordx3 v[8:10], v[0:1], off
snippet global_load_dwordx4, global_load_dwordx4 v[8:11], v[0:1], off
snippet global_load_over_address, global_load_dwordx2 v[0:1], v[0:1], off
snippet global_load_agpr, global_load_dwordx2 a[8:9], v[0:1], off
snippet global_load_saddr, global_load_dword v8, v0, s[0:1] offset:-16
snippet flat_load_dwordx2, flat_load_dwordx2 v[8:9], v[0:1]
snippet flat_load_dwordx3, flat_load_dwordx3 v[8:10], v[0:1]
snippet flat_load_dwordx4, flat_load_dwordx4 v[8:11], v[0:1]
.irp size, byte, byte_d16_hi, short, short_d16_hi, dword
  snippet global_store_\size, global_store_\size v[0:1], v2, off
  snippet flat_store_\size, flat_store_\size v[0:1], v2
.endr
snippet global_store_dwordx2, global_store_dwordx2 v[0:1], v[2:3], off
snippet global_store_dwordx3, global_store_dwordx3 v[0:1], v[2:4], off
snippet global_store_dwordx4, global_store_dwordx4 v[0:1], v[2:5], off
.irp op, swap, add, sub, smin, umin, smax, umax, and, or, xor, inc, dec
  snippet global_atomic_\op, global_atomic_\op v8, v[0:1], v2, off glc
  snippet flat_atomic_\op, flat_atomic_\op v8, v[0:1], v2 glc
  snippet global_atomic_\op\()_x2, global_atomic_\op\()_x2 v[8:9], v[0:1], v[2:3], off glc
  snippet buffer_atomic_\op, buffer_atomic_\op v2, v0, s[0:3], 0 offen glc
.endr
snippet global_atomic_cmpswap, global_atomic_cmpswap v8, v[0:1], v[2:3], off glc
snippet global_atomic_cmpswap_x2, global_atomic_cmpswap_x2 v[8:9], v[0:1], v[2:5], off glc
snippet global_atomic_add_no_return, global_atomic_add v[0:1], v2, off
snippet global_atomic_add_f32, global_atomic_add_f32 v8, v[0:1], v2, off glc
snippet global_atomic_pk_add_f16, global_atomic_pk_add_f16 v8, v[0:1], v2, off glc
snippet global_atomic_add_f64, global_atomic_add_f64 v[8:9], v[0:1], v[2:3], off glc
snippet global_atomic_min_f64, global_atomic_min_f64 v[8:9], v[0:1], v[2:3], off glc
snippet global_atomic_max_f64, global_atomic_max_f64 v[8:9], v[0:1], v[2:3], off glc

// Private memory.
snippet scratch_store_dword, scratch_store_dword v0, v2, off
snippet scratch_load_dword, scratch_load_dword v8, v0, off
snippet scratch_store_dwordx4, scratch_store_dwordx4 v0, v[2:5], off offset:4
snippet scratch_load_dwordx4, scratch_load_dwordx4 v[8:11], v0, off offset:4
snippet scratch_load_ubyte, scratch_load_ubyte v8, v0, off
snippet scratch_load_saddr, scratch_load_dword v8, off, s32 offset:8
snippet private_buffer_store, buffer_store_dword v2, v0, s[0:3], s32 offen offset:4
snippet private_buffer_load, buffer_load_dword v8, off, s[0:3], s32 offset:12
snippet private_buffer_load_at, buffer_load_dword v8, v0, s[0:3], s32 offen
snippet private_buffer_load_x2, buffer_load_dwordx2 v[8:9], off, s[0:3], s32
snippet flat_store_dwordx2, flat_store_dwordx2 v[0:1], v[2:3]
snippet flat_store_dwordx3, flat_store_dwordx3 v[0:1], v[2:4]
snippet flat_store_dwordx4, flat_store_dwordx4 v[0:1], v[2:5]

// Buffers.
snippet buffer_load_raw, buffer_load_dwordx2 v[8:9], v0, s[0:3], s8 offen offset:4
snippet buffer_store_raw, buffer_store_dwordx2 v[2:3], v0, s[0:3], 0 offen
snippet buffer_load_structured, buffer_load_dword v8, v[0:1], s[0:3], 0 idxen offen offset:4
snippet buffer_load_indexed, buffer_load_ushort v8, v0, s[0:3], 0 idxen
snippet buffer_load_raw_to_lds, buffer_load_dword v0, s[0:3], s8 offen offset:4 lds
snippet buffer_load_sbyte_to_lds, buffer_load_sbyte v0, s[0:3], 0 idxen lds
snippet global_load_to_lds, global_load_dword v[0:1], off offset:8 lds
snippet global_load_ushort_to_lds, global_load_ushort v0, s[0:1] lds
snippet scratch_load_to_lds, scratch_load_dword v0, off lds
snippet pack_norm, v_cvt_pknorm_i16_f32 v2, v0, v1
snippet pack_byte, v_cvt_pk_u8_f32 v2, v0, v1, v2
snippet buffer_caches, buffer_wbl2

// LDS: addresses in v0, data v2.. and v4.., result v8..
.irp size, u8, i8, u16, i16, b32, u8_d16, u8_d16_hi, i8_d16, i8_d16_hi, u16_d16, u16_d16_hi
  snippet ds_read_\size, ds_read_\size v8, v0 offset:4
.endr
snippet ds_read_b64, ds_read_b64 v[8:9], v0 offset:4
snippet ds_read_b96, ds_read_b96 v[8:10], v0 offset:4
snippet ds_read_b128, ds_read_b128 v[8:11], v0 offset:4
snippet ds_read2_b32, ds_read2_b32 v[8:9], v0 offset0:1 offset1:3
snippet ds_read2_b64, ds_read2_b64 v[8:11], v0 offset0:1 offset1:3
snippet ds_read2st64_b32, ds_read2st64_b32 v[8:9], v0 offset0:1 offset1:2
snippet ds_write_b8, ds_write_b8 v0, v2 offset:4
snippet ds_write_b8_d16_hi, ds_write_b8_d16_hi v0, v2 offset:4
snippet ds_write_b16, ds_write_b16 v0, v2 offset:4
snippet ds_write_b16_d16_hi, ds_write_b16_d16_hi v0, v2 offset:4
snippet ds_write_b32, ds_write_b32 v0, v2 offset:4
snippet ds_write_b64, ds_write_b64 v0, v[2:3] offset:4
snippet ds_write_b96, ds_write_b96 v0, v[2:4] offset:4
snippet ds_write_b128, ds_write_b128 v0, v[2:5] offset:4
snippet ds_write2_b32, ds_write2_b32 v0, v2, v4 offset0:1 offset1:3
snippet ds_write2st64_b64, ds_write2st64_b64 v0, v[2:3], v[4:5] offset0:0 offset1:1
.irp op, add_rtn_u32, sub_rtn_u32, rsub_rtn_u32, inc_rtn_u32, dec_rtn_u32, min_rtn_i32, max_rtn_i32, min_rtn_u32, max_rtn_u32, and_rtn_b32, or_rtn_b32, xor_rtn_b32, wrxchg_rtn_b32, add_rtn_f32, min_rtn_f32, max_rtn_f32
  snippet ds_\op, ds_\op v8, v0, v2
.endr
.irp op, add_rtn_u64, sub_rtn_u64, rsub_rtn_u64, inc_rtn_u64, dec_rtn_u64, min_rtn_i64, max_rtn_u64, and_rtn_b64, wrxchg_rtn_b64, add_rtn_f64
  snippet ds_\op, ds_\op v[8:9], v0, v[2:3]
.endr
snippet ds_mskor_rtn_b32, ds_mskor_rtn_b32 v8, v0, v2, v4
snippet ds_cmpst_rtn_b32, ds_cmpst_rtn_b32 v8, v0, v2, v4
snippet ds_cmpst_rtn_f32, ds_cmpst_rtn_f32 v8, v0, v2, v4
snippet ds_cmpst_rtn_b64, ds_cmpst_rtn_b64 v[8:9], v0, v[2:3], v[4:5]
snippet ds_wrxchg2_rtn_b32, ds_wrxchg2_rtn_b32 v[8:9], v0, v2, v4 offset0:0 offset1:1
snippet ds_permute_b32, ds_permute_b32 v8, v0, v2
snippet ds_bpermute_b32, ds_bpermute_b32 v8, v0, v2 offset:4
snippet ds_swizzle_reverse, ds_swizzle_b32 v8, v2 offset:swizzle(REVERSE, 32)
snippet ds_swizzle_xor, ds_swizzle_b32 v8, v2 offset:swizzle(SWAP, 16)
snippet ds_swizzle_broadcast, ds_swizzle_b32 v8, v2 offset:swizzle(BROADCAST, 8, 3)
snippet ds_swizzle_quad, ds_swizzle_b32 v8, v2 offset:swizzle(QUAD_PERM, 3, 0, 0, 1)
snippet ds_append, ds_append v8 offset:4
snippet ds_consume, ds_consume v8 offset:4
snippet ds_read_addtid_b32, ds_read_addtid_b32 v8
