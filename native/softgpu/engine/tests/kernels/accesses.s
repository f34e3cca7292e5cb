// Each kernel makes one memory access, of the lanes and at the addresses that it is told; what goes through an address
// is not looked at. Compiled for gfx90a, gfx942 (GFX90A, too) and, with waves of WAVE lanes, for gfx1030.
// (addresses, mask): lane k uses the 64 bits at addresses[k] if bit k of the mask is set. One wave a workgroup.
#if defined GFX942
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
#elif defined GFX90A
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
#else
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
#endif

#ifdef GFX942
#define RETURNS sc0
#else
#define RETURNS glc
#endif

.macro access name, instruction:vararg
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 3, v0
    s_waitcnt lgkmcnt(0)
    global_load_dwordx2 v[2:3], v1, s[4:5]
    s_waitcnt vmcnt(0)
#if WAVE == 32
    s_and_b32 exec_lo, exec_lo, s6
#else
    s_and_b64 exec, exec, s[6:7]
#endif
    \instruction
    s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 65536
    .amdhsa_next_free_vgpr 64
    .amdhsa_next_free_sgpr 32
#ifdef GFX90A
    .amdhsa_accum_offset 32
#elif WAVE == 32
    .amdhsa_wavefront_size32 1
#else
    .amdhsa_wavefront_size32 0
#endif
  .end_amdhsa_kernel
.endm

access load_b8, global_load_ubyte v4, v[2:3], off
access load_b16, global_load_ushort v4, v[2:3], off
access load_b32, global_load_dword v4, v[2:3], off
access load_b64, global_load_dwordx2 v[4:5], v[2:3], off
access load_b96, global_load_dwordx3 v[4:6], v[2:3], off
access load_b128, global_load_dwordx4 v[4:7], v[2:3], off
access store_b8, global_store_byte v[2:3], v4, off
access store_b16, global_store_short v[2:3], v4, off
access store_b32, global_store_dword v[2:3], v4, off
access store_b64, global_store_dwordx2 v[2:3], v[4:5], off
access store_b96, global_store_dwordx3 v[2:3], v[4:6], off
access store_b128, global_store_dwordx4 v[2:3], v[4:7], off
access flat_load_b32, flat_load_dword v4, v[2:3]
access flat_store_b128, flat_store_dwordx4 v[2:3], v[4:7]
access atomic_b32, global_atomic_add v4, v[2:3], v5, off RETURNS
access atomic_b64, global_atomic_add_x2 v[2:3], v[4:5], off

access invalidate, s_dcache_inv
#ifndef GFX90A
access wait_for_stores, s_waitcnt_vscnt null, 0x0
#endif

access lds_load_b8, ds_read_u8 v4, v2
access lds_load_b32, ds_read_b32 v4, v2
access lds_load_b64, ds_read_b64 v[4:5], v2
access lds_load_b96, ds_read_b96 v[4:6], v2
access lds_load_b128, ds_read_b128 v[4:7], v2
access lds_store_b16, ds_write_b16 v2, v4
access lds_store_b32, ds_write_b32 v2, v4
access lds_store_b64, ds_write_b64 v2, v[4:5]
access lds_store_b128, ds_write_b128 v2, v[4:7]
access lds_atomic_b32, ds_add_u32 v2, v4
access lds_atomic_b64, ds_add_rtn_u64 v[4:5], v2, v[6:7]
