// Control flow as compilers write it, for gfx90a, gfx942 (GFX90A, too) and, with waves of WAVE lanes, for gfx1030.
// (lanes): the first `lanes` lanes of the one wave go one way, the others the other.
#if defined GFX942
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
#elif defined GFX90A
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
#else
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
#endif

#if WAVE == 32
#define VCC vcc_lo
#define EXEC exec_lo
#define MASK s10
#define OUTSIDE s12
#define M(name) name##_b32
#else
#define VCC vcc
#define EXEC exec
#define MASK s[10:11]
#define OUTSIDE s[12:13]
#define M(name) name##_b64
#endif

.macro kernel name
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
    s_load_dword s8, s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
.endm
.macro descriptor name
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
#ifdef GFX90A
    .amdhsa_accum_offset 16
#elif WAVE == 32
    .amdhsa_wavefront_size32 1
#else
    .amdhsa_wavefront_size32 0
#endif
  .end_amdhsa_kernel
.endm

kernel if_else
  v_cmp_gt_u32 VCC, s8, v0
  M(s_and_saveexec) MASK, VCC
  M(s_xor) MASK, EXEC, MASK
  s_cbranch_execz otherwise
  v_mov_b32 v1, 1
otherwise:
  M(s_andn2_saveexec) MASK, MASK
  s_cbranch_execz rejoin
  v_mov_b32 v1, 2
  v_mov_b32 v1, 3
rejoin:
  M(s_or) EXEC, EXEC, MASK
  s_endpgm
descriptor if_else

kernel leave_early
#ifdef GFX90A
  v_cmpx_gt_u32 vcc, s8, v0
#else
  v_cmpx_gt_u32 s8, v0
#endif
  s_cbranch_execz gone
  v_mov_b32 v1, 1
gone:
  s_endpgm
descriptor leave_early

// As around the registers that a function keeps of the whole wave.
kernel all_lanes_for_a_while
  v_cmp_gt_u32 VCC, s8, v0
  M(s_and_saveexec) MASK, VCC
  M(s_or_saveexec) OUTSIDE, -1
  v_mov_b32 v1, 1
  M(s_mov) EXEC, OUTSIDE
  v_mov_b32 v1, 2
  M(s_or) EXEC, EXEC, MASK
  s_endpgm
descriptor all_lanes_for_a_while

kernel vote
  v_cmp_gt_u32 VCC, s8, v0
  s_cbranch_vccz nobody
  v_mov_b32 v1, 1
nobody:
  s_endpgm
descriptor vote
