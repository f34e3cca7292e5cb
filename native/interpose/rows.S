// Macros of the rows (row.h), and dlsym and dlvsym in front of glibc's. A library includes this once. System V ABI of
// x86-64: rax, r10 and r11 carry no arguments.

    .macro row name, libraries
    .section .rodata
name_of_\name:
    .asciz "\name"
libraries_of_\name:
    .asciz "\libraries"
    .section kernloop_rows, "aw", @progbits
    .balign 8
    .globl kernloop_row_\name
    .hidden kernloop_row_\name
kernloop_row_\name:
    .quad 0, name_of_\name, gate_of_\name, libraries_of_\name
    .endm

// The gate is kernloop_instead_of_NAME (instead_of.h).
    .macro instead_of name, libraries
    row \name, "\libraries"
    .text
    .balign 16
    .globl \name
    .type \name, @function
\name:
gate_of_\name:
    .cfi_startproc
    endbr64
    jmp kernloop_instead_of_\name
    .cfi_endproc
    .size \name, . - \name
    .endm

// A look-up has the signature of `function`, and `caller` is the register of its first free argument. lookup.cpp gives
// the answer in rax, or in rdx the function that has it. A jump lets that function see who called, which is the meaning
// of RTLD_NEXT.
    .macro lookup function, caller
    .text
    .balign 16
    .globl \function
    .type \function, @function
\function:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %\caller
    call kernloop_interpose_\function
    movq %rdx, %r11
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %r11, %r11
    jnz 1f
    ret
1:  jmp *%r11
    .cfi_endproc
    .size \function, . - \function
    .endm

    lookup dlsym, rdx
    lookup dlvsym, rcx

    .section .note.GNU-stack, "", @progbits
