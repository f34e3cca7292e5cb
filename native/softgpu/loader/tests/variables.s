// A kernel descriptor, variables of each kind and the relocations between them, for the loader's tests.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .text
  .globl store_one
  .p2align 8
  .type store_one,@function
store_one:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  v_mov_b32_e32 v0, 0
  v_mov_b32_e32 v1, 1
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[0:1]
  s_endpgm
.Lend:
  .size store_one, .Lend-store_one

  .rodata
  .p2align 6
  .amdhsa_kernel store_one
    .amdhsa_group_segment_fixed_size 1040
    .amdhsa_private_segment_fixed_size 48
    .amdhsa_kernarg_size 24
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_next_free_vgpr 2
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 4
  .end_amdhsa_kernel

  .data
  .globl counter
  .type counter,@object
  .size counter, 4
  .p2align 2
counter:
  .long 41

  .hidden private_table
  .type private_table,@object
  .size private_table, 8
  .p2align 3
private_table:
  .quad 0x1122334455667788

  .globl pointers
  .type pointers,@object
  .size pointers, 32
  .p2align 3
pointers:
  .quad counter
  .quad private_table+4
  .quad defined_by_the_program
  .quad nobody_needs_this
  .weak nobody_needs_this

  .bss
  .globl zeroed
  .type zeroed,@object
  .size zeroed, 20000
  .p2align 4
zeroed:
  .zero 20000
