// Gates: for every function of HIP one of its name, in front of it, with any signature.
//
// A gate calls HIP's function with the arguments it was called with, in registers and on the stack, and returns what that
// returned; but where the device is lost (error.h), before or after, the error. System V ABI of x86-64: a hipError_t is
// returned in eax; rax and r11 carry no arguments.

// Bytes of stack arguments that are passed on: more than any of these functions has (a hipPitchedPtr and a hipExtent by
// value are 56). Whatever else lies there is copied in vain.
#define WORDS 16

    .altmacro

// A row of the table HipFunction (functions.h), and the gate.
    .macro gate_of name
    .section .rodata
name_\name:
    .asciz "\name"
    .section kernloop_hip_functions, "aw", @progbits
    .balign 8
row_\name:
    .quad 0, name_\name, gate_\name
    .text
    .balign 16
    .globl \name
    .type \name, @function
\name:
gate_\name:
    .cfi_startproc
    endbr64
    leaq row_\name(%rip), %rax
    jmp pass_through
    .cfi_endproc
    .size \name, . - \name
    .endm

    .macro push_argument index
    pushq 16 + 8 * \index(%rbp)
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
    movl kernloop_hip_error(%rip), %r11d
    testl %r11d, %r11d
    jnz 2f
    movq (%rax), %r11
    testq %r11, %r11
    jz 3f
1:  .set index, WORDS
    .rept WORDS
    .set index, index - 1
    push_argument %index
    .endr
    call *%r11
    movl kernloop_hip_error(%rip), %r11d
    testl %r11d, %r11d
    jz 4f
2:  movl %r11d, %eax
4:  leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state
3:  // The first call: where HIP's function is. Argument registers are kept, those of floats, too.
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
    call kernloop_hip_resolve
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

// dlsym: names that begin with "hip" go to kernloop_hip_dlsym. All else is a jump, as what RTLD_NEXT and RTLD_DEFAULT
// mean depends on who calls.
    .balign 16
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    endbr64
    cmpq $-1, %rdi // RTLD_NEXT
    je 1f
    cmpb $'h', (%rsi)
    jne 1f
    cmpb $'i', 1(%rsi)
    jne 1f
    cmpb $'p', 2(%rsi)
    je kernloop_hip_dlsym
1:  pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call kernloop_real_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
    .cfi_endproc
    .size dlsym, . - dlsym

#define KERNLOOP_HIP_FUNCTION(name) gate_of name
#include "softgpu/hip/functions.def"

    .section .note.GNU-stack, "", @progbits
