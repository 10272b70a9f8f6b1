// The switch between two stacks (System V ABI, x86-64). No IBT/SHSTK property note: this code does not keep a shadow
// stack, and a note that says so falsely would crash where the processor checks.
        .text
        .globl  parkbench_switch_stack
        .hidden parkbench_switch_stack
        .type   parkbench_switch_stack, @function
        .p2align 4
// void parkbench_switch_stack(void** save /* rdi */, void* go_on /* rsi */)
parkbench_switch_stack:
        .cfi_startproc
        pushq   %rbp                    // the six registers that a callee must preserve;
        .cfi_adjust_cfa_offset 8
        pushq   %rbx                    // the caller saved all others, since it made a call
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp                // room for the two control words, which are callee-saved as well
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)                  // SSE rounding and exception masks
        fnstcw  4(%rsp)                 // x87 rounding and precision
        movq    %rsp, (%rdi)            // all of this stack's state is now behind one pointer
        movq    %rsi, %rsp              // from here on: the other stack, which was left at this very line
        ldmxcsr (%rsp)                  // take everything back in reverse order
        fldcw   4(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret                             // to whoever called the switch on this stack
        .cfi_endproc
        .size   parkbench_switch_stack, .-parkbench_switch_stack

        .globl  parkbench_enter_stack
        .hidden parkbench_enter_stack
        .type   parkbench_enter_stack, @function
        .p2align 4
// Where a new stack begins: prepare_stack() put the function into r12 and its argument into r13.
parkbench_enter_stack:
        .cfi_startproc
        .cfi_undefined rip              // no caller: unwinders and debuggers stop here
        movq    %r13, %rdi              // first argument
        call    *%r12                   // never returns
        ud2                             // and if it did: stop at once
        .cfi_endproc
        .size   parkbench_enter_stack, .-parkbench_enter_stack

        .section .note.GNU-stack,"",@progbits   // the program needs no executable stack
