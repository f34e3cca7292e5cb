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

    def watch_build(
        self,
        command: str | Sequence[str] | None = None,
        *,
        app: Path | None = None,
    ) -> results.WatchBuildResult:
        """Watch the build of an app that has no compile database, and write one.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        command: What builds the app, run in its folder, as words behind --: `kernloop watch-build -- make -j8`; "build" of
            kernloop.json if left out.

        `exit_code` of the result:

        0: The app is built, and its compile database written.
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
        output: Path | None = None,
        launches: bool | None = None,
        top: int | None = None,
    ) -> results.ProfileResult:
        """Rank the kernels that an app launches.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        build: Run the app's build command first. Default: true.
        linger_seconds: Seconds to wait for processes of the app that go on after its command has ended; less where all is
            captured before. Default: 10.
        time_limit_seconds: End the app after this time; 0 is no limit. Default: 0.
        output: The profile; .kernloop/profile.json of the app if left out.
        launches: Keep when each launch ran (the first 20,000), for `kernloop trace export --profile`; CUDA only. Default:
            false.
        top: Kernels to print; the file has all of them. Default: 20.

        `exit_code` of the result:

        0: The app ran, and its launches were counted.
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
                "--output": output,
                "--launches": launches,
                "--top": top,
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
        max_bytes: int | None = None,
        inline_limit_bytes: int | None = None,
        memory_bytes: int | None = None,
        dry_run: bool | None = None,
        drain_limit_ms: int | None = None,
        run_limit_ms: int | None = None,
        untracked_memory: Literal["warn", "refuse"] | None = None,
        store: Path | None = None,
    ) -> results.CaptureResult:
        """Capture dispatches of kernels out of a run of an app.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        build: Run the app's build command first. Default: true.
        linger_seconds: Seconds to wait for processes of the app that go on after its command has ended; less where all is
            captured before. Default: 10.
        time_limit_seconds: End the app after this time; 0 is no limit. Default: 0.
        kernel: Kernels of kernloop.json to capture; all declared ones if left out.
        match: Capture by this regular expression instead of what kernloop.json declares for the kernel.
        whole_name: The expression is to match a name from end to end; overrides kernloop.json.
        ordinal: Which matching dispatch, counted from 1; overrides kernloop.json.
        dispatch: Which matching dispatches: numbers and ranges as in "2,5,9-12,20-", or "last" or "last:3"; overrides
            kernloop.json.
        each: Of those dispatches every one, the first of each kernel and launch geometry, or the first of each kernel;
            overrides kernloop.json.
        limit: The most captures to take of a kernel, 16 if left out; overrides kernloop.json.
        after: Start to count dispatches after one of a kernel whose name this expression matches; overrides kernloop.json.
        after_count: Start after so many of them; overrides kernloop.json.
        scope: Memory to capture; overrides kernloop.json.
        output: Folder of the capture, for a single kernel; kernels/<app>/<kernel>/capture if left out. Further captures of it:
            <folder>s/<ordinal>.
        self_check: Replay the capture after the app has exited, and compare with what the app computed. Default: true.
        max_bytes: Refuse a capture of more raw bytes of memory than this, before any is written; 0 is no limit. Default:
            8589934592.
        inline_limit_bytes: Captures larger than this (stored) keep their chunks in the store. Default: 268435456.
        memory_bytes: Host memory for a snapshot on its way to the disk, whatever its size; at least 4194304, a chunk. Default:
            268435456.
        dry_run: Run the app and say what captures of the selected dispatches would hold and take, but write none. Default:
            false.
        drain_limit_ms: Time to wait for work in flight before the dispatch. Default: 10000.
        run_limit_ms: Time for the captured dispatch itself. Default: 60000.
        untracked_memory: A kernel argument that leads to GPU memory which nobody was seen to allocate, as unused parts of
            structures do: capture with a warning, and let the self-check tell whether it is used, or refuse the dispatch.
            Default: "warn".
        store: Chunk store; the workspace's .kernloop/store if left out.

        `exit_code` of the result:

        0: Everything that was asked for is captured; where the app itself failed after that, its exit code instead.
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
        """Generate the pristine files of a kernel's reproducer from its capture.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        kernel: Kernel of kernloop.json whose capture is read.
        translation_unit: Source file that is compiled for the kernel, relative to the app, where several define it.
        define: Macro to define when the source is compiled, beside those of the build: NAME or NAME=VALUE.
        language: Language of the kernel, where it is not what it is taken for: hip or cuda search the C++ sources, triton takes
            what Triton was seen to compile in the app.
        compile_limit_seconds: End a compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The files are there.
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
        reset: bool | None = None,
        recapture: bool | None = None,
        self_check: bool | None = None,
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
        """Capture, generate and adopt: kernels of an app become projects of their own.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        build: Run the app's build command first. Default: true.
        linger_seconds: Seconds to wait for processes of the app that go on after its command has ended; less where all is
            captured before. Default: 10.
        time_limit_seconds: End the app after this time; 0 is no limit. Default: 0.
        kernel: Kernels of kernloop.json to extract; all declared ones if left out.
        reset: Bring files that differ back to what was generated; files that are not in pristine/ stay. Default: false.
        recapture: Capture again even where a complete capture of the same program and selection is there. Default: false.
        self_check: Replay the capture after the app has exited, and compare with what the app computed. Default: true.
        max_bytes: Refuse a capture of more raw bytes of memory than this, before any is written; 0 is no limit. Default:
            8589934592.
        inline_limit_bytes: Captures larger than this (stored) keep their chunks in the store. Default: 268435456.
        memory_bytes: Host memory for a snapshot on its way to the disk, whatever its size; at least 4194304, a chunk. Default:
            268435456.
        drain_limit_ms: Time to wait for work in flight before the dispatch. Default: 10000.
        run_limit_ms: Time for the captured dispatch itself. Default: 60000.
        untracked_memory: A kernel argument that leads to GPU memory which nobody was seen to allocate, as unused parts of
            structures do: capture with a warning, and let the self-check tell whether it is used, or refuse the dispatch.
            Default: "warn".
        store: Chunk store; the workspace's .kernloop/store if left out.
        translation_unit: Source file that is compiled for the kernel, relative to the app, where several define it.
        define: Macro to define when the source is compiled, beside those of the build: NAME or NAME=VALUE.
        language: Language of the kernel, where it is not what it is taken for: hip or cuda search the C++ sources, triton takes
            what Triton was seen to compile in the app.
        compile_limit_seconds: End a compilation after this time. Default: 600.

        `exit_code` of the result:

        0: Every kernel has its reproducer; where the app itself failed after it was captured, its exit code instead.
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
                "--reset": reset,
                "--recapture": recapture,
                "--self-check": self_check,
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
        """Copy what does not exist yet out of the pristine files of a reproducer.

        reproducer: Folder of the reproducer: the one with pristine/. Default: ".".
        reset: Bring files that differ back to what was generated; files that are not in pristine/ stay. Default: false.

        `exit_code` of the result:

        0: Every file is there; what differs is named, and stays.
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

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        line_info: Have the code name the lines of the source, for `kernloop replay --hot-spots`.
        compile_limit_seconds: End the compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The code object is there.
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
        dump: Path | None = None,
        dump_only: str | Sequence[str] | None = None,
        dump_time: Literal["post", "pre"] | None = None,
        lens: Path | None = None,
        lens_output: Path | None = None,
    ) -> results.ReplayResult:
        """Replay a captured dispatch, or a variant of it.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        variant: Code object to run in place of the captured one, relative to the reproducer; "none" for the captured one. If
            left out: what recompile built, or the captured one where nothing was edited.
        capture: Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>),
            or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        limit_factor: On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch
            (at least one million). Default: 10.
        launch: On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP
            runtime, which fills hidden arguments with services behind them.
        guard: Close what lies around the captured regions to the kernel, so that an access there faults: every byte on the
            software GPU, whole granules on hardware, where writes inside of them are found afterwards. Default: false.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        compare: Replay the captured code as well, in turns with the variant, and show both, and whether each leaves in memory
            what the app computed; on hardware also whether the variant is faster, slower or neither measurably. Default: false.
        iterations: How often the dispatch is replayed and measured; if left out, once on the software GPU and 30 times on
            hardware.
        warmup: Replays before the counted ones; if left out, none on the software GPU and 3 on hardware.
        cache: On hardware, what the caches hold when the kernel starts: what a launch of it directly before left there, as in a
            loop of the app (warm; on cuda, if left out); nothing of it (cold); or what restoring left there (as-is; on hsa, if
            left out). The software GPU has no caches.
        seed: Wave order of the software GPU; 1 if left out.
        threads: Host threads of the software GPU; one gives the same order each time.
        grid: Launch so many blocks instead of the captured ones: X[,Y[,Z]].
        block: Launch blocks of so many threads instead: X[,Y[,Z]].
        dynamic_shared: Bytes of dynamic shared memory (LDS) of a block instead of the captured ones.
        arg: Another value for a kernel argument: NAME=VALUE or INDEX=VALUE (from 0), its type by the signature; NAME:TYPE=VALUE
            where that tells none (ptr, f32, i64, …). Pointers in hex.
        hot_spots: On the software GPU, show the lines of the source, or where the code has no line information the
            instructions, that did most. Default: false.
        hot_spots_by: What hot spots are ordered by: wave-instructions, active lanes, memory transactions, LDS conflicts, splits
            of a wave by control flow, bytes of private memory; or the instructions that branch or split a wave, each of its
            own, by the splits (branches). Default: "executed".
        dump: Write device memory into this folder: a raw file for each region and module variable, and dump.json; never over a
            file.
        dump_only: Dump these regions and module variables only.
        dump_time: Dump what the dispatch left (post, if left out) or what it started from.
        lens: File that names what of the variant is a lens's and not the kernel's: module variables, buffers, added parameters.
            It is put back before each replay, read back after the last one and never judged; the limit of a hang is ten times
            as far.
        lens_output: Folder for what the lens held after the last replay, a raw file each, and lens.json; never over a file.

        `exit_code` of the result:

        0: It ran.
        4: The device faulted, or the kernel ran past its limit.
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
        racecheck: bool | None = None,
        initcheck: bool | None = None,
        memcheck: bool | None = None,
        verbose: bool | None = None,
    ) -> results.ValidateResult:
        """Replay a variant and compare device memory with what the app computed.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        variant: Code object to run in place of the captured one, relative to the reproducer; "none" for the captured one. If
            left out: what recompile built, or the captured one where nothing was edited.
        capture: Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>),
            or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        limit_factor: On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch
            (at least one million). Default: 10.
        launch: On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP
            runtime, which fills hidden arguments with services behind them.
        guard: Close what lies around the captured regions to the kernel, so that an access there faults: every byte on the
            software GPU, whole granules on hardware, where writes inside of them are found afterwards. Default: false.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        replays: Replays to compare, each with another wave order and poison pattern. Default: 2.
        adverse: On the software GPU, replay once more in an order of waves that is made to show races, and check for them: what
            the captured code does not have fails. Default: true.
        atol: Elements may differ by atol + rtol * |what the app computed|. Without any tolerance, every byte must be equal.
        rtol: See atol.
        ulp: Floating-point elements may also differ by so many units in the last place.
        matched_ratio: Share of the elements of each typed range that must be within the tolerance, 0 to 1; all, if left out.
            Never excuses a NaN or an infinity in place of a number.
        nan: Where the app computed a NaN: it must be a NaN too (match, if left out); it fails whatever it is, and so does any
            other NaN (refuse); it passes whatever it is (ignore). A NaN in place of a number always fails.
        inf: The same for an infinity, which matches only one of its sign.
        dtype: Element types for the tolerance: "r3=f32" (a region, pointer parameter or module variable; "r3:OFFSET:SIZE=f32"
            for a part), or "f32" for all that the kernel changed and no pointer argument types. A type of another size or kind
            than the signature says is refused.
        force_dtype: Take the word of --dtype also against the signature; the verdict says so. Default: false.
        record: Bytes of one record in an array that threads fill in any order: "out=8" (a region, pointer parameter or module
            variable). For where the self-check cannot tell; "record_bytes" of an argument in kernel.json keeps it.
        racecheck: On cuda, replay once more under the racecheck of compute-sanitizer: a race in shared memory that the captured
            code has not fails. Default: false.
        initcheck: The same with its initcheck: reads of global memory that nobody has written. Default: false.
        memcheck: The same with its memcheck: accesses outside of allocations. Default: false.
        verbose: Show every region that the kernel changed also where all is right. Default: false.

        `exit_code` of the result:

        0: Memory is what the app computed.
        1: It is not, or the variant could not be launched as the app does.
        3: Nothing was compared that says anything.
        4: The device faulted, or the kernel ran past its limit.
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
        replays: int | None = None,
        adverse: bool | None = None,
        fresh: bool | None = None,
        apply: bool | None = None,
        compile_limit_seconds: float | None = None,
    ) -> results.TuneResult:
        """Try configurations of a kernel on its captured inputs: each is judged as by validate, and the best is named.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        capture: Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>),
            or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        launch: On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP
            runtime, which fills hidden arguments with services behind them.
        limit_factor: On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch
            (at least one million). Default: 10.
        limit_seconds: On hardware, end a replay of a candidate after this time. Default: 10.
        set: A parameter and the values to try: "BLOCK=64,128,256". Of Triton one of CONSTEXPRS or OPTIONS; of C++ a constant or
            macro of the source, a macro to compile it with, a scalar argument, or a name in the formulas of the launch.
        constraint: A condition that every configuration has to fulfil: "BLOCK % num_warps == 0 and BLOCK * 4 <= 65536".
        grid: Of C++: blocks to launch, a formula X[,Y[,Z]] ("ceil(n / BLOCK)"); if left out and the block is another, as many
            as hold the captured threads. Of Triton, grid() of reproducer.py says it.
        block: Of C++: threads of a block, a formula X[,Y[,Z]].
        dynamic_shared: Of C++: bytes of dynamic shared memory (LDS) of a block, a formula.
        argument: Of C++: another value for a scalar argument, NAME=FORMULA.
        search: Try every configuration, or some that a seed draws. Default: "grid".
        samples: How many the random search draws. Default: 50.
        seed: Of the random search. Default: 1.
        max_candidates: Refuse a full grid of more configurations than these. Default: 1000.
        jobs: Compilations at a time; as many as there are cores, if left out.
        iterations: On hardware, how often each candidate and the captured code are replayed in turns; 30 if left out.
        atol: Elements may differ by atol + rtol * |what the app computed|. Without any tolerance, every byte must be equal.
        rtol: See atol.
        ulp: Floating-point elements may also differ by so many units in the last place.
        matched_ratio: Share of the elements of each typed range that must be within the tolerance, 0 to 1; all, if left out.
            Never excuses a NaN or an infinity in place of a number.
        nan: Where the app computed a NaN: it must be a NaN too (match, if left out); it fails whatever it is, and so does any
            other NaN (refuse); it passes whatever it is (ignore). A NaN in place of a number always fails.
        inf: The same for an infinity, which matches only one of its sign.
        dtype: Element types for the tolerance: "r3=f32" (a region, pointer parameter or module variable; "r3:OFFSET:SIZE=f32"
            for a part), or "f32" for all that the kernel changed and no pointer argument types. A type of another size or kind
            than the signature says is refused.
        record: Bytes of one record in an array that threads fill in any order: "out=8" (a region, pointer parameter or module
            variable). For where the self-check cannot tell; "record_bytes" of an argument in kernel.json keeps it.
        replays: Replays to compare, each with another wave order and poison pattern. Default: 2.
        adverse: On the software GPU, replay once more in an order of waves that is made to show races, and check for them: what
            the captured code does not have fails. Default: true.
        fresh: Build and measure also what earlier runs have done. Default: false.
        apply: Write the best configuration into the reproducer, show the difference, and validate it there. Default: false.
        compile_limit_seconds: End a compilation after this time. Default: 600.

        `exit_code` of the result:

        0: It is known which configuration is best, or that none is better than the source as it is.
        1: No configuration passes.
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
                "--replays": replays,
                "--adverse": adverse,
                "--fresh": fresh,
                "--apply": apply,
                "--compile-limit-seconds": compile_limit_seconds,
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
        """Show what the profile of a kernel says: counts, wave visits, uniformity and spills, block by block.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        spills: Whose spills to show; if left out, those of the variant that pgo-use kept, or else of "off" (CUDA: "use").
        all: Show the other functions of the profile, too, not only the captured kernel. Default: false.
        source: Show the source with the figures beside its lines, instead of a table. Default: false.

        `exit_code` of the result:

        0: It is shown.
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
        """Build the kernel of a reproducer with counters in it, for pgo-generate.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        sample: Who counts: all, or blocks:N, one workgroup in N (a power of two), chosen by a hash of its place; the others run
            a copy without counters. Default: "all".
        slots: Copies of each counter, a power of two, so that waves do not wait for each other; merging adds them up. Default:
            256.
        uniform: What a uniform block is: one that all lanes reach which were at the branch that leads to it (branch), or which
            a full wave reaches (full-mask, as in the RFC). Default: "branch".
        skip_guards: Leave out kernels without a branch, and those whose only branch guards all the rest. Default: false.
        compile_limit_seconds: End the compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The instrumented code is there.
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
        """Replay the captured dispatches with counters in the kernel, and write raw profiles.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        capture: Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>),
            or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        launch: On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP
            runtime, which fills hidden arguments with services behind them.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        limit_factor: On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch
            (at least one million), ten times as far since counters add to them. Default: 10.

        `exit_code` of the result:

        0: The raw profiles are there.
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
        """Add up raw profiles to one that the compiler reads, with uniformity and wave visits beside it.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        input: A raw or indexed profile, or a folder of them, with its weight behind a comma if that is not 1 ("runs/a,3");
            relative to the working folder. If left out, pgo/raw of the reproducer.
        mixed_sampling: Add up profiles although they stand for different shares of a run. Default: false.

        `exit_code` of the result:

        0: The merged profile is there.
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
        """Build the kernel of a reproducer by its profile, under each gate of spill placement, for pgo-use.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        compile_limit_seconds: End each compilation after this time. Default: 600.

        `exit_code` of the result:

        0: The variants are there.
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
        """Judge and measure what pgo-build built, and keep the best: never a wrong variant, nor a slower one.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        capture: Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>),
            or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        launch: On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP
            runtime, which fills hidden arguments with services behind them.
        limit_factor: On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch
            (at least one million). Default: 10.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        iterations: On hardware, how often each variant and the captured code are replayed in turns; 30 if left out.

        `exit_code` of the result:

        0: It is known which one is best, or that none is.
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
        """Build an app once more from its compile database, with counters in its kernels.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        link_argument: More for the linker, where what CMake says of the app's program (link.txt) does not do: -lname, a
            library.
        compile_limit_seconds: End each compilation after this time. Default: 600.
        sample: Who counts: all; blocks:N, one workgroup in N (a power of two); launches:N, one launch in N; or sparse:N, one
            workgroup in N of the first 4,096 launches and of one launch in 8 behind those; the others run a copy without
            counters. Default: "sparse:32".
        slots: Copies of each counter, a power of two, so that waves do not wait for each other; merging adds them up. Default:
            256.
        uniform: What a uniform block is: one that all lanes reach which were at the branch that leads to it (branch), or which
            a full wave reaches (full-mask, as in the RFC). Default: "branch".
        skip_guards: Leave out kernels without a branch, and those whose only branch guards all the rest. Default: false.

        `exit_code` of the result:

        0: The instrumented program is there.
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
        """Run the instrumented program of an app, and collect the raw profiles of its kernels.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        time_limit_seconds: End the app after this time; 0 is no limit. Default: 0.

        `exit_code` of the result:

        0: The raw profiles are there.
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
        """Add up the raw profiles of an app to one that the compiler reads, with wave visits beside it.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        input: A raw or indexed profile, or a folder of them, with its weight behind a comma if that is not 1 ("runs/a,3");
            relative to the working folder. If left out, what pgo-app-generate collected.
        mixed_sampling: Add up profiles although they stand for different shares of a run. Default: false.

        `exit_code` of the result:

        0: The merged profile is there.
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
        """Build an app by the profile of its kernels, under each gate of spill placement, for pgo-app-use.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        link_argument: More for the linker, where what CMake says of the app's program (link.txt) does not do: -lname, a
            library.
        compile_limit_seconds: End each compilation after this time. Default: 600.
        gate: Which gates of spill placement to build, for pgo-app-use to choose from; CUDA has none. Default:
            ["off","uniform","flatten","wave"].

        `exit_code` of the result:

        0: The builds are there.
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
        """Run the builds of an app by its profile beside the app, and keep the one that executes least, if one is better.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        rounds: On hardware, how often each build is run, in turns: a build is kept where its slowest run is faster than the
            fastest of the others. Default: 5.
        time_limit_seconds: End each run of the app after this time; 0 is no limit. Default: 0.

        `exit_code` of the result:

        0: It is known which build is best, or that none is.
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
        """Run an app that compiles its kernels at run time: measure them, then run them by their profile.

        app: Folder of the app: the one with kernloop.json, or a folder below it. Default: ".".
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        phase: auto: measure what no profile is known of, then run by it, and measure again when the workload changes; measure:
            count every launch, and use nothing; production: use what was built before, and count nothing; build: run nothing,
            and compile what a machine without clang asked for and measured, whose folder .kernloop/pgo/runtime of the app was
            copied here. Default: "auto".
        measure_launches: How many launches of a kernel are counted before code is made of them. Default: 16.
        sample_one_in: In production the first of so many launches of each kernel is counted, to see whether the workload is
            still the measured one; 0: none. Default: 64.
        window: How many counted launches are compared with the profile at a time. Default: 4.
        bound: How far they may be from the profile, in percent: half the sum of the differences of shares. Default: 5.
        gate: Which gates of spill placement to build and to choose from, by their static scores. Default:
            ["off","uniform","flatten","wave"].
        compile_limit_seconds: End each compilation after this time. Default: 600.
        time_limit_seconds: End the app after this time; 0 is no limit. Default: 0.

        `exit_code` of the result:

        0: The app ran, and it is said which code each of its kernels ran in.
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
        """Look after the chunk store: verify it, remove what no capture needs, or say what it holds.

        action: verify: read and hash every chunk; gc: remove what no capture needs; stats: what it holds, and for whom.
        workspace: Any folder of the workspace whose captures and store are meant. Default: ".".
        store: Chunk store; the workspace's .kernloop/store if left out.
        capture_root: Folder with more captures that use the store, beside the workspace: those of other workspaces.
        grace_hours: gc spares chunks that a capture has written or found useful within this time. Default: 24.
        keep_cached: gc also spares the chunks of captures in the cache of Nx (.nx), which Nx may restore. Default: true.
        dry_run: gc says what it would remove, and removes nothing. Default: false.

        `exit_code` of the result:

        0: Done; nothing is wrong.
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
        store: Path | None = None,
    ) -> results.PackResult:
        """Make one file of a capture, with every chunk it needs.

        capture: Folder of a reproducer, or of a capture. Default: ".".
        output: The file to write; `<kernel>.klcap` in the working folder if left out.
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.

        `exit_code` of the result:

        0: The file is there.
        """
        result: results.PackResult = self._stage(
            results.PackResult,
            "pack",
            capture,
            {
                "--output": output,
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
        """Make a capture of a packed one, every byte verified.

        file: What `kernloop pack` wrote.
        to: A reproducer, whose capture/ it becomes; or the folder that it becomes. The working folder, if that is neither a
            reproducer nor empty, gets a folder named after the file. Default: ".".

        `exit_code` of the result:

        0: The capture is there, every byte of it verified.
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
        dry_run: bool | None = None,
    ) -> results.PushResult:
        """Send the captures of a reproducer to a server, for other machines to pull.

        capture: Folder of a reproducer, all of whose captures are meant, or of a capture. Default: ".".
        remote: URL of the server; else KERNLOOP_REMOTE, else "store" in kernloop.json of the app.
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        dry_run: Say what would be sent, and send nothing. Default: false.

        `exit_code` of the result:

        0: The server has all of it.
        """
        result: results.PushResult = self._stage(
            results.PushResult,
            "push",
            capture,
            {
                "--remote": remote,
                "--store": store,
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
        """Fetch captures that were pushed to a server, every byte verified.

        source: Folder of a reproducer that has pushed.json, or the reference that `kernloop push` gave. Default: ".".
        to: With a reference: the reproducer whose capture it becomes, or the folder.
        remote: URL of the server; else KERNLOOP_REMOTE, else "store" in kernloop.json of the app.
        store: Chunk store to fetch into; else KERNLOOP_STORE, else the workspace's .kernloop/store.

        `exit_code` of the result:

        0: The captures are there, every byte of them verified.
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
        probe: str | None = None,
        output: Path | None = None,
        capacity: int | None = None,
        allow_callback: str | None = None,
        seed: int | None = None,
        threads: int | None = None,
    ) -> results.TraceRunResult:
        """Replay captured dispatches with probes in the kernel, and write a trace folder.

        reproducer: Folder of the reproducer: the one with kernel.json, or a folder below it. Default: ".".
        variant: Code object to run in place of the captured one, relative to the reproducer; "none" for the captured one. If
            left out: what recompile built, or the captured one where nothing was edited.
        capture: Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>),
            or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.
        device: Where the kernels run. Default: "softgpu".
        softgpu: Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32). Default: "gfx90a".
        gpu: GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the
            first visible one if left out.
        store: Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store.
        limit_factor: On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch
            (at least one million). Default: 10.
        launch: On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP
            runtime, which fills hidden arguments with services behind them.
        guard: Close what lies around the captured regions to the kernel, so that an access there faults: every byte on the
            software GPU, whole granules on hardware, where writes inside of them are found afterwards. Default: false.
        limit_seconds: On hardware, end a replay after this time. Default: 60.
        probe: Probes to apply: one that comes with Kernloop (block_sched, dmat, gmem_bytes, tensorop, program_progress), or a
            probe.toml, relative to the reproducer or else to the working folder. Default: "block_sched".
        output: Folder in which the trace's own is made (<month><day>_<time>_<pid>); trace/<probe> of the reproducer, which is
            then made anew, if left out.
        capacity: Most records of a thread or warp in dynamic maps; as many as the counting run finds if left out. What does not
            fit is dropped, and counted.
        allow_callback: Run the CALLBACK of the probe file, a Python program, on each result file: only where this is its name,
            as the file has it.
        seed: Wave order of the software GPU; 1 if left out.
        threads: Host threads of the software GPU, which probes see as compute units, each with a clock of its own; 1 if left
            out, where everything repeats.

        `exit_code` of the result:

        0: The trace is there, and the kernel computed the same as without probes.
        1: The kernel computed something else under probes.
        4: The device faulted, or the kernel ran past its limit.
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
        """Read a trace of Neutrino (its files, what the probes cost, what every column holds), or events that kernels recorded.

        trace: Folder of a trace, or one of its result files (.bin).
        probe: The probe.toml that the trace was made with; that of its folder if left out.
        dialect: How result files are written, where they fit several dialects: by CUDA since the DSL (warp-div), by the first
            driver and HIP (total), by CUDA in the artifact (unit), by HIP since the DSL (hip-total).
        offsets: Where a file records offsets that are wrong (blocks that are no multiple of a warp): read where its maps are
            (repaired), or where it says (recorded), as Neutrino does.
        clock_mhz: Of a file that Iris exported: the rate of the device's clock, where that of its processor is not known.

        `exit_code` of the result:

        0: Every file adds up.
        1: A result file of the folder does not; `error` of it says why.
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
        """Generate a reader for the traces of a probe.toml, in TypeScript, Python or C.

        probe: The probe.toml whose traces are to be read. Default: "probe.toml".
        language: Of the reader: Python needs NumPy, the others nothing. Default: "python".
        output: The file to write; `read_trace` with the extension of the language, in the working folder, if left out.

        `exit_code` of the result:

        0: The file is there.
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
        """Write the records of a trace as tables, or events that kernels recorded as one timeline.

        trace: Folder of a trace, or one of its result files (.bin).
        probe: The probe.toml that the trace was made with; that of its folder if left out.
        dialect: How result files are written, where they fit several dialects: by CUDA since the DSL (warp-div), by the first
            driver and HIP (total), by CUDA in the artifact (unit), by HIP since the DSL (hip-total).
        offsets: Where a file records offsets that are wrong (blocks that are no multiple of a warp): read where its maps are
            (repaired), or where it says (recorded), as Neutrino does.
        format: What is written. Of records of probes, one file a map: parquet if left out, arrow, jsonl, csv. Of events that
            kernels recorded, one timeline: perfetto if left out, chrome (JSON), html (a summary).
        ranks: Files of the other ranks, of events that kernels recorded: one timeline of all.
        profile: The profile.json of the same run: its launches are on the timeline, too.
        clock_mhz: Of a file that Iris exported: the rate of the device's clock, where that of its processor is not known.
        unaligned: Show ranks whose clocks nothing relates as their clocks are: what was earlier on which rank is then not
            known. Default: false.
        output: Folder for the files; `<result>.<map>.<format>` in it. Default: ".".
        skip_empty: Leave out slots that are all zero: where no probe wrote, or where it wrote nothing but zeros. Default:
            false.

        `exit_code` of the result:

        0: The files are there.
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
        """Analyse a trace: how blocks were scheduled, which memory was touched when, what was counted, how far threads got.

        trace: Folder of a trace, or one of its result files (.bin).
        probe: The probe.toml that the trace was made with; that of its folder if left out.
        dialect: How result files are written, where they fit several dialects: by CUDA since the DSL (warp-div), by the first
            driver and HIP (total), by CUDA in the artifact (unit), by HIP since the DSL (hip-total).
        offsets: Where a file records offsets that are wrong (blocks that are no multiple of a warp): read where its maps are
            (repaired), or where it says (recorded), as Neutrino does.
        map: The map to analyse; every one if left out.
        analysis: block-sched: blocks over processors and time; heat-map: pages over time; totals: counts summed; progress:
            moments of threads over time. What the fields of a map are named like if left out.
        field: Which field is the start, elapsed, processor, clock or address: `clock=cycles`. By name if left out.
        bins: Intervals of time. Default: 128.
        page_bytes: Of a page of the heat map; a power of two. Default: 65536.
        align_clocks: Let every processor of block-sched begin at 0, where the clocks of processors are not the same. Default:
            false.
        clock_mhz: Of the clock that the probes read: times of the Perfetto file are then nanoseconds; cycles if left out.
        output: Folder for plots (SVG), tables (JSON) and tracks (.pftrace, for ui.perfetto.dev); none if left out.

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

    def doctor(
        self,
        *,
        app: Path | None = None,
    ) -> results.DoctorResult:
        """Say what this machine has and lacks for Kernloop.

        app: Also look at this app: whether the capture agent would get into its processes.

        `exit_code` of the result:

        0: Nothing is missing.
        5: Something is, which the list says.
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
