// Snippets of gfx1100, as kernels/snippets.s has them of gfx90a. WAVE is 32 or 64.
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text

.macro snippet name, text:vararg
  .globl \name
  \name:
    \text
    s_endpgm
.endm

#if WAVE == 32
// Two operations in one, whose sources are read before either result is written.
snippet dual_swap, v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0
snippet dual_first_reads_second, v_dual_add_f32 v2, v1, v3 :: v_dual_mul_f32 v1, v0, v4
snippet dual_second_reads_first, v_dual_mul_f32 v2, v0, v4 :: v_dual_add_f32 v1, v2, v3
snippet dual_accumulators, v_dual_fmac_f32 v2, v3, v0 :: v_dual_fmac_f32 v3, v2, v1
snippet dual_choose, v_dual_cndmask_b32 v2, v0, v1 :: v_dual_lshlrev_b32 v3, 4, v4
snippet dual_literal, v_dual_fmaak_f32 v2, v0, v1, 0x40400000 :: v_dual_fmamk_f32 v3, v1, 0x40400000, v4
snippet dual_and, v_dual_mov_b32 v2, v0 :: v_dual_and_b32 v3, 0xff, v1
snippet dual_add, v_dual_mov_b32 v2, v0 :: v_dual_add_nc_u32 v3, v1, v4
#endif

// Halves of registers.
snippet half_add_to_low, v_add_f16_e32 v2.l, v0.h, v1.l
snippet half_add_to_high, v_add_f16_e32 v2.h, v0.l, v1.h
snippet half_fmac_high, v_fmac_f16_e32 v2.h, v0.l, v1.h
snippet half_move_high, v_mov_b16_e32 v2.h, v0.l
snippet half_swap, v_swap_b16 v0.h, v1.l
snippet half_extend, v_cvt_i32_i16_e32 v2, v0.h
snippet half_long, v_and_b16 v2.h, v0.h, v1.l
snippet half_convert_high, v_cvt_f16_f32_e32 v2.h, v0
#if WAVE == 32
snippet half_compare, v_cmp_lt_u16_e32 vcc_lo, v0.h, v1.l
snippet half_choose, v_cndmask_b16 v2.h, v0.l, v1.h, s4
snippet half_compare_long, v_cmp_eq_f16_e64 s4, v0.h, -v1.l
snippet compare_dpp, v_cmp_eq_u32_e64_dpp s4, v0, v1 row_ror:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
snippet compare_dpp_that_skips, v_cmp_eq_u32_e64_dpp s4, v0, v1 row_ror:1 row_mask:0x1 bank_mask:0xf bound_ctrl:1
#endif

// Lanes.
snippet share, v_add_nc_u32_e64_dpp v2, v0, v1 row_share:5 row_mask:0xf bank_mask:0xf
snippet exchange_halves, v_permlane64_b32 v2, v0

snippet max_min, v_maxmin_i32 v2, v0, v1, v3
snippet min_max, v_minmax_u32 v2, v0, v1, v3
snippet max_min_float, v_maxmin_f32 v2, v0, v1, v3
snippet dot_signs, v_dot4_i32_iu8 v2, v0, v1, v3 neg_lo:[1,0,0]
snippet dot_nibbles, v_dot8_i32_iu4 v2, v0, v1, v3 neg_lo:[0,1,0] clamp
snippet compare_and_store, ds_cmpstore_rtn_b32 v3, v0, v1, v2
snippet pack_high_low, s_pack_hl_b32_b16 s4, s0, s1

snippet multiply_matrices, v_wmma_f32_16x16x16_f16 v[24:24+WMMA_ROWS-1], v[0:7], v[8:15], v[16:16+WMMA_ROWS-1]
snippet multiply_high_halves, v_wmma_f16_16x16x16_f16 v[24:24+WMMA_ROWS-1], v[0:7], v[8:15], v[16:16+WMMA_ROWS-1] op_sel:[0,0,1]
snippet multiply_to_brain_floats, v_wmma_bf16_16x16x16_bf16 v[24:24+WMMA_ROWS-1], v[0:7], v[8:15], v[16:16+WMMA_ROWS-1]

snippet get_flat_scratch, s_getreg_b32 s4, hwreg(HW_REG_FLAT_SCR_LO)
snippet set_flat_scratch, s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0
snippet scratch_store, scratch_store_b32 v0, v1, s0 offset:4
snippet scratch_load, scratch_load_b32 v2, v0, s0 offset:4
snippet load_by_offset, buffer_load_b32 v2, v0, s[0:3], 0 offen
snippet load_by_index, buffer_load_b64 v[2:3], v[0:1], s[0:3], 0 idxen offen
snippet permute_with_constants, v_permlane16_b32 v2, v0, 1, 0 op_sel:[1,1]
snippet real_time, s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)
snippet doorbell, s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
.globl waits
waits:
  s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_waitcnt_vscnt null, 0x0
  s_waitcnt_depctr 0xfffe
  s_set_inst_prefetch_distance 0x1
  buffer_gl0_inv
  s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
  s_endpgm
