"""Records what Triton compiles and launches in this process, for `kernloop capture`. See docs/triton.md."""

from kernloop_after_import import after_import


def wait(folder):
    def install(module):
        from . import compilations

        # If it fails, the stage tells that nothing was recorded.
        compilations.install(module, folder)

    after_import("triton.compiler.compiler", install)
