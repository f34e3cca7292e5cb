// Snippets of gfx1030, as kernels/snippets.s has them of gfx90a. WAVE is 32 or 64.
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
.text

.macro snippet name, text:vararg
  .globl \name
  \name:
    \text
    s_endpgm
.endm

#if WAVE == 32
snippet compare, v_cmp_eq_u32_e64 s4, v0, v1
snippet compare_to_null, v_cmp_eq_u32_e64 null, v0, v1
snippet compare_exec, v_cmpx_lt_u32_e32 v0, v1
snippet add_carry_out, v_add_co_u32 v2, s4, v0, v1
snippet add_carry_in, v_add_co_ci_u32_e64 v2, null, v0, v1, s4
snippet choose, v_cndmask_b32_e64 v2, v0, v1, s4
snippet and_saveexec, s_and_saveexec_b32 s4, s0
snippet andn2_wrexec, s_andn2_wrexec_b32 s4, s0
snippet write_exec_hi, s_mov_b32 exec_hi, s0
snippet read_vccz, s_mov_b32 s4, src_vccz
.globl branch_vccz
branch_vccz:
  s_movk_i32 s4, 1
  s_cbranch_vccz taken
  s_movk_i32 s4, 0
taken:
  s_endpgm
#else
snippet compare, v_cmp_eq_u32_e64 s[4:5], v0, v1
snippet compare_to_null, v_cmp_eq_u32_e64 null, v0, v1
snippet multiply_add_to_null, v_mad_u64_u32 v[2:3], null, v0, v1, v[4:5]
#endif

snippet read_null, s_add_u32 s4, s0, null
snippet write_null, s_mov_b32 null, s0
snippet write_null_pair, s_mov_b64 null, s[0:1]

snippet read_lane, v_readlane_b32 s4, v0, s0
snippet write_lane, v_writelane_b32 v0, s1, s0
snippet permute_row, v_permlane16_b32 v1, v0, s0, s1
snippet permute_row_fetch, v_permlane16_b32 v1, v0, s0, s1 op_sel:[1,0]
snippet permute_row_bound, v_permlane16_b32 v1, v0, s0, s1 op_sel:[0,1]
snippet permute_across, v_permlanex16_b32 v1, v0, s0, s1
// The assembler of LLVM 15 writes no literal for lanes: v_permlanex16_b32 v1, v0, s0, 0xfedcba98 op_sel:[1,0], and so on.
snippet permute_across_by_literal, .long 0xd7780801, 0x03fc0100, 0xfedcba98
snippet permute_row_by_literals, .long 0xd7770001, 0x03fdff00, 0x01234567
snippet read_lane_by_literal, .long 0xd7600004, 0x0001ff00, 0x4b
snippet write_lane_by_literal, v_writelane_b32 v0, 0xfedcba98, s0
snippet permute_backward, ds_bpermute_b32 v2, v0, v1
snippet permute_forward, ds_permute_b32 v2, v0, v1
snippet row_share, v_mov_b32_dpp v1, v0 row_share:3 row_mask:0xf bank_mask:0xf
snippet row_xmask, v_mov_b32_dpp v1, v0 row_xmask:5 row_mask:0xf bank_mask:0xf
snippet row_xmask_fetch, v_mov_b32_dpp v1, v0 row_xmask:5 row_mask:0xf bank_mask:0xf fi:1
snippet dpp8, v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]
snippet dpp8_fetch, v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0] fi:1
snippet move_from_relative, v_movrels_b32_e32 v1, v4
snippet move_to_relative, v_movreld_b32_e32 v4, v1
snippet count_low, v_mbcnt_lo_u32_b32 v1, s0, 0
snippet count_high, v_mbcnt_hi_u32_b32 v1, s0, 7

snippet global_fmin, global_atomic_fmin v6, v[0:1], v2, off glc
snippet global_fmax, global_atomic_fmax v6, v[0:1], v2, off glc
snippet global_fcmpswap, global_atomic_fcmpswap v6, v[0:1], v[2:3], off glc
snippet global_fmin_x2, global_atomic_fmin_x2 v[6:7], v[0:1], v[2:3], off glc
snippet global_fmax_x2, global_atomic_fmax_x2 v[6:7], v[0:1], v[2:3], off glc
snippet global_fcmpswap_x2, global_atomic_fcmpswap_x2 v[6:7], v[0:1], v[2:5], off glc
snippet flat_fmax, flat_atomic_fmax v6, v[0:1], v2 glc
snippet buffer_fmin, buffer_atomic_fmin v2, off, s[0:3], 0 glc
snippet global_csub, global_atomic_csub v6, v[0:1], v2, off glc
snippet buffer_csub, buffer_atomic_csub v2, off, s[0:3], 0 glc
snippet load_to_lds, global_load_dword v0, s[0:1] offset:4 lds
snippet fma_legacy, v_fma_legacy_f32 v2, v0, v1, v2
snippet fmac_legacy, v_fmac_legacy_f32 v2, v0, v1

snippet half_add, v_add_f16_e32 v2, v0, v1
snippet half_add_high, v_fma_f16 v2, v0, v1, v3 op_sel:[0,0,0,1]
snippet half_convert, v_cvt_f16_f32_e32 v2, v0
snippet half_integer, v_add_nc_u16 v2, v0, v1
snippet half_sdwa, v_add_f16_sdwa v2, v0, v1 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0
snippet half_fmac, v_fmac_f16_e32 v2, v0, v1
snippet fmamk, v_fmamk_f32 v2, v0, 0x40400000, v1
snippet fmaak, v_fmaak_f32 v2, v0, v1, 0x40400000
snippet xor3, v_xor3_b32 v2, v0, v1, v3
snippet fma_literal, v_fma_f32 v2, v0, 0x40490fdb, s0
snippet subtract_reverse, v_subrev_nc_u32_e32 v2, v0, v1

snippet load_d16, global_load_short_d16 v2, v[0:1], off
snippet load_d16_hi, global_load_short_d16_hi v2, v[0:1], off
snippet lds_d16, ds_read_u8_d16 v2, v0

.globl set_flat_scratch
set_flat_scratch:
  s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0
  s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s1
  s_endpgm
snippet get_flat_scratch, s_getreg_b32 s4, hwreg(HW_REG_FLAT_SCR_LO, 4, 8)
snippet scratch_store, scratch_store_dword v0, v1, off offset:4
snippet scratch_load, scratch_load_dword v2, off, s0 offset:4
snippet get_status, s_getreg_b32 s4, hwreg(HW_REG_STATUS)
snippet round_up, s_round_mode 0x9
snippet keep_no_denormals, s_denorm_mode 0xc
.globl waits
waits:
  s_clause 0x1
  s_inst_prefetch 0x3
  s_waitcnt_vscnt null, 0x0
  s_waitcnt_depctr 0xfffe
  buffer_gl0_inv
  buffer_gl1_inv
  s_endpgm
snippet code_end, s_code_end
