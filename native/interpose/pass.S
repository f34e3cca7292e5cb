// pass NAME, LIBRARIES, INSTEAD: a gate that calls the next definition, or the function INSTEAD, with the arguments it
// was called with, in registers and on the stack, and returns what that returned; or the result of pass.h. System V ABI
// of x86-64: an int is returned in eax; rax and r11 carry no arguments. 16 words of the stack are passed on: more than any
// of these functions has (of HIP, a hipPitchedPtr and a hipExtent by value are 7). The others are copied in vain.
#include "interpose/rows.S"

    .macro pass name, libraries, instead=0
    row \name, "\libraries"
    .data
    .balign 8
pass_\name:
    .quad 0, kernloop_row_\name, \instead
    .text
    .balign 16
    .globl \name
    .type \name, @function
\name:
gate_of_\name:
    .cfi_startproc
    endbr64
    leaq pass_\name(%rip), %rax
    jmp pass_through
    .cfi_endproc
    .size \name, . - \name
    .endm

    .text
    .balign 16
    .type pass_through, @function
pass_through:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movl kernloop_pass_result(%rip), %r11d
    testl %r11d, %r11d
    jnz 2f
    movq (%rax), %r11
    testq %r11, %r11
    jz 3f
1:  .irp word, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
    pushq 16 + 8 * \word(%rbp)
    .endr
    call *%r11
    movl kernloop_pass_result(%rip), %r11d
    testl %r11d, %r11d
    jz 4f
2:  movl %r11d, %eax
4:  leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state
3:  // The first call: which function is called. Argument registers are kept, those of floats, too.
    subq $192, %rsp
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\n, 64 + 16 * \n(%rsp)
    .endr
    movq %rax, %rdi
    call kernloop_interpose_function
    movq %rax, %r11
    movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups 64 + 16 * \n(%rsp), %xmm\n
    .endr
    addq $192, %rsp
    jmp 1b
    .cfi_endproc
    .size pass_through, . - pass_through

    .section .note.GNU-stack, "", @progbits
