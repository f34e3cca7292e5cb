"""Generated from the stages by `npm run schemas`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Union

from . import results

Path = Union[str, "PathLike[str]"]


class Stages:
    """A method for every verb of the command line; what is left out comes from the environment, kernel.json, kernloop.json and the defaults."""

    def _stage(self, kind: Any, verb: str, words: Any, options: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def init(
        self,
        app: Path | None = None,
        *,
        command: str | Sequence[str] | None = None,
        kernel: str | Sequence[str] | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        name: str | None = None,
        compile_commands: str | None = None,
    ) -> results.InitResult:
        """Declare a program in kernloop.json: how it is built and run, and which of its kernels matter.

        app: Folder of the app. kernloop.json is written there. Default: ".".
        command: Program and arguments, run in that folder. Give them after --: `kernloop init -- build/app --size 3`. Default:
            the one program in the folder.
        kernel: Kernels to declare, by function name; `kernloop profile` lists what the app launches.
        device: Where the kernels run. Default: what the program has code for, and this machine has.
        name: Name of the app. Default: the name of its folder.
        compile_commands: Compile database, relative to the folder. Default: one in the folder or its build folders.

        `exit_code` of the result:

        0: The folder has a kernloop.json.
        """
        result: results.InitResult = self._stage(
            results.InitResult,
            "init",
            app,
            {
                "--command": command,
                "--kernel": kernel,
                "--device": device,
                "--name": name,
                "--compile-commands": compile_commands,
            },
        )
        return result

    def watch_build(
        self,
        command: str | Sequence[str] | None = None,
        *,
        app: Path | None = None,
    ) -> results.WatchBuildResult:
        """Run the build of an app that has no compile database, and write one.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        command: Command that builds the app, run in its folder. Give it after --: `kernloop watch-build -- make -j8`. Default:
            "build" of kernloop.json.

        `exit_code` of the result:

        0: The app was built and its compile database written.
        """
        result: results.WatchBuildResult = self._stage(
            results.WatchBuildResult,
            "watch-build",
            command,
            {
                "--app": app,
            },
        )
        return result

    def kernels(
        self,
        workspace: Path | None = None,
    ) -> results.KernelsResult:
        """List the apps of a workspace, their declared kernels, their reproducers and the last verdict on each.

        workspace: Folder of the workspace, or any folder below it. Without nx.json: the folder itself. Default: ".".

        `exit_code` of the result:

        0: The list is complete, or says what it lacks.
        """
        result: results.KernelsResult = self._stage(
            results.KernelsResult,
            "kernels",
            workspace,
            {
            },
        )
        return result

    def profile(
        self,
        app: Path | None = None,
        *,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        build: bool | None = None,
        linger_seconds: float | None = None,
        time_limit_seconds: float | None = None,
        command: str | Sequence[str] | None = None,
        output: Path | None = None,
        launches: bool | None = None,
        top: int | None = None,
    ) -> results.ProfileResult:
        """Rank the kernels that an app launches.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which
            HIP 5.2 knows the first two. Default: "gfx90a".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        build: Run the app's build command first. Default: true.
        linger_seconds: How many seconds to wait for processes that the app left running. Ends sooner once everything is
            captured. Default: 10.
        time_limit_seconds: End the app after this time. 0: no limit. Default: 0.
        command: Program and arguments to run in the folder, which then needs no kernloop.json. Give them after --: `kernloop
            profile -- ./demo args`.
        output: File to write. Default: .kernloop/profile.json of the app.
        launches: Also record when each launch ran (the first 20,000), for `kernloop trace export --profile`. CUDA only.
            Default: false.
        top: How many kernels to print. The file has all of them. Default: 20, or 3 of a command.

        `exit_code` of the result:

        0: The app ran and its launches were counted.
        """
        result: results.ProfileResult = self._stage(
            results.ProfileResult,
            "profile",
            app,
            {
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--build": build,
                "--linger-seconds": linger_seconds,
                "--time-limit-seconds": time_limit_seconds,
                "--command": command,
                "--output": output,
                "--launches": launches,
                "--top": top,
            },
        )
        return result

    def declare(
        self,
        name: str,
        *,
        app: Path | None = None,
        match: str | None = None,
        whole_name: bool | None = None,
        ordinal: int | None = None,
        dispatch: str | None = None,
        each: Literal["dispatch", "geometry", "kernel"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        after_count: int | None = None,
        scope: Literal["reachable", "all"] | None = None,
    ) -> results.DeclareResult:
        """Declare a kernel of an app in kernloop.json, so that it can be extracted.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        name: Name of the kernel: its folder in kernels/<app>/, and suffix of its Nx targets. Also the function, if match is
            left out.
        match: Regular expression (ECMAScript), searched for in the demangled and in the mangled kernel name. Default: functions
            with exactly the given name.
        whole_name: The expression must match a whole name: the mangled one, or the demangled one with its parameters, without
            them, or without template arguments too.
        ordinal: Which matching dispatch to capture, counted from 1. Default: 1.
        dispatch: Which of the matching dispatches to capture, instead of "ordinal": numbers and ranges as in "2,5,9-12,20-", or
            "last" or "last:3".
        each: Capture each of those dispatches (the default), the first of each kernel and launch geometry, or the first of each
            kernel.
        limit: Stop after this many captures. Default: 16.
        after: Do not count dispatches until a kernel whose name matches this expression has been launched.
        after_count: How many launches matching "after" to wait for. Default: 1.
        scope: Memory to capture: what the arguments lead to, or every tracked allocation. Default: "reachable".

        `exit_code` of the result:

        0: kernloop.json declares the kernel.
        """
        result: results.DeclareResult = self._stage(
            results.DeclareResult,
            "declare",
            name,
            {
                "--app": app,
                "--match": match,
                "--whole-name": whole_name,
                "--ordinal": ordinal,
                "--dispatch": dispatch,
                "--each": each,
                "--limit": limit,
                "--after": after,
                "--after-count": after_count,
                "--scope": scope,
            },
        )
        return result

    def capture(
        self,
        kernel: str | Sequence[str] | None = None,
        *,
        app: Path | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        build: bool | None = None,
        linger_seconds: float | None = None,
        time_limit_seconds: float | None = None,
        match: str | None = None,
        whole_name: bool | None = None,
        ordinal: int | None = None,
        dispatch: str | None = None,
        each: Literal["dispatch", "geometry", "kernel"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        after_count: int | None = None,
        scope: Literal["reachable", "all"] | None = None,
        output: Path | None = None,
        self_check: bool | None = None,
        shrink: bool | None = None,
        max_bytes: int | None = None,
        inline_limit_bytes: int | None = None,
        memory_bytes: int | None = None,
        dry_run: bool | None = None,
        drain_limit_ms: int | None = None,
        run_limit_ms: int | None = None,
        untracked_memory: Literal["warn", "refuse"] | None = None,
        store: Path | None = None,
    ) -> results.CaptureResult:
        """Run an app and capture dispatches of its kernels.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which
            HIP 5.2 knows the first two. Default: "gfx90a".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        build: Run the app's build command first. Default: true.
        linger_seconds: How many seconds to wait for processes that the app left running. Ends sooner once everything is
            captured. Default: 10.
        time_limit_seconds: End the app after this time. 0: no limit. Default: 0.
        kernel: Kernels to capture, by their names in kernloop.json, or by regular expressions that fit one name each. Default:
            all of them.
        match: Capture kernels whose name matches this regular expression, instead of the one in kernloop.json.
        whole_name: The expression must match the whole name. Overrides kernloop.json.
        ordinal: Which matching dispatch to capture, counted from 1. Overrides kernloop.json.
        dispatch: Which matching dispatches: numbers and ranges as in "2,5,9-12,20-", or "last" or "last:3"; overrides
            kernloop.json.
        each: Capture each of those dispatches, the first of each kernel and launch geometry, or the first of each kernel.
            Overrides kernloop.json.
        limit: Stop after this many captures of a kernel. Default: 16. Overrides kernloop.json.
        after: Do not count dispatches until a kernel whose name matches this expression has been launched. Overrides
            kernloop.json.
        after_count: How many launches matching --after to wait for. Default: 1. Overrides kernloop.json.
        scope: Memory to capture: what the arguments lead to, or every tracked allocation. Overrides kernloop.json.
        output: Folder of the capture, if only one kernel is captured. Default: kernels/<app>/<kernel>/capture. Further captures
            go to <folder>s/<ordinal>.
        self_check: Replay the capture once the app has exited, and check that it gives what the app computed. Default: true.
        shrink: After the self-check, drop memory that the dispatch neither reads nor writes, if the self-check then says the
            same. Code that touches it faults in replays. Default: false.
        max_bytes: Refuse a capture of more than this many bytes of memory, before anything is written. 0: no limit. Default:
            8589934592.
        inline_limit_bytes: A capture that takes more bytes than this on disk keeps its chunks in the store. Default: 268435456.
        memory_bytes: Host memory to use while a snapshot is written, however large it is. At least 4194304 (one chunk).
            Default: 268435456.
        dry_run: Run the app and say how large the captures would be. Write none. Default: false.
        drain_limit_ms: How long to wait, before the dispatch, for work that is already on the device. Default: 10000.
        run_limit_ms: How long the captured dispatch itself may take. Default: 60000.
        untracked_memory: What to do if an argument points to GPU memory whose allocation was never seen (unused fields of
            structs often do): capture and warn (the self-check then shows whether the kernel uses it), or refuse the dispatch.
            Default: "warn".
        store: Chunk store. Default: the workspace's .kernloop/store.

        `exit_code` of the result:

        0: Everything asked for was captured. If the app itself failed afterwards, its exit code is returned instead.
        """
        result: results.CaptureResult = self._stage(
            results.CaptureResult,
            "capture",
            kernel,
            {
                "--app": app,
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--build": build,
                "--linger-seconds": linger_seconds,
                "--time-limit-seconds": time_limit_seconds,
                "--match": match,
                "--whole-name": whole_name,
                "--ordinal": ordinal,
                "--dispatch": dispatch,
                "--each": each,
                "--limit": limit,
                "--after": after,
                "--after-count": after_count,
                "--scope": scope,
                "--output": output,
                "--self-check": self_check,
                "--shrink": shrink,
                "--max-bytes": max_bytes,
                "--inline-limit-bytes": inline_limit_bytes,
                "--memory-bytes": memory_bytes,
                "--dry-run": dry_run,
                "--drain-limit-ms": drain_limit_ms,
                "--run-limit-ms": run_limit_ms,
                "--untracked-memory": untracked_memory,
                "--store": store,
            },
        )
        return result

    def generate(
        self,
        kernel: str,
        *,
        app: Path | None = None,
        translation_unit: str | None = None,
        define: str | Sequence[str] | None = None,
        language: Literal["hip", "cuda", "triton"] | None = None,
        compile_limit_seconds: float | None = None,
    ) -> results.GenerateResult:
        """Write the source and project files of a captured kernel into pristine/.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        kernel: Kernel to generate files for, by its name in kernloop.json.
        translation_unit: Source file to compile the kernel from, if several define it. Relative to the app.
        define: Another macro to compile the source with: NAME or NAME=VALUE.
        language: Language of the kernel, if the wrong one was detected. hip and cuda search the C++ sources. triton takes what
            Triton compiled while the app ran.
        compile_limit_seconds: End a compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The files were written.
        """
        result: results.GenerateResult = self._stage(
            results.GenerateResult,
            "generate",
            kernel,
            {
                "--app": app,
                "--translation-unit": translation_unit,
                "--define": define,
                "--language": language,
                "--compile-limit-seconds": compile_limit_seconds,
            },
        )
        return result

    def extract(
        self,
        kernel: str | Sequence[str] | None = None,
        *,
        app: Path | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        build: bool | None = None,
        linger_seconds: float | None = None,
        time_limit_seconds: float | None = None,
        command: str | Sequence[str] | None = None,
        reset: bool | None = None,
        recapture: bool | None = None,
        self_check: bool | None = None,
        shrink: bool | None = None,
        max_bytes: int | None = None,
        inline_limit_bytes: int | None = None,
        memory_bytes: int | None = None,
        drain_limit_ms: int | None = None,
        run_limit_ms: int | None = None,
        untracked_memory: Literal["warn", "refuse"] | None = None,
        store: Path | None = None,
        translation_unit: str | None = None,
        define: str | Sequence[str] | None = None,
        language: Literal["hip", "cuda", "triton"] | None = None,
        compile_limit_seconds: float | None = None,
    ) -> results.ExtractResult:
        """Turn kernels of an app into projects of their own: capture, generate, adopt.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which
            HIP 5.2 knows the first two. Default: "gfx90a".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        build: Run the app's build command first. Default: true.
        linger_seconds: How many seconds to wait for processes that the app left running. Ends sooner once everything is
            captured. Default: 10.
        time_limit_seconds: End the app after this time. 0: no limit. Default: 0.
        command: Program and arguments to run in the folder, which then needs no kernloop.json. Give them after --: `kernloop
            profile -- ./demo args`.
        kernel: Kernels to extract, by their names in kernloop.json, or by regular expressions that fit one name each; of a
            command, also by function name. Default: all of them; of a command, the costliest.
        reset: Overwrite edited files with the generated ones. Files that are not in pristine/ are kept. Default: false.
        recapture: Capture again even if there is a complete capture of the same program and selection. Default: false.
        self_check: Replay the capture once the app has exited, and check that it gives what the app computed. Default: true.
        shrink: After the self-check, drop memory that the dispatch neither reads nor writes, if the self-check then says the
            same. Code that touches it faults in replays. Default: false.
        max_bytes: Refuse a capture of more than this many bytes of memory, before anything is written. 0: no limit. Default:
            8589934592.
        inline_limit_bytes: A capture that takes more bytes than this on disk keeps its chunks in the store. Default: 268435456.
        memory_bytes: Host memory to use while a snapshot is written, however large it is. At least 4194304 (one chunk).
            Default: 268435456.
        drain_limit_ms: How long to wait, before the dispatch, for work that is already on the device. Default: 10000.
        run_limit_ms: How long the captured dispatch itself may take. Default: 60000.
        untracked_memory: What to do if an argument points to GPU memory whose allocation was never seen (unused fields of
            structs often do): capture and warn (the self-check then shows whether the kernel uses it), or refuse the dispatch.
            Default: "warn".
        store: Chunk store. Default: the workspace's .kernloop/store.
        translation_unit: Source file to compile the kernel from, if several define it. Relative to the app.
        define: Another macro to compile the source with: NAME or NAME=VALUE.
        language: Language of the kernel, if the wrong one was detected. hip and cuda search the C++ sources. triton takes what
            Triton compiled while the app ran.
        compile_limit_seconds: End a compilation after this time. Default: 600.

        `exit_code` of the result:

        0: Every kernel has its reproducer. If the app itself failed after the capture, its exit code is returned instead.
        """
        result: results.ExtractResult = self._stage(
            results.ExtractResult,
            "extract",
            kernel,
            {
                "--app": app,
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--build": build,
                "--linger-seconds": linger_seconds,
                "--time-limit-seconds": time_limit_seconds,
                "--command": command,
                "--reset": reset,
                "--recapture": recapture,
                "--self-check": self_check,
                "--shrink": shrink,
                "--max-bytes": max_bytes,
                "--inline-limit-bytes": inline_limit_bytes,
                "--memory-bytes": memory_bytes,
                "--drain-limit-ms": drain_limit_ms,
                "--run-limit-ms": run_limit_ms,
                "--untracked-memory": untracked_memory,
                "--store": store,
                "--translation-unit": translation_unit,
                "--define": define,
                "--language": language,
                "--compile-limit-seconds": compile_limit_seconds,
            },
        )
        return result

    def adopt(
        self,
        reproducer: Path | None = None,
        *,
        reset: bool | None = None,
    ) -> results.AdoptResult:
        """Add the files a reproducer lacks, from its pristine copy.

        reproducer: Folder of the reproducer: where pristine/ is. Default: ".".
        reset: Overwrite edited files with the generated ones. Files that are not in pristine/ are kept. Default: false.

        `exit_code` of the result:

        0: Every file is in place. Files you changed are listed and kept.
        """
        result: results.AdoptResult = self._stage(
            results.AdoptResult,
            "adopt",
            reproducer,
            {
                "--reset": reset,
            },
        )
        return result

    def recompile(
        self,
        reproducer: Path | None = None,
        *,
        line_info: bool | None = None,
        compile_limit_seconds: float | None = None,
    ) -> results.RecompileResult:
        """Rebuild the kernel of a reproducer from its edited source.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        line_info: Compile with line information, so that `kernloop replay --hot-spots` can name source lines.
        compile_limit_seconds: End the compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The code object was built.
        """
        result: results.RecompileResult = self._stage(
            results.RecompileResult,
            "recompile",
            reproducer,
            {
                "--line-info": line_info,
                "--compile-limit-seconds": compile_limit_seconds,
            },
        )
        return result

    def replay(
        self,
        reproducer: Path | None = None,
        *,
        variant: str | None = None,
        capture: str | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        store: Path | None = None,
        limit_factor: float | None = None,
        launch: Literal["direct", "hip"] | None = None,
        guard: bool | None = None,
        limit_seconds: float | None = None,
        recompile: bool | None = None,
        compare: bool | None = None,
        iterations: int | None = None,
        warmup: int | None = None,
        cache: Literal["warm", "cold", "as-is"] | None = None,
        seed: int | None = None,
        threads: int | None = None,
        grid: str | None = None,
        block: str | None = None,
        dynamic_shared: int | None = None,
        arg: str | Sequence[str] | None = None,
        hot_spots: bool | None = None,
        hot_spots_by: Literal["executed", "lanes", "transactions", "conflicts", "splits", "branches", "scratch"] | None = None,
        explain: bool | None = None,
        dump: Path | None = None,
        dump_only: str | Sequence[str] | None = None,
        dump_time: Literal["post", "pre"] | None = None,
        lens: Path | None = None,
        lens_output: Path | None = None,
    ) -> results.ReplayResult:
        """Run a captured dispatch, or your edit of it, again and measure it.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        variant: Code object to run instead of the captured one, relative to the reproducer. "none": the captured one. Default:
            what recompile built, or the captured one if nothing was edited.
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        guard: Make memory around the captured regions inaccessible, so that out-of-bounds accesses fault: to the byte on the
            software GPU, to the granule on hardware (stray writes within a granule are found afterwards). Default: false.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        recompile: Recompile the kernel first if it was edited since the last build. With --no-recompile an edit that is not
            built is an error. A task of Nx never does it: the task recompile runs before it. Default: true.
        compare: Replay the captured code and the variant in turns, and show both. Says whether each leaves in memory what the
            app computed and, on hardware, whether the variant is faster, slower or not measurably different. Default: false.
        iterations: How many measured replays. Default: 1 on the software GPU, 30 on hardware.
        warmup: How many replays to make before measuring. Default: none on the software GPU, 3 on hardware.
        cache: State of the caches when the kernel starts, on hardware. warm (default on cuda): as the same launch just before
            left them, as in a loop. cold: nothing of it. as-is (default on hsa): as restoring memory left them. The software
            GPU has no caches.
        seed: Seed for the order of waves on the software GPU. Default: 1.
        threads: Host threads for the software GPU. One thread gives the same order every time.
        grid: Launch so many blocks instead of the captured ones: X[,Y[,Z]].
        block: Launch blocks of so many threads instead: X[,Y[,Z]].
        dynamic_shared: Bytes of dynamic shared memory (LDS) of a block instead of the captured ones.
        arg: Another value for a kernel argument: NAME=VALUE or INDEX=VALUE (from 0), its type by the signature; NAME:TYPE=VALUE
            where that tells none (ptr, f32, i64, …). Pointers in hex.
        hot_spots: Show the most expensive source lines, or instructions if there is no line information. Software GPU only.
            Default: false.
        hot_spots_by: How to rank hot spots: wave-instructions, active lanes, memory transactions, LDS conflicts, divergent
            splits of a wave, bytes of private memory, or branches (instructions that split waves, by number of splits).
            Default: "executed".
        explain: Say what limits the kernel and what to try: only what exact counts of the software GPU or the code object
            prove, each with its figure and, where the code has line information, its source line. Default: false.
        dump: Write device memory to this folder: a raw file for each region and module variable, and dump.json. Never
            overwrites a file.
        dump_only: Dump only these regions and module variables.
        dump_time: Dump memory after the dispatch (post, the default) or before it (pre).
        lens: File that lists the parts of the variant that belong to a lens and not to the kernel: module variables, buffers,
            added parameters. They are reset before each replay, read after the last and never compared. The hang limit is ten
            times as high.
        lens_output: Folder for the contents of the lens after the last replay: raw files and lens.json. Never overwrites a
            file.

        `exit_code` of the result:

        0: The replay ran to its end.
        4: The device faulted, or the kernel exceeded its limit.
        """
        result: results.ReplayResult = self._stage(
            results.ReplayResult,
            "replay",
            reproducer,
            {
                "--variant": variant,
                "--capture": capture,
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--store": store,
                "--limit-factor": limit_factor,
                "--launch": launch,
                "--guard": guard,
                "--limit-seconds": limit_seconds,
                "--recompile": recompile,
                "--compare": compare,
                "--iterations": iterations,
                "--warmup": warmup,
                "--cache": cache,
                "--seed": seed,
                "--threads": threads,
                "--grid": grid,
                "--block": block,
                "--dynamic-shared": dynamic_shared,
                "--arg": arg,
                "--hot-spots": hot_spots,
                "--hot-spots-by": hot_spots_by,
                "--explain": explain,
                "--dump": dump,
                "--dump-only": dump_only,
                "--dump-time": dump_time,
                "--lens": lens,
                "--lens-output": lens_output,
            },
        )
        return result

    def validate(
        self,
        reproducer: Path | None = None,
        *,
        variant: str | None = None,
        capture: str | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        store: Path | None = None,
        limit_factor: float | None = None,
        launch: Literal["direct", "hip"] | None = None,
        guard: bool | None = None,
        limit_seconds: float | None = None,
        recompile: bool | None = None,
        replays: int | None = None,
        adverse: bool | None = None,
        atol: float | None = None,
        rtol: float | None = None,
        ulp: int | None = None,
        matched_ratio: float | None = None,
        nan: Literal["match", "refuse", "ignore"] | None = None,
        inf: Literal["match", "refuse", "ignore"] | None = None,
        dtype: str | Sequence[str] | None = None,
        force_dtype: bool | None = None,
        record: str | Sequence[str] | None = None,
        inputs: int | None = None,
        inputs_seed: int | None = None,
        inputs_only: int | None = None,
        inputs_special: bool | None = None,
        inputs_keep: str | Sequence[str] | None = None,
        may_read_untouched: bool | None = None,
        delays: int | None = None,
        racecheck: bool | None = None,
        initcheck: bool | None = None,
        memcheck: bool | None = None,
        verbose: bool | None = None,
    ) -> results.ValidateResult:
        """Check an edited kernel: replay it and compare memory with what the app computed.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        variant: Code object to run instead of the captured one, relative to the reproducer. "none": the captured one. Default:
            what recompile built, or the captured one if nothing was edited.
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        guard: Make memory around the captured regions inaccessible, so that out-of-bounds accesses fault: to the byte on the
            software GPU, to the granule on hardware (stray writes within a granule are found afterwards). Default: false.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        recompile: Recompile the kernel first if it was edited since the last build. With --no-recompile an edit that is not
            built is an error. A task of Nx never does it: the task recompile runs before it. Default: true.
        replays: Number of replays to compare, each with a different wave order and poison pattern. Default: 2.
        adverse: Also replay in a wave order that provokes races, and detect them. Races that the captured code does not have
            fail. Default: true on the software GPU (--no-adverse leaves it out); no other device can.
        atol: Absolute tolerance: elements may differ by atol + rtol * |expected value|. Without any tolerance, every byte must
            be equal.
        rtol: Relative tolerance. See --atol.
        ulp: Floating-point elements may also differ by this many units in the last place.
        matched_ratio: Share of elements, 0 to 1, that must be within the tolerance in each typed range. Default: all. Never
            excuses a NaN or infinity in place of a number.
        nan: What to accept where the app computed a NaN. match (default): a NaN. refuse: nothing, and no other NaN either.
            ignore: anything. A NaN in place of a number always fails.
        inf: The same for infinities. A match must have the same sign.
        dtype: Element types, for tolerances: "r3=f32" (a region, pointer parameter or module variable), "r3:OFFSET:SIZE=f32"
            (part of one), or "f32" (everything the kernel changed that has no type from the signature). A type that contradicts
            the signature is refused.
        force_dtype: Use --dtype, and element of kernel.json, even where they contradict the signature. The verdict says so.
            Default: false.
        record: Record size of an array that threads fill in any order: "out=8" (a region, pointer parameter or module
            variable). Only needed if the self-check cannot tell. "record_bytes" in kernel.json makes it permanent.
        inputs: Also judge by this many inputs derived from the captured one: other values in what the kernel reads, and lesser
            sizes. The captured code says what is right for them; inputs that it cannot take are dropped. Default: 0.
        inputs_seed: Seed of the derived inputs. The same seed gives the same inputs. Default: 1.
        inputs_only: Judge by this one derived input only, with the number that a failure names.
        inputs_special: Also put NaN, infinities, -0 and subnormal numbers into the floating-point arrays of derived inputs.
            Default: false.
        inputs_keep: Leave this as captured in derived inputs: a scalar argument, pointer parameter or region. For values that a
            correct variant may rely on.
        may_read_untouched: Let the result depend on captured memory that was 0 and that the captured code neither reads nor
            writes, which otherwise fails: for an app that always writes 0 there. The verdict says so. Default: false.
        delays: Number of further launches in which warps wait at random before their accesses to memory and their barriers, to
            provoke races; launches in which half of the blocks wait follow. 0: none. Needs the PTX of the variant. Failures
            that the captured code does not have fail. Default: 4 on cuda; no other device can.
        racecheck: On cuda, also replay under the racecheck of compute-sanitizer. Shared-memory races that the captured code
            does not have fail. Default: false.
        initcheck: The same with initcheck: reads of global memory that was never written. Default: false.
        memcheck: The same with memcheck: accesses outside allocations. Default: false.
        verbose: Show every region the kernel changed, even if all are right. Default: false.

        `exit_code` of the result:

        0: Memory is what the app computed.
        1: Memory differs, or the variant could not be launched as the app does.
        3: Nothing was compared that could tell right from wrong.
        4: The device faulted, or the kernel exceeded its limit.
        """
        result: results.ValidateResult = self._stage(
            results.ValidateResult,
            "validate",
            reproducer,
            {
                "--variant": variant,
                "--capture": capture,
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--store": store,
                "--limit-factor": limit_factor,
                "--launch": launch,
                "--guard": guard,
                "--limit-seconds": limit_seconds,
                "--recompile": recompile,
                "--replays": replays,
                "--adverse": adverse,
                "--atol": atol,
                "--rtol": rtol,
                "--ulp": ulp,
                "--matched-ratio": matched_ratio,
                "--nan": nan,
                "--inf": inf,
                "--dtype": dtype,
                "--force-dtype": force_dtype,
                "--record": record,
                "--inputs": inputs,
                "--inputs-seed": inputs_seed,
                "--inputs-only": inputs_only,
                "--inputs-special": inputs_special,
                "--inputs-keep": inputs_keep,
                "--may-read-untouched": may_read_untouched,
                "--delays": delays,
                "--racecheck": racecheck,
                "--initcheck": initcheck,
                "--memcheck": memcheck,
                "--verbose": verbose,
            },
        )
        return result

    def tune(
        self,
        reproducer: Path | None = None,
        *,
        capture: str | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        gpu: str | None = None,
        softgpu: str | None = None,
        store: Path | None = None,
        launch: Literal["direct", "hip"] | None = None,
        limit_factor: float | None = None,
        limit_seconds: float | None = None,
        set: str | Sequence[str] | None = None,
        constraint: str | Sequence[str] | None = None,
        grid: str | None = None,
        block: str | None = None,
        dynamic_shared: str | None = None,
        argument: str | Sequence[str] | None = None,
        search: Literal["grid", "random"] | None = None,
        samples: int | None = None,
        seed: int | None = None,
        max_candidates: int | None = None,
        jobs: int | None = None,
        iterations: int | None = None,
        atol: float | None = None,
        rtol: float | None = None,
        ulp: int | None = None,
        matched_ratio: float | None = None,
        nan: Literal["match", "refuse", "ignore"] | None = None,
        inf: Literal["match", "refuse", "ignore"] | None = None,
        dtype: str | Sequence[str] | None = None,
        record: str | Sequence[str] | None = None,
        inputs: int | None = None,
        inputs_keep: str | Sequence[str] | None = None,
        replays: int | None = None,
        adverse: bool | None = None,
        delays: int | None = None,
        fresh: bool | None = None,
        apply: bool | None = None,
        compile_limit_seconds: float | None = None,
    ) -> results.TuneResult:
        """Find the best configuration of a kernel on its captured inputs. Each one is validated.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        limit_seconds: On hardware, end a replay of a candidate after this time. Default: 10.
        set: A parameter and the values to try: "BLOCK=64,128,256". Triton: a name in CONSTEXPRS or OPTIONS. C++: a constant or
            macro of the source, a macro to compile with, a scalar argument, or a name in the launch formulas. Default for
            Triton: the configurations of its own @triton.autotune.
        constraint: Only try configurations that meet this condition: "BLOCK % num_warps == 0 and BLOCK * 4 <= 65536".
        grid: C++: blocks to launch, as a formula X[,Y[,Z]] ("ceil(n / BLOCK)"). Default: enough blocks for the captured
            threads. Triton: grid() of reproducer.py decides.
        block: C++: threads per block, as a formula X[,Y[,Z]].
        dynamic_shared: C++: bytes of dynamic shared memory (LDS) per block, as a formula.
        argument: C++: another value for a scalar argument, NAME=FORMULA.
        search: grid: try every configuration. random: try a random sample. Default: "grid".
        samples: Number of configurations the random search tries. Default: 50.
        seed: Seed of the random search. Default: 1.
        max_candidates: Refuse to search a grid with more configurations than this. Default: 1000.
        jobs: Number of parallel compilations. Default: one for each core.
        iterations: On hardware, how many times to replay each candidate and the captured code, in turns. Default: 30.
        atol: Absolute tolerance: elements may differ by atol + rtol * |expected value|. Without any tolerance, every byte must
            be equal.
        rtol: Relative tolerance. See --atol.
        ulp: Floating-point elements may also differ by this many units in the last place.
        matched_ratio: Share of elements, 0 to 1, that must be within the tolerance in each typed range. Default: all. Never
            excuses a NaN or infinity in place of a number.
        nan: What to accept where the app computed a NaN. match (default): a NaN. refuse: nothing, and no other NaN either.
            ignore: anything. A NaN in place of a number always fails.
        inf: The same for infinities. A match must have the same sign.
        dtype: Element types, for tolerances: "r3=f32" (a region, pointer parameter or module variable), "r3:OFFSET:SIZE=f32"
            (part of one), or "f32" (everything the kernel changed that has no type from the signature). A type that contradicts
            the signature is refused.
        record: Record size of an array that threads fill in any order: "out=8" (a region, pointer parameter or module
            variable). Only needed if the self-check cannot tell. "record_bytes" in kernel.json makes it permanent.
        inputs: Also judge each candidate by this many inputs derived from the captured one: see --inputs of validate. 0 for
            none. Default: as kernel.json has validate; else only the best configuration is judged so, by 4, on the software GPU
            and where a replay executes at most 2 million wave-instructions.
        inputs_keep: Leave this as captured in derived inputs: a scalar argument, pointer parameter or region. For values that a
            correct variant may rely on.
        replays: Number of replays to compare, each with a different wave order and poison pattern. Default: 2.
        adverse: Also replay in a wave order that provokes races, and detect them. Races that the captured code does not have
            fail. Default: true on the software GPU (--no-adverse leaves it out); no other device can.
        delays: Number of further launches in which warps wait at random before their accesses to memory and their barriers, to
            provoke races; launches in which half of the blocks wait follow. 0: none. Needs the PTX of the variant. Failures
            that the captured code does not have fail. Default: 4 on cuda; no other device can.
        fresh: Build and measure everything again, ignoring results of earlier runs. Default: false.
        apply: Write the best configuration into the reproducer, show the diff, and validate it there. Default: false.
        compile_limit_seconds: End a compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The best configuration was found, or none beats the source as it is.
        1: No configuration passes validation.
        """
        result: results.TuneResult = self._stage(
            results.TuneResult,
            "tune",
            reproducer,
            {
                "--capture": capture,
                "--device": device,
                "--gpu": gpu,
                "--softgpu": softgpu,
                "--store": store,
                "--launch": launch,
                "--limit-factor": limit_factor,
                "--limit-seconds": limit_seconds,
                "--set": set,
                "--constraint": constraint,
                "--grid": grid,
                "--block": block,
                "--dynamic-shared": dynamic_shared,
                "--argument": argument,
                "--search": search,
                "--samples": samples,
                "--seed": seed,
                "--max-candidates": max_candidates,
                "--jobs": jobs,
                "--iterations": iterations,
                "--atol": atol,
                "--rtol": rtol,
                "--ulp": ulp,
                "--matched-ratio": matched_ratio,
                "--nan": nan,
                "--inf": inf,
                "--dtype": dtype,
                "--record": record,
                "--inputs": inputs,
                "--inputs-keep": inputs_keep,
                "--replays": replays,
                "--adverse": adverse,
                "--delays": delays,
                "--fresh": fresh,
                "--apply": apply,
                "--compile-limit-seconds": compile_limit_seconds,
            },
        )
        return result

    def judge(
        self,
        candidate: Path | Sequence[Path],
        *,
        kernel: str | None = None,
        reproducer: Path | Sequence[Path] | None = None,
        gpu: str | None = None,
        store: Path | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        capture: str | None = None,
        softgpu: str | None = None,
        launch: Literal["direct", "hip"] | None = None,
        limit_factor: float | None = None,
        limit_seconds: float | None = None,
        atol: float | None = None,
        rtol: float | None = None,
        ulp: int | None = None,
        matched_ratio: float | None = None,
        nan: Literal["match", "refuse", "ignore"] | None = None,
        inf: Literal["match", "refuse", "ignore"] | None = None,
        dtype: str | Sequence[str] | None = None,
        record: str | Sequence[str] | None = None,
        inputs: int | None = None,
        inputs_keep: str | Sequence[str] | None = None,
        replays: int | None = None,
        adverse: bool | None = None,
        delays: int | None = None,
        iterations: int | None = None,
        jobs: int | None = None,
        compile_limit_seconds: float | None = None,
        compile_limit_memory_mib: int | None = None,
        unsandboxed: bool | None = None,
        home: Path | None = None,
        fresh: bool | None = None,
        reports: Path | None = None,
    ) -> results.JudgeResult:
        """Judge and score candidates for a kernel: sources that nobody trusts, many at a time.

        candidate: What to judge: a source in place of kernel_variant.*, a folder of files that replace those of the reproducer,
            or a JSON document (kernloop.candidate/1).
        kernel: Kernel that the candidates are variants of, if several are judged.
        reproducer: Folder of a reproducer to judge candidates of. May be given several times. Default: the working folder.
            Default: ["."].
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        device: Where candidates run. Default: the kind that each capture is from.
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        limit_seconds: On hardware, end a replay of a candidate after this time. Default: 10.
        atol: Absolute tolerance: elements may differ by atol + rtol * |expected value|. Without any tolerance, every byte must
            be equal.
        rtol: Relative tolerance. See --atol.
        ulp: Floating-point elements may also differ by this many units in the last place.
        matched_ratio: Share of elements, 0 to 1, that must be within the tolerance in each typed range. Default: all. Never
            excuses a NaN or infinity in place of a number.
        nan: What to accept where the app computed a NaN. match (default): a NaN. refuse: nothing, and no other NaN either.
            ignore: anything. A NaN in place of a number always fails.
        inf: The same for infinities. A match must have the same sign.
        dtype: Element types, for tolerances: "r3=f32" (a region, pointer parameter or module variable), "r3:OFFSET:SIZE=f32"
            (part of one), or "f32" (everything the kernel changed that has no type from the signature). A type that contradicts
            the signature is refused.
        record: Record size of an array that threads fill in any order: "out=8" (a region, pointer parameter or module
            variable). Only needed if the self-check cannot tell. "record_bytes" in kernel.json makes it permanent.
        inputs: Also judge what passes by this many inputs derived from the captured one: see --inputs of validate. 0: none.
            Default: as kernel.json has validate, else 4 (0 with --launch hip), so that results written into a candidate do not
            pass.
        inputs_keep: Leave this as captured in derived inputs: a scalar argument, pointer parameter or region. For values that a
            correct variant may rely on.
        replays: Number of replays to compare, each with a different wave order and poison pattern. Default: 2.
        adverse: Also replay in a wave order that provokes races, and detect them. Races that the captured code does not have
            fail. Default: true on the software GPU (--no-adverse leaves it out); no other device can.
        delays: Number of further launches in which warps wait at random before their accesses to memory and their barriers, to
            provoke races; launches in which half of the blocks wait follow. 0: none. Needs the PTX of the variant. Failures
            that the captured code does not have fail. Default: 4 on cuda; no other device can.
        iterations: On hardware, how many times to replay each candidate and the captured code, in turns. Default: 30.
        jobs: Number of candidates at work at a time. Default: one for each core. A GPU takes one at a time.
        compile_limit_seconds: End a compilation after this time. Default: 60.
        compile_limit_memory_mib: End a compilation that takes more memory than this, in MiB. Only in the sandbox. Default:
            8192.
        unsandboxed: Compile candidates without the sandbox: for sources that you trust as your own. The verdict says so.
            Default: false.
        home: Folder of the key, the accepted candidates and the verdicts. Default: kernloop/judge in the cache folder of the
            user.
        fresh: Judge again what was judged before. Default: false.
        reports: Folder to write the signed reports to. Default: in the home.

        `exit_code` of the result:

        0: Every candidate passes.
        1: A candidate is wrong, does not compile or cannot be launched.
        3: Nothing was compared that could tell right from wrong.
        4: The device faulted with a candidate, or it exceeded its limit.
        5: A candidate has no verdict, because the machine lacks something.
        """
        result: results.JudgeResult = self._stage(
            results.JudgeResult,
            "judge",
            candidate,
            {
                "--kernel": kernel,
                "--reproducer": reproducer,
                "--gpu": gpu,
                "--store": store,
                "--device": device,
                "--capture": capture,
                "--softgpu": softgpu,
                "--launch": launch,
                "--limit-factor": limit_factor,
                "--limit-seconds": limit_seconds,
                "--atol": atol,
                "--rtol": rtol,
                "--ulp": ulp,
                "--matched-ratio": matched_ratio,
                "--nan": nan,
                "--inf": inf,
                "--dtype": dtype,
                "--record": record,
                "--inputs": inputs,
                "--inputs-keep": inputs_keep,
                "--replays": replays,
                "--adverse": adverse,
                "--delays": delays,
                "--iterations": iterations,
                "--jobs": jobs,
                "--compile-limit-seconds": compile_limit_seconds,
                "--compile-limit-memory-mib": compile_limit_memory_mib,
                "--unsandboxed": unsandboxed,
                "--home": home,
                "--fresh": fresh,
                "--reports": reports,
            },
        )
        return result

    def verify_report(
        self,
        file: Path | Sequence[Path],
        *,
        reproducer: Path | None = None,
        candidate: Path | Sequence[Path] | None = None,
        public_key: str | None = None,
        home: Path | None = None,
        require_sandbox: bool | None = None,
        max_age_hours: float | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        capture: str | None = None,
        softgpu: str | None = None,
        launch: Literal["direct", "hip"] | None = None,
        limit_factor: float | None = None,
        limit_seconds: float | None = None,
        atol: float | None = None,
        rtol: float | None = None,
        ulp: int | None = None,
        matched_ratio: float | None = None,
        nan: Literal["match", "refuse", "ignore"] | None = None,
        inf: Literal["match", "refuse", "ignore"] | None = None,
        dtype: str | Sequence[str] | None = None,
        record: str | Sequence[str] | None = None,
        inputs: int | None = None,
        inputs_keep: str | Sequence[str] | None = None,
        replays: int | None = None,
        adverse: bool | None = None,
        delays: int | None = None,
    ) -> results.VerifyReportResult:
        """Say whether reports of judge are genuine, and of this capture, these settings and these sources.

        file: Signed reports of `kernloop judge`.
        reproducer: Reproducer that the reports must be of, with its captures, settings and sources as they are now.
        candidate: Candidates that the reports must be on, in the order of the reports, as `judge` was given them. Default: the
            files of the reproducer itself.
        public_key: Key of the judge that is trusted, or a file with it. Default: key.pub in the home.
        home: Home of the judge that is trusted. Default: kernloop/judge in the cache folder of the user.
        require_sandbox: Refuse reports on candidates that were compiled without the sandbox. Default: false.
        max_age_hours: Refuse reports that are older.
        device: Where candidates run. Default: the kind that each capture is from.
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        limit_seconds: On hardware, end a replay of a candidate after this time. Default: 10.
        atol: Absolute tolerance: elements may differ by atol + rtol * |expected value|. Without any tolerance, every byte must
            be equal.
        rtol: Relative tolerance. See --atol.
        ulp: Floating-point elements may also differ by this many units in the last place.
        matched_ratio: Share of elements, 0 to 1, that must be within the tolerance in each typed range. Default: all. Never
            excuses a NaN or infinity in place of a number.
        nan: What to accept where the app computed a NaN. match (default): a NaN. refuse: nothing, and no other NaN either.
            ignore: anything. A NaN in place of a number always fails.
        inf: The same for infinities. A match must have the same sign.
        dtype: Element types, for tolerances: "r3=f32" (a region, pointer parameter or module variable), "r3:OFFSET:SIZE=f32"
            (part of one), or "f32" (everything the kernel changed that has no type from the signature). A type that contradicts
            the signature is refused.
        record: Record size of an array that threads fill in any order: "out=8" (a region, pointer parameter or module
            variable). Only needed if the self-check cannot tell. "record_bytes" in kernel.json makes it permanent.
        inputs: Also judge what passes by this many inputs derived from the captured one: see --inputs of validate. 0: none.
            Default: as kernel.json has validate, else 4 (0 with --launch hip), so that results written into a candidate do not
            pass.
        inputs_keep: Leave this as captured in derived inputs: a scalar argument, pointer parameter or region. For values that a
            correct variant may rely on.
        replays: Number of replays to compare, each with a different wave order and poison pattern. Default: 2.
        adverse: Also replay in a wave order that provokes races, and detect them. Races that the captured code does not have
            fail. Default: true on the software GPU (--no-adverse leaves it out); no other device can.
        delays: Number of further launches in which warps wait at random before their accesses to memory and their barriers, to
            provoke races; launches in which half of the blocks wait follow. 0: none. Needs the PTX of the variant. Failures
            that the captured code does not have fail. Default: 4 on cuda; no other device can.

        `exit_code` of the result:

        0: Every report is genuine, and its candidate passes.
        1: A genuine report is on a candidate that is wrong, does not compile or cannot be launched.
        3: A genuine report is on a candidate for which nothing was compared.
        4: A genuine report is on a candidate with which the device faulted, or that exceeded its limit.
        5: A genuine report has no verdict.
        """
        result: results.VerifyReportResult = self._stage(
            results.VerifyReportResult,
            "verify-report",
            file,
            {
                "--reproducer": reproducer,
                "--candidate": candidate,
                "--public-key": public_key,
                "--home": home,
                "--require-sandbox": require_sandbox,
                "--max-age-hours": max_age_hours,
                "--device": device,
                "--capture": capture,
                "--softgpu": softgpu,
                "--launch": launch,
                "--limit-factor": limit_factor,
                "--limit-seconds": limit_seconds,
                "--atol": atol,
                "--rtol": rtol,
                "--ulp": ulp,
                "--matched-ratio": matched_ratio,
                "--nan": nan,
                "--inf": inf,
                "--dtype": dtype,
                "--record": record,
                "--inputs": inputs,
                "--inputs-keep": inputs_keep,
                "--replays": replays,
                "--adverse": adverse,
                "--delays": delays,
            },
        )
        return result

    def export_task(
        self,
        reproducer: Path | None = None,
        *,
        format: Literal["agent-kernel-arena", "flashinfer-bench"],
        output: Path,
        gpu: str | None = None,
        store: Path | None = None,
    ) -> results.ExportTaskResult:
        """Write a reproducer as a task of a benchmark for agents: AgentKernelArena, flashinfer-bench.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        format: Format of the task: of AgentKernelArena (HIP; judged by validate), or of flashinfer-bench (arrays of the
            captured dispatch, and what the app computed from them).
        output: Folder of the task, or for flashinfer-bench of the data set, to which the task is added.
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.

        `exit_code` of the result:

        0: The task was written.
        """
        result: results.ExportTaskResult = self._stage(
            results.ExportTaskResult,
            "export-task",
            reproducer,
            {
                "--format": format,
                "--output": output,
                "--gpu": gpu,
                "--store": store,
            },
        )
        return result

    def pgo_show(
        self,
        reproducer: Path | None = None,
        *,
        spills: Literal["base", "off", "uniform", "flatten", "wave", "use"] | None = None,
        all: bool | None = None,
        source: bool | None = None,
    ) -> results.PgoShowResult:
        """Show the profile of a kernel, block by block: counts, wave visits, uniformity, spills.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        spills: Whose spills to show. Default: those of the variant that pgo-use kept, otherwise "off" (CUDA: "use").
        all: Show every function in the profile, not only the captured kernel. Default: false.
        source: Show the source with counts beside its lines, instead of a table. Default: false.

        `exit_code` of the result:

        0: The profile was shown.
        """
        result: results.PgoShowResult = self._stage(
            results.PgoShowResult,
            "pgo show",
            reproducer,
            {
                "--spills": spills,
                "--all": all,
                "--source": source,
            },
        )
        return result

    def pgo_instrument(
        self,
        reproducer: Path | None = None,
        *,
        sample: str | None = None,
        slots: int | None = None,
        uniform: Literal["branch", "full-mask"] | None = None,
        skip_guards: bool | None = None,
        compile_limit_seconds: float | None = None,
    ) -> results.PgoInstrumentResult:
        """Build a kernel with counters in it.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        sample: Who counts. all: every workgroup. blocks:N: one workgroup in N (a power of two), chosen by a hash of its
            position. The others run a copy without counters. Default: "all".
        slots: Copies of each counter, a power of two. More copies mean less waiting between waves. Merging adds them up.
            Default: 256.
        uniform: When a block is uniform. branch: every lane that was at the branch before it reaches it. full-mask: a full wave
            reaches it, as in the RFC. Default: "branch".
        skip_guards: Leave out kernels without branches, and kernels whose only branch guards everything else. Default: false.
        compile_limit_seconds: End the compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The instrumented code was built.
        """
        result: results.PgoInstrumentResult = self._stage(
            results.PgoInstrumentResult,
            "pgo-instrument",
            reproducer,
            {
                "--sample": sample,
                "--slots": slots,
                "--uniform": uniform,
                "--skip-guards": skip_guards,
                "--compile-limit-seconds": compile_limit_seconds,
            },
        )
        return result

    def pgo_generate(
        self,
        reproducer: Path | None = None,
        *,
        capture: str | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        gpu: str | None = None,
        softgpu: str | None = None,
        store: Path | None = None,
        launch: Literal["direct", "hip"] | None = None,
        limit_seconds: float | None = None,
        limit_factor: float | None = None,
    ) -> results.PgoGenerateResult:
        """Replay the captured dispatches with counters in the kernel.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. The limit is ten times
            that here, because counters cost instructions. Default: 10.

        `exit_code` of the result:

        0: The raw profiles were written.
        """
        result: results.PgoGenerateResult = self._stage(
            results.PgoGenerateResult,
            "pgo-generate",
            reproducer,
            {
                "--capture": capture,
                "--device": device,
                "--gpu": gpu,
                "--softgpu": softgpu,
                "--store": store,
                "--launch": launch,
                "--limit-seconds": limit_seconds,
                "--limit-factor": limit_factor,
            },
        )
        return result

    def pgo_merge(
        self,
        reproducer: Path | None = None,
        *,
        input: Path | Sequence[Path] | None = None,
        mixed_sampling: bool | None = None,
    ) -> results.PgoMergeResult:
        """Merge raw profiles into one that the compiler reads, with uniformity and wave visits.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        input: A raw or indexed profile, or a folder of them; "runs/a,3" gives it weight 3. Relative to the working folder.
            Default: pgo/raw of the reproducer.
        mixed_sampling: Merge profiles even if they sampled different shares of the run. Default: false.

        `exit_code` of the result:

        0: The merged profile was written.
        """
        result: results.PgoMergeResult = self._stage(
            results.PgoMergeResult,
            "pgo-merge",
            reproducer,
            {
                "--input": input,
                "--mixed-sampling": mixed_sampling,
            },
        )
        return result

    def pgo_build(
        self,
        reproducer: Path | None = None,
        *,
        compile_limit_seconds: float | None = None,
    ) -> results.PgoBuildResult:
        """Build a kernel with its profile, once for each spill-placement gate.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        compile_limit_seconds: End each compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The variants were built.
        """
        result: results.PgoBuildResult = self._stage(
            results.PgoBuildResult,
            "pgo-build",
            reproducer,
            {
                "--compile-limit-seconds": compile_limit_seconds,
            },
        )
        return result

    def pgo_use(
        self,
        reproducer: Path | None = None,
        *,
        capture: str | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        gpu: str | None = None,
        softgpu: str | None = None,
        store: Path | None = None,
        launch: Literal["direct", "hip"] | None = None,
        limit_factor: float | None = None,
        limit_seconds: float | None = None,
        iterations: int | None = None,
    ) -> results.PgoUseResult:
        """Validate and measure what pgo-build built. Keep the best, unless it is wrong or slower.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        iterations: On hardware, how many times to replay each variant and the captured code, in turns. Default: 30.

        `exit_code` of the result:

        0: The best variant was found, or none is better.
        """
        result: results.PgoUseResult = self._stage(
            results.PgoUseResult,
            "pgo-use",
            reproducer,
            {
                "--capture": capture,
                "--device": device,
                "--gpu": gpu,
                "--softgpu": softgpu,
                "--store": store,
                "--launch": launch,
                "--limit-factor": limit_factor,
                "--limit-seconds": limit_seconds,
                "--iterations": iterations,
            },
        )
        return result

    def pgo_app_instrument(
        self,
        app: Path | None = None,
        *,
        link_argument: str | Sequence[str] | None = None,
        compile_limit_seconds: float | None = None,
        sample: str | None = None,
        slots: int | None = None,
        uniform: Literal["branch", "full-mask"] | None = None,
        skip_guards: bool | None = None,
    ) -> results.PgoAppInstrumentResult:
        """Build an app again, with counters in its kernels.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        link_argument: More linker arguments, if those in CMake's link.txt are not enough: -lname, or a library file.
        compile_limit_seconds: End each compilation after this time. Default: 600.
        sample: Who counts. all: every workgroup. blocks:N: one workgroup in N (a power of two). launches:N: one launch in N.
            sparse:N: one workgroup in N of the first 4,096 launches, then of one launch in 8. The others run a copy without
            counters. Default: "sparse:32".
        slots: Copies of each counter, a power of two. More copies mean less waiting between waves. Merging adds them up.
            Default: 256.
        uniform: When a block is uniform. branch: every lane that was at the branch before it reaches it. full-mask: a full wave
            reaches it, as in the RFC. Default: "branch".
        skip_guards: Leave out kernels without branches, and kernels whose only branch guards everything else. Default: false.

        `exit_code` of the result:

        0: The instrumented program was built.
        """
        result: results.PgoAppInstrumentResult = self._stage(
            results.PgoAppInstrumentResult,
            "pgo-app-instrument",
            app,
            {
                "--link-argument": link_argument,
                "--compile-limit-seconds": compile_limit_seconds,
                "--sample": sample,
                "--slots": slots,
                "--uniform": uniform,
                "--skip-guards": skip_guards,
            },
        )
        return result

    def pgo_app_generate(
        self,
        app: Path | None = None,
        *,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        time_limit_seconds: float | None = None,
    ) -> results.PgoAppGenerateResult:
        """Run the instrumented app and collect the raw profiles of its kernels.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which
            HIP 5.2 knows the first two. Default: "gfx90a".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        time_limit_seconds: End the app after this time. 0: no limit. Default: 0.

        `exit_code` of the result:

        0: The raw profiles were written.
        """
        result: results.PgoAppGenerateResult = self._stage(
            results.PgoAppGenerateResult,
            "pgo-app-generate",
            app,
            {
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--time-limit-seconds": time_limit_seconds,
            },
        )
        return result

    def pgo_app_merge(
        self,
        app: Path | None = None,
        *,
        input: Path | Sequence[Path] | None = None,
        mixed_sampling: bool | None = None,
    ) -> results.PgoAppMergeResult:
        """Merge the raw profiles of an app into one that the compiler reads.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        input: A raw or indexed profile, or a folder of them; "runs/a,3" gives it weight 3. Relative to the working folder.
            Default: what pgo-app-generate collected.
        mixed_sampling: Merge profiles even if they sampled different shares of the run. Default: false.

        `exit_code` of the result:

        0: The merged profile was written.
        """
        result: results.PgoAppMergeResult = self._stage(
            results.PgoAppMergeResult,
            "pgo-app-merge",
            app,
            {
                "--input": input,
                "--mixed-sampling": mixed_sampling,
            },
        )
        return result

    def pgo_app_build(
        self,
        app: Path | None = None,
        *,
        link_argument: str | Sequence[str] | None = None,
        compile_limit_seconds: float | None = None,
        gate: Literal["off", "uniform", "flatten", "wave"] | Sequence[Literal["off", "uniform", "flatten", "wave"]] | None = None,
    ) -> results.PgoAppBuildResult:
        """Build an app with its kernel profile, once for each spill-placement gate.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        link_argument: More linker arguments, if those in CMake's link.txt are not enough: -lname, or a library file.
        compile_limit_seconds: End each compilation after this time. Default: 600.
        gate: Spill-placement gates to build, for pgo-app-use to choose from. Not for CUDA. Default:
            ["off","uniform","flatten","wave"].

        `exit_code` of the result:

        0: The builds are ready.
        """
        result: results.PgoAppBuildResult = self._stage(
            results.PgoAppBuildResult,
            "pgo-app-build",
            app,
            {
                "--link-argument": link_argument,
                "--compile-limit-seconds": compile_limit_seconds,
                "--gate": gate,
            },
        )
        return result

    def pgo_app_use(
        self,
        app: Path | None = None,
        *,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        rounds: int | None = None,
        time_limit_seconds: float | None = None,
    ) -> results.PgoAppUseResult:
        """Compare the profiled builds with the app itself, and keep the best one.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which
            HIP 5.2 knows the first two. Default: "gfx90a".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        rounds: On hardware, how many times to run each build, in turns. A build wins if its slowest run beats the fastest run
            of the others. Default: 5.
        time_limit_seconds: End each run of the app after this time. 0: no limit. Default: 0.

        `exit_code` of the result:

        0: The best build was found, or none is better.
        """
        result: results.PgoAppUseResult = self._stage(
            results.PgoAppUseResult,
            "pgo-app-use",
            app,
            {
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--rounds": rounds,
                "--time-limit-seconds": time_limit_seconds,
            },
        )
        return result

    def pgo_runtime(
        self,
        app: Path | None = None,
        *,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        phase: Literal["auto", "measure", "production", "build"] | None = None,
        measure_launches: int | None = None,
        sample_one_in: int | None = None,
        window: int | None = None,
        bound: float | None = None,
        gate: Literal["off", "uniform", "flatten", "wave"] | Sequence[Literal["off", "uniform", "flatten", "wave"]] | None = None,
        compile_limit_seconds: float | None = None,
        time_limit_seconds: float | None = None,
    ) -> results.PgoRuntimeResult:
        """Run an app that compiles kernels at run time: measure them, then use their profiles.

        app: Folder of the app: where kernloop.json is, or any folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which
            HIP 5.2 knows the first two. Default: "gfx90a".
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        phase: auto: measure code that has no profile, then run with the profile, and measure again if the workload changes.
            measure: count every launch and use no profile. production: use earlier builds and count nothing. build: run
            nothing; compile what a machine without clang measured, from its copied folder .kernloop/pgo/runtime. Default:
            "auto".
        measure_launches: How many launches of a kernel to count before building code from its profile. Default: 16.
        sample_one_in: In production, count one launch in this many, to see whether the workload has changed. 0: never. Default:
            64.
        window: How many counted launches to compare with the profile at a time. Default: 4.
        bound: How far they may be from the profile, in percent: half the sum of the differences in shares. Default: 5.
        gate: Spill-placement gates to build. The static scores choose one. Default: ["off","uniform","flatten","wave"].
        compile_limit_seconds: End each compilation after this time. Default: 600.
        time_limit_seconds: End the app after this time. 0: no limit. Default: 0.

        `exit_code` of the result:

        0: The app ran. The output says which code each kernel used.
        """
        result: results.PgoRuntimeResult = self._stage(
            results.PgoRuntimeResult,
            "pgo-runtime",
            app,
            {
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--phase": phase,
                "--measure-launches": measure_launches,
                "--sample-one-in": sample_one_in,
                "--window": window,
                "--bound": bound,
                "--gate": gate,
                "--compile-limit-seconds": compile_limit_seconds,
                "--time-limit-seconds": time_limit_seconds,
            },
        )
        return result

    def store(
        self,
        action: Literal["verify", "gc", "stats"],
        *,
        workspace: Path | None = None,
        store: Path | None = None,
        capture_root: Path | Sequence[Path] | None = None,
        grace_hours: float | None = None,
        keep_cached: bool | None = None,
        dry_run: bool | None = None,
    ) -> results.StoreResult:
        """Verify the chunk store, clean it up, or say what it holds.

        action: verify: read and hash every chunk. gc: remove what no capture needs. stats: say what the store holds, and for
            which captures.
        workspace: Any folder of the workspace. Default: ".".
        store: Chunk store. Default: the workspace's .kernloop/store.
        capture_root: Another folder with captures that use the store, such as a second workspace.
        grace_hours: gc keeps chunks that a capture wrote or reused within this time. Default: 24.
        keep_cached: gc also keeps chunks of captures in Nx's cache (.nx), because Nx may restore them. Default: true.
        dry_run: gc says what it would remove. It removes nothing. Default: false.

        `exit_code` of the result:

        0: Done. Nothing is wrong.
        1: Chunks are damaged or missing.
        """
        result: results.StoreResult = self._stage(
            results.StoreResult,
            "store",
            action,
            {
                "--workspace": workspace,
                "--store": store,
                "--capture-root": capture_root,
                "--grace-hours": grace_hours,
                "--keep-cached": keep_cached,
                "--dry-run": dry_run,
            },
        )
        return result

    def pack(
        self,
        capture: Path | None = None,
        *,
        output: Path | None = None,
        encrypt: Path | None = None,
        store: Path | None = None,
    ) -> results.PackResult:
        """Pack a capture, with every chunk it needs, into one file.

        capture: Folder of a reproducer, or of a capture. Default: ".".
        output: File to write. Default: `<kernel>.klcap` in the working folder, `<kernel>.klcap.age` where it is encrypted.
        encrypt: Encrypt the file for the age public keys in this file, one a line. Default: those of KERNLOOP_AGE_RECIPIENTS.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.

        `exit_code` of the result:

        0: The file was written.
        """
        result: results.PackResult = self._stage(
            results.PackResult,
            "pack",
            capture,
            {
                "--output": output,
                "--encrypt": encrypt,
                "--store": store,
            },
        )
        return result

    def unpack(
        self,
        file: Path,
        *,
        to: Path | None = None,
    ) -> results.UnpackResult:
        """Unpack a packed capture and verify every byte.

        file: File that `kernloop pack` wrote.
        to: Reproducer to unpack into (as its capture/), or a new folder. Default: the working folder if it is a reproducer or
            empty, otherwise a folder in it named after the file. Default: ".".

        `exit_code` of the result:

        0: The capture was unpacked, and every byte is verified.
        """
        result: results.UnpackResult = self._stage(
            results.UnpackResult,
            "unpack",
            file,
            {
                "--to": to,
            },
        )
        return result

    def push(
        self,
        capture: Path | None = None,
        *,
        remote: str | None = None,
        store: Path | None = None,
        encrypt: Path | None = None,
        accept: bool | None = None,
        dry_run: bool | None = None,
    ) -> results.PushResult:
        """Send the captures of a reproducer to a server, so that other machines can pull them.

        capture: Folder of a reproducer (all its captures are sent), or of one capture. Default: ".".
        remote: URL of the server; else KERNLOOP_REMOTE, else "store" in kernloop.json of the app.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        encrypt: Encrypt everything for the age public keys in this file, one a line, before it is sent. Default: those of
            KERNLOOP_AGE_RECIPIENTS.
        accept: Agree to this workspace's first unencrypted push to this server. The answer is remembered. Default: false.
        dry_run: Say what would be sent. Send nothing. Default: false.

        `exit_code` of the result:

        0: The server has everything.
        """
        result: results.PushResult = self._stage(
            results.PushResult,
            "push",
            capture,
            {
                "--remote": remote,
                "--store": store,
                "--encrypt": encrypt,
                "--accept": accept,
                "--dry-run": dry_run,
            },
        )
        return result

    def pull(
        self,
        source: str | None = None,
        *,
        to: Path | None = None,
        remote: str | None = None,
        store: Path | None = None,
    ) -> results.PullResult:
        """Fetch captures from a server and verify every byte.

        source: Folder of a reproducer with a pushed.json, or the reference that `kernloop push` printed. Default: ".".
        to: With a reference: the reproducer to put the capture into, or a new folder.
        remote: URL of the server; else KERNLOOP_REMOTE, else "store" in kernloop.json of the app.
        store: Chunk store to fetch into. Default: KERNLOOP_STORE, then the workspace's .kernloop/store.

        `exit_code` of the result:

        0: The captures were fetched, and every byte is verified.
        """
        result: results.PullResult = self._stage(
            results.PullResult,
            "pull",
            source,
            {
                "--to": to,
                "--remote": remote,
                "--store": store,
            },
        )
        return result

    def trace_run(
        self,
        reproducer: Path | None = None,
        *,
        variant: str | None = None,
        capture: str | None = None,
        device: Literal["softgpu", "hsa", "cuda"] | None = None,
        softgpu: str | None = None,
        gpu: str | None = None,
        store: Path | None = None,
        limit_factor: float | None = None,
        launch: Literal["direct", "hip"] | None = None,
        guard: bool | None = None,
        limit_seconds: float | None = None,
        recompile: bool | None = None,
        probe: str | None = None,
        output: Path | None = None,
        capacity: int | None = None,
        allow_callback: str | None = None,
        seed: int | None = None,
        threads: int | None = None,
    ) -> results.TraceRunResult:
        """Replay captured dispatches with probes in the kernel, and write a trace.

        reproducer: Folder of the reproducer: where kernel.json is, or any folder below it. Default: ".".
        variant: Code object to run instead of the captured one, relative to the reproducer. "none": the captured one. Default:
            what recompile built, or the captured one if nothing was edited.
        capture: Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all".
            Default: validate runs all, replay runs the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.
        gpu: Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.
        store: Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store.
        limit_factor: On the software GPU, end a replay once it executes this many times the wave-instructions of the captured
            dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. Default: 10.
        launch: Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP
            runtime, so that hidden arguments have working services behind them.
        guard: Make memory around the captured regions inaccessible, so that out-of-bounds accesses fault: to the byte on the
            software GPU, to the granule on hardware (stray writes within a granule are found afterwards). Default: false.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        recompile: Recompile the kernel first if it was edited since the last build. With --no-recompile an edit that is not
            built is an error. A task of Nx never does it: the task recompile runs before it. Default: true.
        probe: Probes to apply: a built-in one (block_sched, dmat, gmem_bytes, tensorop, program_progress) or a probe.toml file,
            relative to the reproducer or to the working folder. Default: "block_sched".
        output: Folder to create the trace folder in (<month><day>_<time>_<pid>). Default: trace/<probe> of the reproducer,
            whose earlier traces are replaced.
        capacity: Maximum records per thread or warp in dynamic maps. Records beyond it are dropped and counted. Default: as
            many as the counting run finds.
        allow_callback: Run the CALLBACK of the probe file, a Python program, on each result file. To allow it, give its name
            exactly as in the file.
        seed: Seed for the order of waves on the software GPU. Default: 1.
        threads: Host threads for the software GPU. Probes see each one as a compute unit with its own clock. Default: 1, which
            makes every run the same.

        `exit_code` of the result:

        0: The trace was written, and the kernel computed the same as without probes.
        1: The kernel computed something else with the probes in it.
        4: The device faulted, or the kernel exceeded its limit.
        """
        result: results.TraceRunResult = self._stage(
            results.TraceRunResult,
            "trace run",
            reproducer,
            {
                "--variant": variant,
                "--capture": capture,
                "--device": device,
                "--softgpu": softgpu,
                "--gpu": gpu,
                "--store": store,
                "--limit-factor": limit_factor,
                "--launch": launch,
                "--guard": guard,
                "--limit-seconds": limit_seconds,
                "--recompile": recompile,
                "--probe": probe,
                "--output": output,
                "--capacity": capacity,
                "--allow-callback": allow_callback,
                "--seed": seed,
                "--threads": threads,
            },
        )
        return result

    def trace_read(
        self,
        trace: Path,
        *,
        probe: Path | None = None,
        dialect: Literal["warp-div", "total", "unit", "hip-total"] | None = None,
        offsets: Literal["repaired", "recorded"] | None = None,
        clock_mhz: float | None = None,
    ) -> results.TraceReadResult:
        """Show what a trace holds: a Neutrino trace (files, cost of the probes, columns), or kernel events.

        trace: Trace folder, or one of its result files (.bin).
        probe: The probe.toml the trace was made with. Default: the one in its folder.
        dialect: Dialect of the result files, if several fit: CUDA since the DSL (warp-div), the first driver and HIP (total),
            CUDA in the artifact (unit), HIP since the DSL (hip-total).
        offsets: What to do with files that record wrong offsets (blocks that are not a multiple of a warp). repaired: read the
            maps where they really are. recorded: read them where the file says, as Neutrino does.
        clock_mhz: Clock rate of the device, for files exported by Iris whose processor is not known.

        `exit_code` of the result:

        0: Every file is consistent.
        1: A result file is not consistent; `error` says why.
        """
        result: results.TraceReadResult = self._stage(
            results.TraceReadResult,
            "trace read",
            trace,
            {
                "--probe": probe,
                "--dialect": dialect,
                "--offsets": offsets,
                "--clock-mhz": clock_mhz,
            },
        )
        return result

    def trace_gen(
        self,
        probe: Path | None = None,
        *,
        language: Literal["typescript", "python", "c"] | None = None,
        output: Path | None = None,
    ) -> results.TraceGenResult:
        """Generate code that reads the traces of a probe.toml, in TypeScript, Python or C.

        probe: The probe.toml of the traces to read. Default: "probe.toml".
        language: Language of the reader. Python needs NumPy; the others need nothing. Default: "python".
        output: File to write. Default: `read_trace` with the extension of the language, in the working folder.

        `exit_code` of the result:

        0: The file was written.
        """
        result: results.TraceGenResult = self._stage(
            results.TraceGenResult,
            "trace gen",
            probe,
            {
                "--language": language,
                "--output": output,
            },
        )
        return result

    def trace_export(
        self,
        trace: Path,
        *,
        probe: Path | None = None,
        dialect: Literal["warp-div", "total", "unit", "hip-total"] | None = None,
        offsets: Literal["repaired", "recorded"] | None = None,
        format: Literal["parquet", "arrow", "jsonl", "csv", "perfetto", "chrome", "html"] | None = None,
        ranks: Path | Sequence[Path] | None = None,
        profile: Path | None = None,
        clock_mhz: float | None = None,
        unaligned: bool | None = None,
        output: Path | None = None,
        skip_empty: bool | None = None,
    ) -> results.TraceExportResult:
        """Export a trace: probe records as tables, kernel events as one timeline.

        trace: Trace folder, or one of its result files (.bin).
        probe: The probe.toml the trace was made with. Default: the one in its folder.
        dialect: Dialect of the result files, if several fit: CUDA since the DSL (warp-div), the first driver and HIP (total),
            CUDA in the artifact (unit), HIP since the DSL (hip-total).
        offsets: What to do with files that record wrong offsets (blocks that are not a multiple of a warp). repaired: read the
            maps where they really are. recorded: read them where the file says, as Neutrino does.
        format: File format. Records of probes become one file for each map: parquet (default), arrow, jsonl, csv. Events of
            kernels become one timeline: perfetto (default), chrome (JSON), html (a summary).
        ranks: Event files of the other ranks, to show all ranks on one timeline.
        profile: profile.json of the same run, to add its launches to the timeline.
        clock_mhz: Clock rate of the device, for files exported by Iris whose processor is not known.
        unaligned: Show ranks even if nothing relates their clocks. You then cannot tell which rank was first. Default: false.
        output: Folder to write to. Files are named `<result>.<map>.<format>`. Default: ".".
        skip_empty: Leave out slots that are all zero: no probe wrote there, or it wrote only zeros. Default: false.

        `exit_code` of the result:

        0: The files were written.
        """
        result: results.TraceExportResult = self._stage(
            results.TraceExportResult,
            "trace export",
            trace,
            {
                "--probe": probe,
                "--dialect": dialect,
                "--offsets": offsets,
                "--format": format,
                "--ranks": ranks,
                "--profile": profile,
                "--clock-mhz": clock_mhz,
                "--unaligned": unaligned,
                "--output": output,
                "--skip-empty": skip_empty,
            },
        )
        return result

    def trace_analyze(
        self,
        trace: Path,
        *,
        probe: Path | None = None,
        dialect: Literal["warp-div", "total", "unit", "hip-total"] | None = None,
        offsets: Literal["repaired", "recorded"] | None = None,
        map: str | None = None,
        analysis: Literal["block-sched", "heat-map", "totals", "progress"] | None = None,
        field: str | Sequence[str] | None = None,
        bins: int | None = None,
        page_bytes: int | None = None,
        align_clocks: bool | None = None,
        clock_mhz: float | None = None,
        output: Path | None = None,
    ) -> results.TraceAnalyzeResult:
        """Analyse a trace: block schedules, memory access over time, totals, progress of threads.

        trace: Trace folder, or one of its result files (.bin).
        probe: The probe.toml the trace was made with. Default: the one in its folder.
        dialect: Dialect of the result files, if several fit: CUDA since the DSL (warp-div), the first driver and HIP (total),
            CUDA in the artifact (unit), HIP since the DSL (hip-total).
        offsets: What to do with files that record wrong offsets (blocks that are not a multiple of a warp). repaired: read the
            maps where they really are. recorded: read them where the file says, as Neutrino does.
        map: Map to analyse. Default: all.
        analysis: Kind of analysis. block-sched: blocks by processor and time. heat-map: pages by time. totals: sums of counts.
            progress: threads by time. Default: what the field names of the map suggest.
        field: Which field holds the start, elapsed time, processor, clock or address: `clock=cycles`. Default: found by name.
        bins: Number of time intervals. Default: 128.
        page_bytes: Page size of the heat map in bytes, a power of two. Default: such that all arrays of the kernel take about
            64 pages, of 256 bytes to 64 KiB; 64 KiB if the trace does not tell them.
        align_clocks: Start every processor of block-sched at 0, for processors whose clocks differ. Default: false.
        clock_mhz: Rate of the clock that the probes read. Times in the Perfetto file are then nanoseconds. Default: cycles.
        output: Folder for plots (SVG), tables (JSON) and tracks (.pftrace, for ui.perfetto.dev). Default: write none.

        `exit_code` of the result:

        0: Done.
        """
        result: results.TraceAnalyzeResult = self._stage(
            results.TraceAnalyzeResult,
            "trace analyze",
            trace,
            {
                "--probe": probe,
                "--dialect": dialect,
                "--offsets": offsets,
                "--map": map,
                "--analysis": analysis,
                "--field": field,
                "--bins": bins,
                "--page-bytes": page_bytes,
                "--align-clocks": align_clocks,
                "--clock-mhz": clock_mhz,
                "--output": output,
            },
        )
        return result

    def report(
        self,
        reproducer: Path | None = None,
        *,
        trace: Path | None = None,
        workspace: Path | None = None,
        ranks: Path | Sequence[Path] | None = None,
        clock_mhz: float | None = None,
        unaligned: bool | None = None,
        output: Path | None = None,
    ) -> results.ReportResult:
        """Put what is known of a reproducer, a trace or a workspace onto one page that can be sent.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        trace: Make the page of a trace instead: a file of events, or the folder of a trace of probes.
        workspace: Make the page of a workspace instead: every reproducer in kernels/ of this folder, and the profiles of its
            apps.
        ranks: Event files of the other ranks, to show all ranks on one timeline.
        clock_mhz: Clock rate of the device, for files exported by Iris whose processor is not known.
        unaligned: Show ranks even if nothing relates their clocks. You then cannot tell which rank was first. Default: false.
        output: The page. If left out: build/report.html of the reproducer, .kernloop/report.html of the workspace, or
            <name>.report.html beside the trace.

        `exit_code` of the result:

        0: The page is written.
        """
        result: results.ReportResult = self._stage(
            results.ReportResult,
            "report",
            reproducer,
            {
                "--trace": trace,
                "--workspace": workspace,
                "--ranks": ranks,
                "--clock-mhz": clock_mhz,
                "--unaligned": unaligned,
                "--output": output,
            },
        )
        return result

    def doctor(
        self,
        *,
        app: Path | None = None,
    ) -> results.DoctorResult:
        """Check what this machine has for Kernloop, and what is missing.

        app: Also check this app: can the capture agent get into its processes?

        `exit_code` of the result:

        0: Nothing is missing.
        5: Something is missing. The list says what.
        """
        result: results.DoctorResult = self._stage(
            results.DoctorResult,
            "doctor",
            None,
            {
                "--app": app,
            },
        )
        return result
