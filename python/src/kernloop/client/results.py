"""Generated from the stages by `npm run schemas`: do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Union

from .decode import StageResult


@dataclass(frozen=True, kw_only=True)
class InitResult(StageResult):
    """Declare a program in kernloop.json: how it is built and run, and which of its kernels matter."""

    file: str
    """The kernloop.json, absolute."""
    written: bool
    """False where one was there already and stays as it is."""
    config: dict[str, Any]
    """Its content, as schemas/kernloop.schema.json describes it."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class WatchBuildResult(StageResult):
    """Run the build of an app that has no compile database, and write one."""

    app: str
    database: str
    """Absolute: the compile database."""
    compiled: int
    """Compilations of this build that are in it."""
    kept: int
    """Those of earlier builds, of files that are still there and were not compiled now."""
    device_units: int = field(metadata={"json": "deviceUnits"})
    """Those of all that have device code."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class KernelsAppKernelVerdict:
    verdict: Literal["pass", "fail", "vacuous", "fault", "limit"]
    summary: str
    """The result line without its verdict."""
    code: Literal["captured", "variant"]
    current: bool
    """Whether it is about the code and the captures that are there now."""
    changed: str | None
    """What was changed since, where it is not current."""


@dataclass(frozen=True, kw_only=True)
class KernelsAppKernel:
    name: str
    match: str | None
    """Null where kernloop.json does not declare it, or no longer does."""
    reproducer: str | None
    """Relative to the workspace; null where it is not extracted yet."""
    captured: bool
    """Whether its capture is on this machine."""
    verdict: KernelsAppKernelVerdict | None
    """The last one of validate; null where there is none."""
    problem: str | None
    """Why it could not be read."""


@dataclass(frozen=True, kw_only=True)
class KernelsApp:
    name: str | None
    """Null where kernloop.json cannot be read."""
    folder: str | None
    """Relative to the workspace; null for reproducers whose app is not here."""
    device: Literal["softgpu", "hsa", "cuda"] | None
    profiled: bool
    """Whether a profile of it is on this machine."""
    kernels: list[KernelsAppKernel]
    problem: str | None
    """Why kernloop.json could not be read."""


@dataclass(frozen=True, kw_only=True)
class KernelsResult(StageResult):
    """List the apps of a workspace, their declared kernels, their reproducers and the last verdict on each."""

    workspace: str
    """Absolute."""
    apps: list[KernelsApp]
    complete: bool
    """False for a tree that has more folders than are looked into."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class ProfileDevice:
    kind: Literal["softgpu", "hsa", "cuda"]
    identity: str


@dataclass(frozen=True, kw_only=True)
class ProfileKernelGeometry:
    grid_blocks: list[float]
    block_threads: list[float]
    dispatches: float
    registers_per_thread: float | None = None
    static_shared_bytes: float | None = None
    dynamic_shared_bytes: float | None = None
    local_bytes_per_thread: float | None = None
    resident_blocks_per_multiprocessor: float | None = None
    occupancy_percent: float | None = None
    """Resident warps of the most that a multiprocessor takes."""


@dataclass(frozen=True, kw_only=True)
class ProfileKernel:
    name: str
    """Demangled where it can be."""
    symbol: str
    code_object: str
    """sha256."""
    dispatches: float
    share: float
    """Part of the app's work."""
    total: float
    """In the unit that `work` names, as are the next five."""
    min: float
    p10: float | None = None
    median: float
    p90: float | None = None
    max: float
    registers_per_thread: float | None = None
    static_shared_bytes: float | None = None
    dynamic_shared_bytes: float | None = None
    local_bytes_per_thread: float | None = None
    resident_blocks_per_multiprocessor: float | None = None
    occupancy_percent: float | None = None
    """Resident warps of the most that a multiprocessor takes."""
    geometries: list[ProfileKernelGeometry]
    """The most frequent first: the figures of the kernel are those of it."""


@dataclass(frozen=True, kw_only=True)
class ProfileLaunchesRow:
    kernel: float
    """Its place in `kernels`."""
    start_ns: str
    end_ns: str
    device: float
    stream: float


@dataclass(frozen=True, kw_only=True)
class ProfileLaunches:
    """When kernels ran, where the device says so."""

    boot: str
    """Of the host, whose CLOCK_MONOTONIC the times are of: /proc/sys/kernel/random/boot_id."""
    left_out: float
    """Launches beyond those that are listed."""
    rows: list[ProfileLaunchesRow]


@dataclass(frozen=True, kw_only=True)
class ProfilePerProcessKernel:
    name: str
    symbol: str
    dispatches: float


@dataclass(frozen=True, kw_only=True)
class ProfilePerProcess:
    pid: int
    command: list[str]
    """Its arguments, the program first; cut after 4096 bytes."""
    parent_pid: int = field(metadata={"json": "parentPid"})
    """When it loaded the runtime of the device."""
    executable: str
    queues: float
    dispatches: float
    kernels: list[ProfilePerProcessKernel]


@dataclass(frozen=True, kw_only=True)
class ProfileResult(StageResult):
    """The kernels that an app launches, ranked."""

    schema: Literal["kernloop.profile/1"]
    app: str
    device: ProfileDevice
    work: Literal["wave_instructions", "duration_ns"]
    """What shares and statistics are of."""
    processes: float
    """Processes that used the device."""
    dispatches: float
    total: float
    kernels: list[ProfileKernel]
    launches: ProfileLaunches | None = None
    """When kernels ran, where the device says so."""
    per_process: list[ProfilePerProcess] | None = None
    """Who launched what, where it were several processes; of many, the first 256."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class DeclareDeclared:
    """The kernel, with the defaults of its selection."""

    name: str
    """Folder of the reproducer in kernels/<app>/, and suffix of the Nx targets."""
    match: str
    """Regular expression (ECMAScript), searched for in the demangled and in the mangled kernel name."""
    whole_name: bool | None = field(default=None, metadata={"json": "wholeName"})
    """The expression must match a whole name: the mangled one, or the demangled one with its parameters, without them, or
    without template arguments too.
    """
    ordinal: int
    """Which matching dispatch to capture, counted from 1."""
    dispatch: str | None = None
    """Which of the matching dispatches to capture, instead of "ordinal": a number, a list of numbers, or text: numbers and
    ranges as in "2,5,9-12,20-", or "last" or "last:3".
    """
    each: Literal["dispatch", "geometry", "kernel"] | None = None
    """Capture each of those dispatches (the default), the first of each kernel and launch geometry, or the first of each
    kernel.
    """
    limit: int | None = None
    """Stop after this many captures. Default: 16."""
    after: str | None = None
    """Do not count dispatches until a kernel whose name matches this expression has been launched."""
    after_count: int | None = field(default=None, metadata={"json": "afterCount"})
    """How many launches matching "after" to wait for. Default: 1."""
    scope: Literal["reachable", "all"]
    """Memory to capture: what the arguments lead to, or every tracked allocation."""


@dataclass(frozen=True, kw_only=True)
class DeclareResult(StageResult):
    """Declare a kernel of an app in kernloop.json, so that it can be extracted."""

    file: str
    """The kernloop.json, absolute."""
    app: str
    declared: DeclareDeclared
    """The kernel, with the defaults of its selection."""
    reproducer: str
    """Folder that extract makes of it, absolute."""
    launched: list[str] | None
    """Kernels of the last profile that it matches; null without a profile, and with wholeName."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureProcess:
    pid: int
    command: list[str]
    """Its arguments, the program first; cut after 4096 bytes."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckDevice:
    kind: str
    identity: str
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckVaryingRecord:
    bytes: float
    """Of one record."""
    offset: float
    count: float
    order: float
    """Entries of several ranges with the same number are parts of the same records."""
    certain: bool
    """Whether what does not hold these records is wrong; else it cannot be known whether it is."""
    before: float | None = None
    """Records in front that every replay had in the same places and that may belong to them."""
    behind: float | None = None
    spans: list[float] | None = None
    """Begin and end of each row, cell or bucket, in records: the order is free within each only. Told once for those of one
    `order`.
    """
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckVaryingIndexes:
    """Of permuted values that are numbers of records in free order: which record each names is the same every time."""

    region: str | None = None
    variable: str | None = None
    offset: float
    bytes: float
    count: float
    index_offset: float
    index_bytes: float
    index_count: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckVarying:
    region: str | None = None
    variable: str | None = None
    offset: float
    dtype: str
    count: float
    min: list[Any]
    max: list[Any]
    low: list[Any] | None = None
    """What passes: from here …"""
    high: list[Any] | None = None
    """… up to here. Without both: min and max, widened by their distance."""
    permuted: bool | None = None
    """The same values in any order; min and max are empty."""
    order_dependent: bool | None = None
    """Places and links of a structure whose shape follows the order of waves: not judged; min and max are empty."""
    records: list[CaptureCaptureSelfcheckVaryingRecord] | None = None
    """Of permuted values: in which whole records every replay held them. Empty where there was too much to tell; older
    versions did not tell.
    """
    indexes: CaptureCaptureSelfcheckVaryingIndexes | None = None
    """Of permuted values that are numbers of records in free order: which record each names is the same every time."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckCalibration:
    """What the intervals of varying are worth; older self-checks have none."""

    replays: int
    confidence: float
    """How sure it is that the intervals hold what they are to hold."""
    miss_per_replay: float
    """The share of replays of untouched code that may leave any of the intervals."""
    is_settled: bool
    """The later half of the replays showed nothing new to vary."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckOverwritten:
    region: str | None = None
    variable: str | None = None
    offset: float
    bytes: float
    """Of one range."""
    count: float | None = None
    """So many of them, where there are several …"""
    stride: float | None = None
    """… at this distance."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckReread:
    region: str | None = None
    variable: str | None = None
    bytes: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheckShrink:
    """With --shrink: what of the capture was dropped."""

    dropped_bytes: float
    """Of what was captured before the dispatch; 0: it holds all of it."""
    granule: float
    """In pieces of so many bytes."""
    reason: str | None
    """Why nothing was dropped although something was unused."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCaptureSelfcheck:
    schema: Literal["kernloop.selfcheck/1"]
    capture_sha256: str
    device: CaptureCaptureSelfcheckDevice
    verdict: Literal["verified", "nondeterministic", "order-dependent", "failed"]
    reason: str | None
    replays: int
    poison_patterns: list[str]
    varying: list[CaptureCaptureSelfcheckVarying]
    calibration: CaptureCaptureSelfcheckCalibration | None = None
    """What the intervals of varying are worth; older self-checks have none."""
    overwritten: list[CaptureCaptureSelfcheckOverwritten] | None = None
    """What the dispatch overwrites without reading what it held, as replays with other values there showed; older self-checks
    did not look.
    """
    reread: list[CaptureCaptureSelfcheckReread] | None = None
    """What it writes with what it held, and reads as well: what does not write it cannot be told. Software GPU only."""
    untouched: list[CaptureCaptureSelfcheckOverwritten] | None = None
    """What it neither reads nor writes: a variant is not to write it, nor to depend on what is 0 there. Software GPU only."""
    shrink: CaptureCaptureSelfcheckShrink | None = None
    """With --shrink: what of the capture was dropped."""
    content_sha256: str | None = None
    """Digest of everything else here: what was edited since judges nothing. Older self-checks have none."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class CaptureCapture:
    name: str
    """Name of the entry in kernloop.json."""
    kernel: str
    ordinal: float
    """Of the dispatch, among those that matched."""
    output: str
    """Folder of the capture, absolute."""
    regions: float
    bytes_raw: float = field(metadata={"json": "bytesRaw"})
    """Memory before the dispatch, and what of the memory after it differs."""
    bytes_stored: float = field(metadata={"json": "bytesStored"})
    """What that takes on the disk."""
    bytes_dropped: float = field(metadata={"json": "bytesDropped"})
    """Of bytesRaw, by --shrink: the capture does not hold them."""
    bytes_tracked: float = field(metadata={"json": "bytesTracked"})
    """Device memory that the app held."""
    grid_blocks: list[float] = field(metadata={"json": "gridBlocks"})
    block_threads: list[float] = field(metadata={"json": "blockThreads"})
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Of the captured dispatch; null on hardware."""
    scope: str
    process: CaptureCaptureProcess | None
    """Whose dispatch it is."""
    selfcheck: CaptureCaptureSelfcheck | None
    """Null where the self-check was switched off."""


@dataclass(frozen=True, kw_only=True)
class CapturePlanRegion:
    id: str
    """As in the capture; a module variable by its name."""
    base: str
    bytes: float
    class_: str = field(metadata={"json": "class"})
    api: str
    """The call that allocated it."""
    reached: Literal["arguments", "region", "variable", "all", "widened"]
    """What led to it."""
    from_: str | None = field(metadata={"json": "from"})
    """The region whose contents led to it."""
    bytes_changed: float = field(metadata={"json": "bytesChanged"})
    """In chunks of 4 MiB that the dispatch changes: they are stored twice."""
    bytes_zero: float = field(metadata={"json": "bytesZero"})
    """Of both states, in chunks of zeros, which take nothing."""
    bytes_repeated: float = field(metadata={"json": "bytesRepeated"})
    """Of both states, in chunks that are stored for another place already."""
    bytes_stored: float = field(metadata={"json": "bytesStored"})


@dataclass(frozen=True, kw_only=True)
class CapturePlan:
    name: str
    """Name of the entry in kernloop.json."""
    kernel: str
    ordinal: float
    """Of the dispatch, among those that matched."""
    scope: str
    grid_blocks: list[float] = field(metadata={"json": "gridBlocks"})
    block_threads: list[float] = field(metadata={"json": "blockThreads"})
    regions: list[CapturePlanRegion]
    scope_bytes: float = field(metadata={"json": "scopeBytes"})
    """What --max-bytes is compared with: memory before the dispatch."""
    max_bytes: float = field(metadata={"json": "maxBytes"})
    """0 is no limit."""
    fits: bool
    """False: a capture would be refused."""
    bytes_raw: float = field(metadata={"json": "bytesRaw"})
    """With what the dispatch changes, and the code object."""
    bytes_stored: float = field(metadata={"json": "bytesStored"})
    """What the capture would take on the disk."""
    bytes_tracked: float = field(metadata={"json": "bytesTracked"})
    """Device memory that the app held."""
    elapsed_ms: float = field(metadata={"json": "elapsedMs"})
    """Measured: to read, hash and compress it, with the app held. The disk comes on top."""


@dataclass(frozen=True, kw_only=True)
class CaptureProcessKernel:
    name: str
    symbol: str
    dispatches: float


@dataclass(frozen=True, kw_only=True)
class CaptureProcess:
    pid: int
    command: list[str]
    """Its arguments, the program first; cut after 4096 bytes."""
    parent_pid: int = field(metadata={"json": "parentPid"})
    """When it loaded the runtime of the device."""
    executable: str
    queues: float
    dispatches: float
    kernels: list[CaptureProcessKernel]


@dataclass(frozen=True, kw_only=True)
class CaptureResult(StageResult):
    """Run an app and capture dispatches of its kernels."""

    app: str
    captures: list[CaptureCapture]
    plans: list[CapturePlan]
    """With --dry-run, instead of captures."""
    processes: list[CaptureProcess]
    """Those of the last run of the app that loaded the runtime of the device; of many, the first 256."""
    app_exit_code: int = field(metadata={"json": "appExitCode"})
    """Of the last run of the app."""
    exit_code: int = field(metadata={"json": "exitCode"})
    """That of the app: it may have failed after the captures, which stay."""


@dataclass(frozen=True, kw_only=True)
class GenerateNoSource:
    code: Literal["SOURCE_ELSEWHERE", "SOURCE_NOT_BUILT", "SOURCE_TRITON", "SOURCE_MOVED", "SOURCE_NO_TRAIL"]
    reason: str
    """What was looked at, and what that says."""
    hint: str
    """What to do next."""
    files: list[str]
    """Source files that are known of, though they could not be used."""


@dataclass(frozen=True, kw_only=True)
class GenerateResult(StageResult):
    """Write the source and project files of a captured kernel into pristine/."""

    kernel: str
    pristine: str
    """The folder that was written, absolute."""
    language: Literal["hip", "cuda", "triton", "none"]
    source: str | None
    """The file that defines the kernel, relative to the workspace; null without source."""
    files: list[str]
    """What was written, relative to the folder."""
    identical: bool | None
    """Whether the untouched source compiles to the very code object that was captured; null without source."""
    same_machine_code: bool | None = field(metadata={"json": "sameMachineCode"})
    """Whether the kernel is at least the same down to its instructions; always where it is identical, else looked at for CUDA,
    and for HIP kernels that are compiled alone.
    """
    notes: list[str]
    no_source: GenerateNoSource | None = field(metadata={"json": "noSource"})
    """Why there is no source; null where there is."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureProcess:
    pid: int
    command: list[str]
    """Its arguments, the program first; cut after 4096 bytes."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckDevice:
    kind: str
    identity: str
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckVaryingRecord:
    bytes: float
    """Of one record."""
    offset: float
    count: float
    order: float
    """Entries of several ranges with the same number are parts of the same records."""
    certain: bool
    """Whether what does not hold these records is wrong; else it cannot be known whether it is."""
    before: float | None = None
    """Records in front that every replay had in the same places and that may belong to them."""
    behind: float | None = None
    spans: list[float] | None = None
    """Begin and end of each row, cell or bucket, in records: the order is free within each only. Told once for those of one
    `order`.
    """
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckVaryingIndexes:
    """Of permuted values that are numbers of records in free order: which record each names is the same every time."""

    region: str | None = None
    variable: str | None = None
    offset: float
    bytes: float
    count: float
    index_offset: float
    index_bytes: float
    index_count: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckVarying:
    region: str | None = None
    variable: str | None = None
    offset: float
    dtype: str
    count: float
    min: list[Any]
    max: list[Any]
    low: list[Any] | None = None
    """What passes: from here …"""
    high: list[Any] | None = None
    """… up to here. Without both: min and max, widened by their distance."""
    permuted: bool | None = None
    """The same values in any order; min and max are empty."""
    order_dependent: bool | None = None
    """Places and links of a structure whose shape follows the order of waves: not judged; min and max are empty."""
    records: list[ExtractKernelCaptureSelfcheckVaryingRecord] | None = None
    """Of permuted values: in which whole records every replay held them. Empty where there was too much to tell; older
    versions did not tell.
    """
    indexes: ExtractKernelCaptureSelfcheckVaryingIndexes | None = None
    """Of permuted values that are numbers of records in free order: which record each names is the same every time."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckCalibration:
    """What the intervals of varying are worth; older self-checks have none."""

    replays: int
    confidence: float
    """How sure it is that the intervals hold what they are to hold."""
    miss_per_replay: float
    """The share of replays of untouched code that may leave any of the intervals."""
    is_settled: bool
    """The later half of the replays showed nothing new to vary."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckOverwritten:
    region: str | None = None
    variable: str | None = None
    offset: float
    bytes: float
    """Of one range."""
    count: float | None = None
    """So many of them, where there are several …"""
    stride: float | None = None
    """… at this distance."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckReread:
    region: str | None = None
    variable: str | None = None
    bytes: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheckShrink:
    """With --shrink: what of the capture was dropped."""

    dropped_bytes: float
    """Of what was captured before the dispatch; 0: it holds all of it."""
    granule: float
    """In pieces of so many bytes."""
    reason: str | None
    """Why nothing was dropped although something was unused."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCaptureSelfcheck:
    schema: Literal["kernloop.selfcheck/1"]
    capture_sha256: str
    device: ExtractKernelCaptureSelfcheckDevice
    verdict: Literal["verified", "nondeterministic", "order-dependent", "failed"]
    reason: str | None
    replays: int
    poison_patterns: list[str]
    varying: list[ExtractKernelCaptureSelfcheckVarying]
    calibration: ExtractKernelCaptureSelfcheckCalibration | None = None
    """What the intervals of varying are worth; older self-checks have none."""
    overwritten: list[ExtractKernelCaptureSelfcheckOverwritten] | None = None
    """What the dispatch overwrites without reading what it held, as replays with other values there showed; older self-checks
    did not look.
    """
    reread: list[ExtractKernelCaptureSelfcheckReread] | None = None
    """What it writes with what it held, and reads as well: what does not write it cannot be told. Software GPU only."""
    untouched: list[ExtractKernelCaptureSelfcheckOverwritten] | None = None
    """What it neither reads nor writes: a variant is not to write it, nor to depend on what is 0 there. Software GPU only."""
    shrink: ExtractKernelCaptureSelfcheckShrink | None = None
    """With --shrink: what of the capture was dropped."""
    content_sha256: str | None = None
    """Digest of everything else here: what was edited since judges nothing. Older self-checks have none."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelCapture:
    name: str
    """Name of the entry in kernloop.json."""
    kernel: str
    ordinal: float
    """Of the dispatch, among those that matched."""
    output: str
    """Folder of the capture, absolute."""
    regions: float
    bytes_raw: float = field(metadata={"json": "bytesRaw"})
    """Memory before the dispatch, and what of the memory after it differs."""
    bytes_stored: float = field(metadata={"json": "bytesStored"})
    """What that takes on the disk."""
    bytes_dropped: float = field(metadata={"json": "bytesDropped"})
    """Of bytesRaw, by --shrink: the capture does not hold them."""
    bytes_tracked: float = field(metadata={"json": "bytesTracked"})
    """Device memory that the app held."""
    grid_blocks: list[float] = field(metadata={"json": "gridBlocks"})
    block_threads: list[float] = field(metadata={"json": "blockThreads"})
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Of the captured dispatch; null on hardware."""
    scope: str
    process: ExtractKernelCaptureProcess | None
    """Whose dispatch it is."""
    selfcheck: ExtractKernelCaptureSelfcheck | None
    """Null where the self-check was switched off."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelGeneratedNoSource:
    code: Literal["SOURCE_ELSEWHERE", "SOURCE_NOT_BUILT", "SOURCE_TRITON", "SOURCE_MOVED", "SOURCE_NO_TRAIL"]
    reason: str
    """What was looked at, and what that says."""
    hint: str
    """What to do next."""
    files: list[str]
    """Source files that are known of, though they could not be used."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelGenerated:
    kernel: str
    pristine: str
    """The folder that was written, absolute."""
    language: Literal["hip", "cuda", "triton", "none"]
    source: str | None
    """The file that defines the kernel, relative to the workspace; null without source."""
    files: list[str]
    """What was written, relative to the folder."""
    identical: bool | None
    """Whether the untouched source compiles to the very code object that was captured; null without source."""
    same_machine_code: bool | None = field(metadata={"json": "sameMachineCode"})
    """Whether the kernel is at least the same down to its instructions; always where it is identical, else looked at for CUDA,
    and for HIP kernels that are compiled alone.
    """
    notes: list[str]
    no_source: ExtractKernelGeneratedNoSource | None = field(metadata={"json": "noSource"})
    """Why there is no source; null where there is."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernelAdopted:
    reproducer: str
    """Absolute."""
    written: list[str]
    """Files that were not there and now are, relative to the reproducer."""
    updated: list[str]
    """kernel.json, where it named an older code object of the same kernel as the captured one."""
    different: list[str]
    """Files that differ from pristine/ and were left as they are."""
    reset: list[str]
    """Files that differed and were brought back."""


@dataclass(frozen=True, kw_only=True)
class ExtractKernel:
    name: str
    reproducer: str
    """Absolute."""
    capture: ExtractKernelCapture | None
    """Null where a capture was there already."""
    generated: ExtractKernelGenerated
    adopted: ExtractKernelAdopted


@dataclass(frozen=True, kw_only=True)
class ExtractResult(StageResult):
    """Turn kernels of an app into projects of their own: capture, generate, adopt."""

    app: str
    kernels: list[ExtractKernel]
    exit_code: int = field(metadata={"json": "exitCode"})
    """Of the app, where it ran; 0 where every capture was there."""


@dataclass(frozen=True, kw_only=True)
class AdoptResult(StageResult):
    """Add the files a reproducer lacks, from its pristine copy."""

    reproducer: str
    """Absolute."""
    written: list[str]
    """Files that were not there and now are, relative to the reproducer."""
    updated: list[str]
    """kernel.json, where it named an older code object of the same kernel as the captured one."""
    different: list[str]
    """Files that differ from pristine/ and were left as they are."""
    reset: list[str]
    """Files that differed and were brought back."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class RecompileResult(StageResult):
    """Rebuild the kernel of a reproducer from its edited source."""

    kernel: str
    code_object: str = field(metadata={"json": "codeObject"})
    """The file that was built, absolute."""
    code_object_sha256: str = field(metadata={"json": "codeObjectSha256"})
    unchanged: bool
    """The code is the captured one, byte for byte."""
    sources: list[str]
    """Every file of the reproducer that went into it."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class ReplayConditionsSmMhz:
    """Clock of the multiprocessors."""

    min: float
    max: float


@dataclass(frozen=True, kw_only=True)
class ReplayConditionsSlowedBy:
    reason: str
    samples: float


@dataclass(frozen=True, kw_only=True)
class ReplayConditions:
    samples: float
    sm_mhz: ReplayConditionsSmMhz | None = None
    """Clock of the multiprocessors."""
    memory_mhz: ReplayConditionsSmMhz | None = None
    celsius: ReplayConditionsSmMhz | None = None
    slowed_by: list[ReplayConditionsSlowedBy]
    """Why clocks were lower than they could be, and after how many launches."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayDurationNsCi95:
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class ReplayDurationNs:
    count: float
    min: float
    p10: float
    median: float
    p90: float
    max: float
    spread: float
    """Half the distance between the quartiles."""
    ci95: ReplayDurationNsCi95 | None
    """95% confidence interval of the median; null for fewer than six samples, which cannot give one."""


@dataclass(frozen=True, kw_only=True)
class ReplayHotSpotsLine:
    file: str
    line: int
    text: str | None
    """The line, where the file lies in the workspace."""
    figures: dict[str, float]
    """By name, without those that are 0; vector_executed is executed where the active lanes execute it."""


@dataclass(frozen=True, kw_only=True)
class ReplayHotSpotsInstruction:
    pc: str
    """Its address in this replay."""
    offset: str | None
    """Its address in the code object, as disassemblers show it."""
    instruction: str
    file: str | None
    line: int | None
    branch: bool
    """A conditional one: `taken` counts its jumps."""
    figures: dict[str, float]
    """By name, without those that are 0; vector_executed is executed where the active lanes execute it."""


@dataclass(frozen=True, kw_only=True)
class ReplayHotSpots:
    by: Literal["executed", "lanes", "transactions", "conflicts", "splits", "branches", "scratch"]
    """What they are ordered by."""
    no_lines: str | None = field(metadata={"json": "noLines"})
    """Why there are no source lines; null where there are."""
    lines: list[ReplayHotSpotsLine]
    """Of the source, in the order asked for; none by branches."""
    instructions: list[ReplayHotSpotsInstruction]
    """Every one that a wave reached, in the order asked for; by branches, those that branch or split a wave."""


@dataclass(frozen=True, kw_only=True)
class ReplayExplanationPosition:
    operations: float
    """Operations of the vector ALU, by lanes; an MFMA counts as one a lane."""
    bytes: float
    """Bytes of global memory that lanes asked for."""
    operations_per_byte: float = field(metadata={"json": "operationsPerByte"})
    instructions_per_transaction: float | None = field(metadata={"json": "instructionsPerTransaction"})
    """Vector ALU instructions for each transaction of 64 bytes; null without any."""


@dataclass(frozen=True, kw_only=True)
class ReplayExplanationAdvicePlace:
    file: str | None
    line: int | None
    text: str | None
    """The source line, where its file is known."""
    offset: str | None
    """Without a line: the address in the code object."""
    instruction: str | None
    """Without a line: the instruction."""
    says: str
    figures: dict[str, float]
    """The figures that prove it."""


@dataclass(frozen=True, kw_only=True)
class ReplayExplanationAdvice:
    rule: Literal["coalescing", "lds-bank-conflicts", "lds-atomics", "divergence", "scratch", "partial-waves", "occupancy", "idle-units"]
    says: str
    """What limits the kernel, with the figure that proves it."""
    next: str
    """What to try."""
    figures: dict[str, float]
    """The figures that prove it."""
    places: list[ReplayExplanationAdvicePlace]
    """Source lines, or instructions without line information, the heaviest first."""


@dataclass(frozen=True, kw_only=True)
class ReplayExplanation:
    position: ReplayExplanationPosition | None
    """The place on the horizontal axis of a roofline; null where nothing was counted or no memory accessed."""
    advice: list[ReplayExplanationAdvice]
    """What the counts prove; empty where they prove nothing."""
    not_told: list[str] = field(metadata={"json": "notTold"})
    """Why rules had nothing to look at: no counters, no code object, a processor whose limits are not known."""


@dataclass(frozen=True, kw_only=True)
class ReplayCaches:
    state: Literal["warm", "cold"]
    is_modelled: bool
    """False on the software GPU, which has no caches: every state is the same there."""
    reported_bytes: float
    """The largest cache that the device tells of; 0: it tells of none."""
    overwritten_bytes: float
    """Of memory, by the device, between restoring and every launch; 0 where not cold."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayRestored:
    regions: float
    bytes: float
    dropped_bytes: float | None = field(default=None, metadata={"json": "droppedBytes"})
    """Of the regions, that the capture does not hold (--shrink)."""
    host_bytes: float | None = field(default=None, metadata={"json": "hostBytes"})
    """Size of the regions in memory of the host, where the app had them. On a GPU only."""


@dataclass(frozen=True, kw_only=True)
class ReplayOverriddenGridBlocks:
    from_: list[float] = field(metadata={"json": "from"})
    to: list[float]
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayOverriddenDynamicGroupSegmentBytes:
    from_: float = field(metadata={"json": "from"})
    to: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayOverriddenArgument:
    index: float
    name: str
    type: str
    from_: float | str | None = field(metadata={"json": "from"})
    to: float | str | None
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayOverridden:
    of_variant: bool | None = None
    """It is how the source of the variant says that it is launched, with the same result."""
    grid_blocks: ReplayOverriddenGridBlocks | None = None
    block_threads: ReplayOverriddenGridBlocks | None = None
    dynamic_group_segment_bytes: ReplayOverriddenDynamicGroupSegmentBytes | None = None
    arguments: list[ReplayOverriddenArgument] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayGuard:
    is_exact: bool
    granule: float
    padding_bytes: float
    closed_bytes: float
    neighbours_unmapped: float
    neighbours_in_use: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayLensVariable:
    name: str
    file: str
    bytes: float


@dataclass(frozen=True, kw_only=True)
class ReplayLens:
    folder: str
    bytes: float
    """Of all of it: read back, and in no verdict."""
    variables: list[ReplayLensVariable]
    buffers: list[ReplayLensVariable]


@dataclass(frozen=True, kw_only=True)
class ReplayBaseline:
    conditions: ReplayConditions | None
    """Clocks, temperature and what slowed the device down, after each timed launch; null where nothing tells."""
    duration_ns: ReplayDurationNs | None = field(metadata={"json": "durationNs"})
    """Nanoseconds of GPU time. On hardware only: time on the software GPU says nothing about a GPU."""
    samples: list[float]
    """Each measured time in nanoseconds, in the order of the replays; hardware only."""
    timer: str | None
    """What took the time, where the device says: "cupti", the kernel alone; "events", between events around its launch;
    "software-gpu", an emulated device, whose times say nothing about a GPU.
    """
    counters: dict[str, ReplayDurationNs]
    """On the software GPU: what was executed."""
    hot_spots: ReplayHotSpots | None = field(metadata={"json": "hotSpots"})
    """With --hot-spots, of the last replay."""
    explanation: ReplayExplanation | None
    """With --explain, of the last replay: what limits the kernel."""


@dataclass(frozen=True, kw_only=True)
class ReplaySpeed:
    verdict: Literal["faster", "slower", "no measurable difference", "undecided"]
    ratio: float
    """Time of the variant over that of the captured code: the median of what the rounds gave."""
    ci95: ReplayDurationNsCi95 | None
    """95% confidence interval of the ratio; null for fewer than six rounds or three processes, or if the clock steps by half
    of a launch.
    """
    rounds: float
    """Samples of the ratio: two launches of each side, in the order ABBA or BAAB."""
    processes: float
    clock_step_ns: float | None = field(default=None, metadata={"json": "clockStepNs"})
    """The smallest distance of two times. The interval has that much room for each side. Not in results of older versions."""


@dataclass(frozen=True, kw_only=True)
class ReplayCheckCapturedState:
    changed_bytes: float
    """Of its own writable bytes, how many a launch leaves changed."""
    variables: list[str]
    """Its own writable variables; other such bytes have no name."""
    out_of_reach: list[str]
    """What cannot be put back or looked at: the runtime gives no address of it."""
    launches: float
    """Launches in a row that were judged, each with what the one before left."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ReplayCheckCaptured:
    compared_bytes: float = field(metadata={"json": "comparedBytes"})
    differing_bytes: float = field(metadata={"json": "differingBytes"})
    """In the launch that differed most."""
    launches: float
    """Whose result was looked at: a first one, and every timed one."""
    wrong_launches: float = field(metadata={"json": "wrongLaunches"})
    """That left something else in memory than the app computed."""
    state: ReplayCheckCapturedState | None


@dataclass(frozen=True, kw_only=True)
class ReplayCheck:
    captured: ReplayCheckCaptured
    variant: ReplayCheckCaptured


@dataclass(frozen=True, kw_only=True)
class ReplayDispatch:
    kernel: str
    dispatch: float
    """The number by which the replayed dispatch was selected."""
    capture: str
    """Its folder, relative to the reproducer."""
    code: str
    """Which code ran, in words."""
    verdict: Literal["ran", "fault", "limit"]
    exit_code: int = field(metadata={"json": "exitCode"})
    iterations: float
    conditions: ReplayConditions | None
    """Clocks, temperature and what slowed the device down, after each timed launch; null where nothing tells."""
    duration_ns: ReplayDurationNs | None = field(metadata={"json": "durationNs"})
    """Nanoseconds of GPU time. On hardware only: time on the software GPU says nothing about a GPU."""
    samples: list[float]
    """Each measured time in nanoseconds, in the order of the replays; hardware only."""
    timer: str | None
    """What took the time, where the device says: "cupti", the kernel alone; "events", between events around its launch;
    "software-gpu", an emulated device, whose times say nothing about a GPU.
    """
    counters: dict[str, ReplayDurationNs]
    """On the software GPU: what was executed."""
    hot_spots: ReplayHotSpots | None = field(metadata={"json": "hotSpots"})
    """With --hot-spots, of the last replay."""
    explanation: ReplayExplanation | None
    """With --explain, of the last replay: what limits the kernel."""
    cache: str | None
    """What the caches held when the kernel started: "warm", "cold", or what restoring left there ("as-is"); null on the
    software GPU, which has none.
    """
    caches: ReplayCaches | None
    """How they were warmed or made cold; null where neither was asked for."""
    fault: str | None
    stopped: Literal["captured", "variant"] | None
    """Which code a fault or a limit ended; null where none did. Without --compare always "variant": what is replayed."""
    restored: ReplayRestored
    overridden: ReplayOverridden | None
    """What of the launch was not as captured; null for the captured launch."""
    launch: Literal["direct", "hip"]
    """Who launched: a queue or stream of our own, or the HIP runtime."""
    guard: ReplayGuard | None
    """What was closed to the kernel around captured memory, in bytes and granules; null without --guard."""
    lens: ReplayLens | None
    """What was read back of the lens; null without --lens, and after a fault or a limit."""
    baseline: ReplayBaseline | None
    """The captured code, where it was replayed beside a variant."""
    speed: ReplaySpeed | None
    """Whether the variant is faster; null without --compare, on the software GPU, which has no times, and where launches of
    one side gave different results.
    """
    check: ReplayCheck | None
    """What the launches of each left in memory, against what the app computed; null without --compare, and for another launch
    than the captured one.
    """
    doubts: list[str]
    """Why the times may say less than they seem to: clocks that differed, a time that no such device can reach."""


@dataclass(frozen=True, kw_only=True)
class ReplayNotReplayed:
    dispatch: float
    capture: str
    kernel: str


@dataclass(frozen=True, kw_only=True)
class ReplayResult(StageResult):
    """Run a captured dispatch, or your edit of it, again and measure it."""

    kernel: str
    dispatch: float
    """The number by which the replayed dispatch was selected."""
    capture: str
    """Its folder, relative to the reproducer."""
    code: str
    """Which code ran, in words."""
    verdict: Literal["ran", "fault", "limit"]
    exit_code: int = field(metadata={"json": "exitCode"})
    iterations: float
    conditions: ReplayConditions | None
    """Clocks, temperature and what slowed the device down, after each timed launch; null where nothing tells."""
    duration_ns: ReplayDurationNs | None = field(metadata={"json": "durationNs"})
    """Nanoseconds of GPU time. On hardware only: time on the software GPU says nothing about a GPU."""
    samples: list[float]
    """Each measured time in nanoseconds, in the order of the replays; hardware only."""
    timer: str | None
    """What took the time, where the device says: "cupti", the kernel alone; "events", between events around its launch;
    "software-gpu", an emulated device, whose times say nothing about a GPU.
    """
    counters: dict[str, ReplayDurationNs]
    """On the software GPU: what was executed."""
    hot_spots: ReplayHotSpots | None = field(metadata={"json": "hotSpots"})
    """With --hot-spots, of the last replay."""
    explanation: ReplayExplanation | None
    """With --explain, of the last replay: what limits the kernel."""
    cache: str | None
    """What the caches held when the kernel started: "warm", "cold", or what restoring left there ("as-is"); null on the
    software GPU, which has none.
    """
    caches: ReplayCaches | None
    """How they were warmed or made cold; null where neither was asked for."""
    fault: str | None
    stopped: Literal["captured", "variant"] | None
    """Which code a fault or a limit ended; null where none did. Without --compare always "variant": what is replayed."""
    restored: ReplayRestored
    overridden: ReplayOverridden | None
    """What of the launch was not as captured; null for the captured launch."""
    launch: Literal["direct", "hip"]
    """Who launched: a queue or stream of our own, or the HIP runtime."""
    guard: ReplayGuard | None
    """What was closed to the kernel around captured memory, in bytes and granules; null without --guard."""
    lens: ReplayLens | None
    """What was read back of the lens; null without --lens, and after a fault or a limit."""
    baseline: ReplayBaseline | None
    """The captured code, where it was replayed beside a variant."""
    speed: ReplaySpeed | None
    """Whether the variant is faster; null without --compare, on the software GPU, which has no times, and where launches of
    one side gave different results.
    """
    check: ReplayCheck | None
    """What the launches of each left in memory, against what the app computed; null without --compare, and for another launch
    than the captured one.
    """
    doubts: list[str]
    """Why the times may say less than they seem to: clocks that differed, a time that no such device can reach."""
    dispatches: list[ReplayDispatch]
    """Of several captured dispatches (--capture), what each gave, by number; what stands above is that of the first, or of the
    first that faulted. Empty for one.
    """
    not_replayed: list[ReplayNotReplayed] = field(metadata={"json": "notReplayed"})
    """With --capture all: captures of the same selection, but of another kernel."""


@dataclass(frozen=True, kw_only=True)
class ValidateDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class ValidateLaunch:
    grid: list[int]
    """Blocks, as launched."""
    block: list[int]
    """Threads of a block, as launched."""
    captured_grid: list[int]
    """Blocks, as the app launched the kernel."""
    captured_block: list[int]
    dynamic_shared: int | None
    """Bytes of dynamic shared memory. Null: the app's."""
    arguments: list[str]
    """Scalar arguments that are not the app's: INDEX:TYPE=VALUE."""


@dataclass(frozen=True, kw_only=True)
class ValidateState:
    changed_bytes: float
    """Of its own writable bytes, how many a launch leaves changed."""
    variables: list[str]
    """Its own writable variables; other such bytes have no name."""
    out_of_reach: list[str]
    """What cannot be put back or looked at: the runtime gives no address of it."""
    launches: float
    """Launches in a row that were judged, each with what the one before left."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateStray:
    region: str | None = None
    variable: str | None = None
    offset: float
    """Of the first byte."""
    bytes: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateUntouchedRead:
    region: str
    offset: float
    """Of the first byte."""
    address: str
    """Likewise."""
    bytes: float
    arguments: list[str] | None = None
    """Names of the pointer parameters whose array it is in."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateShortRecord:
    target: str
    """Region or variable."""
    bytes: int
    """Length of one record that --record or kernel.json gives."""
    found_bytes: int
    """Length of records that the replays of the self-check hold."""


@dataclass(frozen=True, kw_only=True)
class ValidateInitializer:
    variable: str
    judged: Literal["variant", "app", "unknown"]
    """Whose value: the variant's, which the app never set; the app's, which may have set it; the variant's, where nobody
    knows.
    """
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateFloatAtomic:
    region: str
    offset: int
    """Of the first one."""
    address: str
    bytes: int
    instruction: str
    effect: Literal["none", "unknown_memory"]
    """What it does on the real GPU: nothing, which fails; or not known, as the capture does not tell whether the memory is
    fine-grained.
    """


@dataclass(frozen=True, kw_only=True)
class ValidatePastLd:
    access: Literal["read", "write"]
    instruction: str
    pc_offset: str
    """From the kernel's entry."""
    source: str | None
    """File and line, where the code has them."""
    lds_offset: int
    """Of the first lane that goes past the end."""
    bytes: int
    text: str
    in_captured: bool
    """The captured code does the same, so that it is not judged."""


@dataclass(frozen=True, kw_only=True)
class ValidateFreeOrderArray:
    region: str | None = None
    variable: str | None = None
    offset: float
    bytes: float
    record_bytes: float
    """What came in whole records of so many bytes."""
    possible_record_bytes: list[float]
    """Longer ones that every replay of the self-check held, by chance or not."""
    together: bool
    """Ordered by the same permutation as the others."""
    indexes: str | None = None
    """The region or variable whose records its values are numbers of."""
    spans: float | None = None
    """Rows, cells or buckets, as counters that the kernel changed tell: the order is free within each only."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateFreeOrder:
    verdict: Literal["same", "unknown", "different"]
    """"unknown": the same elements, but not in all the records that the replays of the self-check held."""
    arrays: list[ValidateFreeOrderArray]
    reason: str | None = None
    """Why it cannot be known."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateTolerance:
    atol: float
    rtol: float
    ulp: float
    matched: float
    """Share of the elements that must pass."""
    nan: Literal["match", "refuse", "ignore"]
    inf: Literal["match", "refuse", "ignore"]
    policy: str
    """What passes, in words."""
    untyped: list[str]
    """Regions that the kernel changed, compared byte by byte for want of a type."""
    forced: list[str]
    """What --force-dtype had judged by another type than that of the signature, in words."""


@dataclass(frozen=True, kw_only=True)
class ValidateUsualTolerance:
    """Where not every byte is equal, none was asked for, and rounding explains the differences: this one would pass."""

    ulp: float
    """0 where an absolute tolerance is offered."""
    atol: float
    """0 where units in the last place are offered."""
    beside: float | None
    """With `atol`: the largest value of the app that the error was held against."""
    dtypes: list[str]
    max_abs_error: float | None
    max_rel_error: float | None


@dataclass(frozen=True, kw_only=True)
class ValidateRegionDifferenceMap:
    """Where in it bytes differ, in bins of equal size, 1024 at most."""

    bin_bytes: float
    bins: list[tuple[float, float]]
    """Number of the bin, and bytes of it that differ; not those with none."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateRegionElementNan:
    """Floating types."""

    expected_only: float
    """What the app computed has one, the replay has not."""
    actual_only: float
    both: float
    other: float
    """Both have one, but of opposite sign."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateRegionElementFirstOutside:
    offset: float
    expected: float | str
    actual: float | str
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateRegionElementInAnyReplay:
    """The most of all replays, where another one has more than the row."""

    outside: float
    max_abs_error: float | None
    max_rel_error: float | None
    max_ulp_error: float | None
    fill: str | None = None
    """Only launches that began so have more than the row."""


@dataclass(frozen=True, kw_only=True)
class ValidateRegionElement:
    offset: float
    bytes: float
    dtype: str
    exact: bool
    atol: float
    rtol: float
    ulp: float
    elements: float
    equal: float
    """Bit for bit."""
    within: float
    """Not equal, but within the tolerance."""
    outside: float
    excused: float
    """Of outside: let pass by the matched ratio."""
    refused: float
    """Of outside: equal, but NaN or infinite where a policy allows neither."""
    not_finite: float
    """Of outside: NaN or an infinity in place of a number, or the other way round."""
    nan: ValidateRegionElementNan | None = None
    """Floating types."""
    inf: ValidateRegionElementNan | None = None
    """Floating types."""
    max_abs_error: float | None = None
    max_rel_error: float | None = None
    max_ulp_error: float | None = None
    first_outside: list[ValidateRegionElementFirstOutside]
    """The first few elements that did not pass."""
    worst: ValidateRegionElementFirstOutside | None = None
    """The one with the greatest absolute error."""
    arguments: list[str] | None = None
    """Names of the parameters that point to them; its counts of NaN and infinities are of these."""
    replay: int | None = None
    """Number of the replay that the row is of, counted from 1; adverse comes last."""
    fill: str | None = None
    """The launch began with other values in memory that the captured code overwrites without reading it: "huge", "opposite" or
    "zeros".
    """
    in_any_replay: ValidateRegionElementInAnyReplay | None = None
    """The most of all replays, where another one has more than the row."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateRegion:
    region: str | None = None
    variable: str | None = None
    bytes: float
    changed: bool
    """Whether the captured dispatch changed it."""
    ignored_bytes: float
    varying_bytes: float
    """Judged by the range that the self-check recorded."""
    unjudged_bytes: float | None = None
    """Left out: the order of waves decides what they hold."""
    differing_bytes: float
    first_difference: float | None = None
    """Offset of the first byte that differs."""
    difference_map: ValidateRegionDifferenceMap | None = None
    """Where in it bytes differ, in bins of equal size, 1024 at most."""
    elements: list[ValidateRegionElement]
    """What its elements of known types met in one replay."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateDifference:
    region: str | None = None
    variable: str | None = None
    padding: str | bool | None = None
    offset: float
    bytes: float | None = None
    first_expected: str | None = None
    first_actual: str | None = None
    lead: str | None = None
    """The equal bytes before it, from the last multiple of 8 on."""
    differing_bytes: float
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateSanitizerFinding:
    kind: str
    """What it is, wherever in the kernel."""
    text: str
    """The tool's words of the first of this kind."""
    count: int
    in_captured: bool
    """The captured code has it too, so that it is not judged."""


@dataclass(frozen=True, kw_only=True)
class ValidateSanitizer:
    tool: Literal["racecheck", "initcheck", "memcheck"]
    findings: list[ValidateSanitizerFinding]


@dataclass(frozen=True, kw_only=True)
class ValidateAdverseCaptured:
    verdict: str
    findings: float


@dataclass(frozen=True, kw_only=True)
class ValidateAdverse:
    seed: int
    verdict: str
    differing_bytes: float
    wave_instructions: float
    """How many ran in the adverse order."""
    of_wave_instructions: float | None
    findings: float
    """Places at which the checks found a race."""
    captured: ValidateAdverseCaptured | None
    """The same of the captured code, where that was asked: not held against a variant."""


@dataclass(frozen=True, kw_only=True)
class ValidateRaceAccess:
    access: Literal["read", "write"]
    pc_offset: str
    """From the kernel's entry."""
    instruction: str
    source: str | None
    """File and line, where the code has them."""
    workgroup: list[float]
    wave: float


@dataclass(frozen=True, kw_only=True)
class ValidateRace:
    kernel: str
    where: str | None
    """Region, module variable or "LDS"."""
    offset: float | None
    address: str
    bytes: float
    accesses: list[ValidateRaceAccess]
    """The later one first."""
    missing_wait: str | None = None
    """What is missing before the barrier between the two, which does not order them for that."""
    stale_cache: str | None = None
    """The cache that may answer a load that waits in a loop with the value before the store for ever."""
    text: str


@dataclass(frozen=True, kw_only=True)
class ValidateMachineInUse:
    seed: int
    judged: bool
    """False: the captured code itself gives another result there."""


@dataclass(frozen=True, kw_only=True)
class ValidateInputsTriedArray:
    region: str | None = None
    variable: str | None = None
    """In place of a region."""
    offset: float
    """Of the first element."""
    elements: float
    dtype: str
    declared: bool
    """By the signature or kernel.json; else guessed from what the memory holds."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateInputsTriedArgument:
    """What is changed among the arguments."""

    name: str
    from_: float | str = field(metadata={"json": "from"})
    to: float | str
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateInputsTried:
    input: float
    """Its number: --inputs-only."""
    verdict: Literal["same", "dropped", "different", "past_lds", "fault", "limit"]
    """"same": as the captured code. "dropped": it counts for nothing. "past_lds": the same bytes, but the variant alone goes
    past the end of LDS.
    """
    reason: str | None = None
    """Why it was dropped, or under which condition it is different."""
    recipe: str | None = None
    """How its arrays differ from the captured input."""
    arrays: list[ValidateInputsTriedArray]
    """What is changed in memory."""
    argument: ValidateInputsTriedArgument | None = None
    """What is changed among the arguments."""
    changes: str
    """In words."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What it has besides, by its name in JSON."""


@dataclass(frozen=True, kw_only=True)
class ValidateInputs:
    """With --inputs: how the code did with inputs derived from the captured one."""

    asked: int
    seed: int
    judged: int
    """Inputs of which the captured code made something that the judged code was held against."""
    dropped: int
    failed: int | None
    """The number of the input for which the code is wrong (--inputs-only)."""
    reason: str | None
    """Why none, or no further one, was judged."""
    tried: list[ValidateInputsTried]


@dataclass(frozen=True, kw_only=True)
class ValidateDelays:
    """On cuda: how the code did while warps or half of the blocks waited."""

    replays: int
    """How many ran with random delays: fewer than were asked for after a failure."""
    halves: int
    """How many more ran in which half of the blocks waited at one access: as many as there was time for."""
    of_halves: int
    """Of so many: four for each access to global memory, up to 16 of these (both halves, by two halvings), and for each atomic
    or flag that may overtake a store; 0 if the kernel has none.
    """
    sites: int
    """Accesses to memory and barriers at which warps may wait."""
    left: int
    """Those in functions that are not inlined, at which none waits."""
    judged: bool
    reason: str | None
    """Why it was not judged."""
    seed: int | None
    """Of the replay that differed."""
    half: int | None
    """The half of the blocks that waited in the replay that differed; null if warps waited at random."""
    late_stores: bool
    """Whether these blocks did not wait, but their stores came behind an atomic or a flag: no fence orders them."""
    places: list[str]
    """The lines that race: where warps must wait for the result to differ, and the access that overtakes it, if it was found."""


@dataclass(frozen=True, kw_only=True)
class ValidateReplay:
    poison: str
    seed: int | None
    """Null on hardware, which takes none."""
    machine_in_use: Literal[True] | None = None
    """It was the launch on a machine in use that failed."""
    verdict: str
    differing_bytes: float
    wave_instructions: float | None


@dataclass(frozen=True, kw_only=True)
class ValidateDispatch:
    dispatch: float
    """The number by which the dispatch was selected."""
    capture: str
    """Its folder, relative to the reproducer."""
    capture_sha256: str
    selfcheck: Literal["verified", "nondeterministic", "order-dependent"]
    selfcheck_sha256: str
    """Of the selfcheck.json that was judged by."""
    selfcheck_sealed: bool
    """Whether that is known to be what the capture has left: older versions wrote no digest of its content."""
    verdict: Literal["pass", "fail", "vacuous", "fault", "limit"]
    summary: str
    launch: ValidateLaunch | None
    """Where kernel.json (configuration) or the source has the variant launched otherwise than the app does. Else null."""
    compared_bytes: float
    changed_bytes: float
    """Bytes in which the captured dispatch changed memory."""
    ignored_bytes: float
    """Bytes left out because their argument has the role "workspace" or "ignore"."""
    varying_bytes: float
    """Bytes judged by the range that the self-check recorded."""
    unjudged_bytes: float
    """Bytes left out because the order of waves decides what they hold (links of a list, places in a table)."""
    overwritten_bytes: float
    """Bytes that the captured code overwrites without reading them: judged by launches that began with other values there as
    well.
    """
    rewritten_bytes: float
    """Of these, the bytes that the captured dispatch left as they were: they count as changed ones do."""
    differing_bytes: float
    state: ValidateState | None = None
    """What the variant keeps from launch to launch; null where it keeps nothing."""
    regions: list[ValidateRegion]
    """What the kernel changed, and what differs; all else is equal. Each row is of one replay."""
    fault: str | None
    adverse: ValidateAdverse | None = None
    """The replay in the adverse order."""
    races: list[ValidateRace] | None = None
    """Those that the captured code does not have."""
    inputs: ValidateInputs | None = None
    """With --inputs: how the code did with inputs derived from the captured one."""
    delays: ValidateDelays | None = None
    """On cuda: how the code did while warps or half of the blocks waited."""


@dataclass(frozen=True, kw_only=True)
class ValidateNotJudged:
    dispatch: float
    """The number by which the dispatch was selected."""
    capture: str
    """Its folder, relative to the reproducer."""
    kernel: str
    symbol: str
    reason: Literal["left out", "another kernel"]
    """"left out": --capture names others. "another kernel" of the same selection: --capture judges one."""


@dataclass(frozen=True, kw_only=True)
class ValidateEditedLinesNotRun:
    file: str
    line: int


@dataclass(frozen=True, kw_only=True)
class ValidateEditedLinesPartlyRun:
    file: str
    line: int
    column: int


@dataclass(frozen=True, kw_only=True)
class ValidateEditedLines:
    """Counted in one more replay of each dispatch; where the variant has line information."""

    edited: int
    """Lines that were added or changed since extraction, in every file that was compiled."""
    without_code: int
    """Of these, the lines without instructions of their own: comments, or merged or dropped by the compiler."""
    not_run: list[ValidateEditedLinesNotRun]
    """Of these, the lines with instructions of which no replay executed one."""
    partly_run: list[ValidateEditedLinesPartlyRun] | None = None
    """Of these, the lines of which only a part ran: no instruction of this column, such as a branch behind its condition."""


@dataclass(frozen=True, kw_only=True)
class ValidateResult(StageResult):
    """What validate found."""

    schema: Literal["kernloop.report/1"]
    verdict: Literal["pass", "fail", "vacuous", "fault", "limit"]
    exit_code: int
    summary: str
    """The result line without its verdict."""
    kernel: str
    symbol: str
    code: Literal["captured", "variant"]
    variant: str | None
    """The code object, relative to the reproducer."""
    code_object_sha256: str
    dispatch: float
    """The number by which the dispatch was selected."""
    capture: str
    """Its folder, relative to the reproducer."""
    capture_sha256: str
    selfcheck: Literal["verified", "nondeterministic", "order-dependent"]
    selfcheck_sha256: str
    """Of the selfcheck.json that was judged by."""
    selfcheck_sealed: bool
    """Whether that is known to be what the capture has left: older versions wrote no digest of its content."""
    device: ValidateDevice
    launch: ValidateLaunch | None
    """Where kernel.json (configuration) or the source has the variant launched otherwise than the app does. Else null."""
    compared_bytes: float
    changed_bytes: float
    """Bytes in which the captured dispatch changed memory."""
    ignored_bytes: float
    """Bytes left out because their argument has the role "workspace" or "ignore"."""
    varying_bytes: float
    """Bytes judged by the range that the self-check recorded."""
    unjudged_bytes: float
    """Bytes left out because the order of waves decides what they hold (links of a list, places in a table)."""
    overwritten_bytes: float
    """Bytes that the captured code overwrites without reading them: judged by launches that began with other values there as
    well.
    """
    rewritten_bytes: float
    """Of these, the bytes that the captured dispatch left as they were: they count as changed ones do."""
    differing_bytes: float
    state: ValidateState | None = None
    """What the variant keeps from launch to launch; null where it keeps nothing."""
    stray: list[ValidateStray] | None = None
    """Where the variant writes what lay there already, and the captured code neither reads nor writes."""
    untouched_reads: list[ValidateUntouchedRead] | None = None
    """What the result depends on, and the captured code neither reads nor writes: 64 bytes around it were 0."""
    short_records: list[ValidateShortRecord] | None = None
    """Record lengths that the user gives below one that the self-check found: their parts are judged apart."""
    initializers: list[ValidateInitializer] | None = None
    """Module variables whose initializer the variant changes, where there are any."""
    float_atomics: list[ValidateFloatAtomic] | None = None
    """On the software GPU: regions where the variant uses floating-point atomics that do nothing on the real GPU, or may do
    nothing, and the captured code none.
    """
    past_lds: list[ValidatePastLd] | None = None
    """On the software GPU: instructions that went past the end of LDS, where hardware goes on."""
    free_order: list[ValidateFreeOrder]
    """Arrays that threads fill in any order: judged as records, each group by itself."""
    tolerance: ValidateTolerance | None
    """Null where every byte must be equal."""
    usual_tolerance: ValidateUsualTolerance | None = None
    """Where not every byte is equal, none was asked for, and rounding explains the differences: this one would pass."""
    regions: list[ValidateRegion]
    """What the kernel changed, and what differs; all else is equal. Each row is of one replay."""
    differences: list[ValidateDifference]
    fault: str | None
    sanitizer: list[ValidateSanitizer] | None = None
    """With --racecheck, --initcheck or --memcheck: what compute-sanitizer found in a replay of the code that was judged."""
    adverse: ValidateAdverse | None = None
    """The replay in the adverse order."""
    races: list[ValidateRace] | None = None
    """Those that the captured code does not have."""
    machine_in_use: ValidateMachineInUse | None = None
    """The launch as on a GPU that others use: small numbers where nobody wrote, clocks that have run for hours, any compute
    unit, a queue with other packets in it.
    """
    inputs: ValidateInputs | None = None
    """With --inputs: how the code did with inputs derived from the captured one."""
    delays: ValidateDelays | None = None
    """On cuda: how the code did while warps or half of the blocks waited."""
    replays: list[ValidateReplay]
    dispatches: list[ValidateDispatch]
    """Every captured dispatch that was judged, by number. What stands above is that of the worst, or of the first where all
    are the same.
    """
    not_judged: list[ValidateNotJudged]
    """Captured dispatches that were not judged."""
    edited_lines: ValidateEditedLines | None = None
    """Counted in one more replay of each dispatch; where the variant has line information."""
    unjudged_edit: str | None = None
    """An edited source, or a code object, beside the captured code that --variant none had judged instead."""


@dataclass(frozen=True, kw_only=True)
class TuneDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class TuneSpaceParameter:
    name: str
    values: list[float | str | bool]
    kind: str


@dataclass(frozen=True, kw_only=True)
class TuneSpace:
    parameters: list[TuneSpaceParameter]
    constraints: list[str]
    search: Literal["grid", "random"]
    seed: int | None
    configurations: int
    """Of the whole grid, before constraints."""
    excluded: int | None
    """By the constraints; null for a random search, which does not count them."""


@dataclass(frozen=True, kw_only=True)
class TuneCapturedTimeCi95:
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class TuneCaptured:
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Executed by all judged dispatches together; null on hardware. A count, not a time."""
    time_ns: float | None = field(metadata={"json": "timeNs"})
    """On hardware: the medians of all judged dispatches together."""
    time_ratio: float | None = field(metadata={"json": "timeRatio"})
    """On hardware: its time over that of the captured code, measured in turns."""
    time_ci95: TuneCapturedTimeCi95 | None = field(metadata={"json": "timeCi95"})
    """Of that ratio."""


@dataclass(frozen=True, kw_only=True)
class TuneCandidate:
    key: str
    """Of all that decides it; the name of its file in build/tune/candidates."""
    is_base: bool = field(metadata={"json": "isBase"})
    """The source as it is."""
    parameters: dict[str, float | str | bool]
    """Empty for the source as it is, where that has not one of these values."""
    status: Literal["pass", "fail", "vacuous", "fault", "limit", "not-compiled", "not-launched"]
    reason: str
    """The summary of the verdict, or the error."""
    score: TuneCaptured | None
    """Only of what passes."""
    ratio: float | None
    """Its score over that of the base, which has 1; null where either has none."""
    code_object_sha256: str | None = field(metadata={"json": "codeObjectSha256"})
    from_cache: bool = field(metadata={"json": "fromCache"})
    """Of an earlier run."""


@dataclass(frozen=True, kw_only=True)
class TuneBestInputs:
    judged: int
    """Inputs of which the captured code made something that the candidate was held against."""
    dropped: int
    """Inputs that the captured code cannot take."""


@dataclass(frozen=True, kw_only=True)
class TuneFiles:
    result: str
    plot: str
    svg: str
    patch: str | None
    """The best configuration as a patch of the reproducer."""


@dataclass(frozen=True, kw_only=True)
class TuneResult(StageResult):
    """What tune tried, and what came of it."""

    schema: Literal["kernloop.tune/1"]
    kernel: str
    device: TuneDevice
    scored_by: Literal["wave_instructions", "duration_ns"] = field(metadata={"json": "scoredBy"})
    dispatches: list[int]
    """Captured dispatches that every candidate was judged and scored with."""
    space: TuneSpace
    captured: TuneCaptured | None
    """The captured code, beside the candidates."""
    candidates: list[TuneCandidate]
    """Best first."""
    best: str | None
    """Key of the best candidate that passes and is better than the source as it is, judged and measured once more at the end;
    null for none.
    """
    best_inputs: TuneBestInputs | None = field(default=None, metadata={"json": "bestInputs"})
    """Derived inputs that the best candidate was judged by, of all dispatches together. Null for none: without a best
    candidate, with --inputs 0, on hardware, or because its replay is too long for the default. Older results have none.
    """
    reason: str
    evaluated: int
    from_cache: int = field(metadata={"json": "fromCache"})
    files: TuneFiles
    applied: list[str]
    """Files that --apply wrote."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementDiagnostic:
    file: str
    """As the candidate names it; an absolute path for a header of the toolchain."""
    line: int
    column: int | None
    severity: Literal["error", "warning"]
    message: str


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementWorstFirst:
    element: int
    expected: float | str
    actual: float | str


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementWorst:
    where: str
    """Parameter, else region or module variable."""
    type: str
    """Element type: "f32", "i64", …."""
    elements: int
    wrong: int
    """Elements that did not pass."""
    max_abs_error: float | None = field(metadata={"json": "maxAbsError"})
    max_rel_error: float | None = field(metadata={"json": "maxRelError"})
    max_ulp_error: float | None = field(metadata={"json": "maxUlpError"})
    first: JudgeJudgementWorstFirst | None
    """The first wrong element."""


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementDerivedInputs:
    judged: int
    dropped: int


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementScoreTimeCi95:
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementScore:
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Executed by all judged dispatches together; null on hardware. A count, not a time."""
    time_ns: float | None = field(metadata={"json": "timeNs"})
    """On hardware: the medians of all judged dispatches together."""
    time_ratio: float | None = field(metadata={"json": "timeRatio"})
    """On hardware: its time over that of the captured code, measured in turns."""
    time_ci95: JudgeJudgementScoreTimeCi95 | None = field(metadata={"json": "timeCi95"})
    """Of that ratio."""


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementResources:
    vector_registers: int = field(metadata={"json": "vectorRegisters"})
    """Registers of a lane; of a thread on CUDA."""
    scalar_registers: int | None = field(metadata={"json": "scalarRegisters"})
    spilled_vector: int | None = field(metadata={"json": "spilledVector"})
    """Null in a cubin, which does not tell."""
    private_bytes: int | None = field(metadata={"json": "privateBytes"})
    """Private (local) memory of a lane; null if only a run knows."""
    static_shared: int = field(metadata={"json": "staticShared"})
    """Bytes of static LDS (shared memory) of a block."""


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementDecidedByCapture:
    dispatch: int
    capture: str
    selfcheck: str


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementDecidedByDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementDecidedBy:
    kernloop: str
    """Version."""
    programs: dict[str, str]
    """Native programs that replayed and compared."""
    kernel_json: str = field(metadata={"json": "kernelJson"})
    """"none" here, and for the other files that decide, is one that is not there."""
    captures: list[JudgeJudgementDecidedByCapture]
    sources: dict[str, str]
    """Every file that the compilation could read, by name in the reproducer: no compiler tells all that it read."""
    outside: dict[str, str]
    """Files of the workspace, but not of the reproducer, that were compiled, by path from the reproducer."""
    recipe: str
    """Of the captured command of the compiler, with its options."""
    overlay: str
    """Of the places that the files of the reproducer have in the compilation; "none" for Triton."""
    compiler: str
    """Its version, in words."""
    code_object: str | None = field(metadata={"json": "codeObject"})
    """Of the compiled candidate; null if there is none."""
    configuration: Any
    """Macros and launch; null for those of the app."""
    settings: dict[str, Any]
    """Options of validate that were in force."""
    device: JudgeJudgementDecidedByDevice
    sandboxed: bool
    """Whether the candidate was compiled in the sandbox."""


@dataclass(frozen=True, kw_only=True)
class JudgeJudgementDurationsMs:
    waited: float
    compile: float
    judge: float


@dataclass(frozen=True, kw_only=True)
class JudgeJudgement:
    """Verdict of `kernloop judge` on one candidate."""

    schema: Literal["kernloop.judgement/1"]
    id: str
    kernel: str
    label: str | None
    verdict: Literal["pass", "fail", "vacuous", "fault", "limit", "not-compiled", "not-launched", "error", "cancelled"]
    summary: str
    """The verdict in words, or the first error."""
    error: str | None
    """Error code, if the candidate has no verdict of validate."""
    place: str | None
    """FILE:LINE of what is wrong, if it is known."""
    diagnostics: list[JudgeJudgementDiagnostic]
    """Errors and warnings of the compiler, at most 100."""
    compared_bytes: int = field(metadata={"json": "comparedBytes"})
    differing_bytes: int = field(metadata={"json": "differingBytes"})
    worst: list[JudgeJudgementWorst]
    """Arrays with wrong elements, the worst first, at most 16."""
    races: list[str]
    """Races that the captured code does not have, at most 16."""
    derived_inputs: JudgeJudgementDerivedInputs | None = field(metadata={"json": "derivedInputs"})
    """Inputs derived from the captured one, by which it was judged as well."""
    keeps_state: bool = field(metadata={"json": "keepsState"})
    """Whether the variant keeps values in memory of its own from launch to launch."""
    score: JudgeJudgementScore | None
    """Only of what passes."""
    ratio: float | None
    """Score over that of the captured code: below 1 is better. Time on hardware, wave-instructions on the software GPU."""
    resources: JudgeJudgementResources | None
    decided_by: JudgeJudgementDecidedBy | None = field(metadata={"json": "decidedBy"})
    """Null if it was cancelled, or ended before it was compiled."""
    durations_ms: JudgeJudgementDurationsMs = field(metadata={"json": "durationsMs"})
    from_cache: bool = field(metadata={"json": "fromCache"})
    """The same files were judged before, under the same conditions."""
    judged_at: str = field(metadata={"json": "judgedAt"})
    """UTC, ISO 8601."""


@dataclass(frozen=True, kw_only=True)
class JudgeResult(StageResult):
    """Verdicts of judge on each candidate."""

    schema: Literal["kernloop.judge/1"]
    judgements: list[JudgeJudgement]
    """In the order of the candidates."""
    reports: list[str]
    """The signed reports, in the same order: `kernloop verify-report` reads them."""
    public_key: str = field(metadata={"json": "publicKey"})
    """Key of the judge that signed them."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementDiagnostic:
    file: str
    """As the candidate names it; an absolute path for a header of the toolchain."""
    line: int
    column: int | None
    severity: Literal["error", "warning"]
    message: str


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementWorstFirst:
    element: int
    expected: float | str
    actual: float | str


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementWorst:
    where: str
    """Parameter, else region or module variable."""
    type: str
    """Element type: "f32", "i64", …."""
    elements: int
    wrong: int
    """Elements that did not pass."""
    max_abs_error: float | None = field(metadata={"json": "maxAbsError"})
    max_rel_error: float | None = field(metadata={"json": "maxRelError"})
    max_ulp_error: float | None = field(metadata={"json": "maxUlpError"})
    first: VerifyReportReportJudgementWorstFirst | None
    """The first wrong element."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementDerivedInputs:
    judged: int
    dropped: int


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementScoreTimeCi95:
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementScore:
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Executed by all judged dispatches together; null on hardware. A count, not a time."""
    time_ns: float | None = field(metadata={"json": "timeNs"})
    """On hardware: the medians of all judged dispatches together."""
    time_ratio: float | None = field(metadata={"json": "timeRatio"})
    """On hardware: its time over that of the captured code, measured in turns."""
    time_ci95: VerifyReportReportJudgementScoreTimeCi95 | None = field(metadata={"json": "timeCi95"})
    """Of that ratio."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementResources:
    vector_registers: int = field(metadata={"json": "vectorRegisters"})
    """Registers of a lane; of a thread on CUDA."""
    scalar_registers: int | None = field(metadata={"json": "scalarRegisters"})
    spilled_vector: int | None = field(metadata={"json": "spilledVector"})
    """Null in a cubin, which does not tell."""
    private_bytes: int | None = field(metadata={"json": "privateBytes"})
    """Private (local) memory of a lane; null if only a run knows."""
    static_shared: int = field(metadata={"json": "staticShared"})
    """Bytes of static LDS (shared memory) of a block."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementDecidedByCapture:
    dispatch: int
    capture: str
    selfcheck: str


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementDecidedByDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementDecidedBy:
    kernloop: str
    """Version."""
    programs: dict[str, str]
    """Native programs that replayed and compared."""
    kernel_json: str = field(metadata={"json": "kernelJson"})
    """"none" here, and for the other files that decide, is one that is not there."""
    captures: list[VerifyReportReportJudgementDecidedByCapture]
    sources: dict[str, str]
    """Every file that the compilation could read, by name in the reproducer: no compiler tells all that it read."""
    outside: dict[str, str]
    """Files of the workspace, but not of the reproducer, that were compiled, by path from the reproducer."""
    recipe: str
    """Of the captured command of the compiler, with its options."""
    overlay: str
    """Of the places that the files of the reproducer have in the compilation; "none" for Triton."""
    compiler: str
    """Its version, in words."""
    code_object: str | None = field(metadata={"json": "codeObject"})
    """Of the compiled candidate; null if there is none."""
    configuration: Any
    """Macros and launch; null for those of the app."""
    settings: dict[str, Any]
    """Options of validate that were in force."""
    device: VerifyReportReportJudgementDecidedByDevice
    sandboxed: bool
    """Whether the candidate was compiled in the sandbox."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgementDurationsMs:
    waited: float
    compile: float
    judge: float


@dataclass(frozen=True, kw_only=True)
class VerifyReportReportJudgement:
    """Verdict of `kernloop judge` on one candidate."""

    schema: Literal["kernloop.judgement/1"]
    id: str
    kernel: str
    label: str | None
    verdict: Literal["pass", "fail", "vacuous", "fault", "limit", "not-compiled", "not-launched", "error", "cancelled"]
    summary: str
    """The verdict in words, or the first error."""
    error: str | None
    """Error code, if the candidate has no verdict of validate."""
    place: str | None
    """FILE:LINE of what is wrong, if it is known."""
    diagnostics: list[VerifyReportReportJudgementDiagnostic]
    """Errors and warnings of the compiler, at most 100."""
    compared_bytes: int = field(metadata={"json": "comparedBytes"})
    differing_bytes: int = field(metadata={"json": "differingBytes"})
    worst: list[VerifyReportReportJudgementWorst]
    """Arrays with wrong elements, the worst first, at most 16."""
    races: list[str]
    """Races that the captured code does not have, at most 16."""
    derived_inputs: VerifyReportReportJudgementDerivedInputs | None = field(metadata={"json": "derivedInputs"})
    """Inputs derived from the captured one, by which it was judged as well."""
    keeps_state: bool = field(metadata={"json": "keepsState"})
    """Whether the variant keeps values in memory of its own from launch to launch."""
    score: VerifyReportReportJudgementScore | None
    """Only of what passes."""
    ratio: float | None
    """Score over that of the captured code: below 1 is better. Time on hardware, wave-instructions on the software GPU."""
    resources: VerifyReportReportJudgementResources | None
    decided_by: VerifyReportReportJudgementDecidedBy | None = field(metadata={"json": "decidedBy"})
    """Null if it was cancelled, or ended before it was compiled."""
    durations_ms: VerifyReportReportJudgementDurationsMs = field(metadata={"json": "durationsMs"})
    from_cache: bool = field(metadata={"json": "fromCache"})
    """The same files were judged before, under the same conditions."""
    judged_at: str = field(metadata={"json": "judgedAt"})
    """UTC, ISO 8601."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportReport:
    file: str
    judgement: VerifyReportReportJudgement
    """Verdict of `kernloop judge` on one candidate."""


@dataclass(frozen=True, kw_only=True)
class VerifyReportResult(StageResult):
    """Verdicts of signed reports that are genuine."""

    schema: Literal["kernloop.verify-report/1"]
    public_key: str = field(metadata={"json": "publicKey"})
    """Key of the judge that is trusted, and that has signed all of them."""
    reports: list[VerifyReportReport]
    """In the order of the files. All are genuine: another one is an error."""
    reproducer: str | None
    """Kernel whose reproducer all are of; null if none was named."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class ExportTaskResult(StageResult):
    """Files of a task that was made of a reproducer."""

    schema: Literal["kernloop.export-task/1"]
    kernel: str
    format: Literal["agent-kernel-arena", "flashinfer-bench"]
    folder: str
    files: list[str]
    """Files that were written, relative to the folder; a trailing / is a whole folder."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoShowFunctionBlock:
    block: int
    file: str | None
    line: int | None
    text: str | None
    column: int | None
    lanes: float | None
    """How often lanes came by; null where no counter tells."""
    waves: float | None
    """How often waves came by."""
    uniform_share: float | None = field(metadata={"json": "uniformShare"})
    """Share of the lanes that came with all that were at the branch before."""
    letter: Literal["U", "D"] | None
    """U where that share is 0.9 and more, or nobody came; D otherwise."""
    spill_store_dwords: float = field(metadata={"json": "spillStoreDwords"})
    """Stores that register allocation placed there, in dwords of a lane."""
    spill_load_dwords: float = field(metadata={"json": "spillLoadDwords"})


@dataclass(frozen=True, kw_only=True)
class PgoShowFunctionOutsideBlocks:
    """Spills in blocks that are none of the source: the compiler made them."""

    spill_store_dwords: float = field(metadata={"json": "spillStoreDwords"})
    spill_load_dwords: float = field(metadata={"json": "spillLoadDwords"})


@dataclass(frozen=True, kw_only=True)
class PgoShowFunction:
    name: str
    """In the profile."""
    symbol: str | None
    hash: str
    is_kernel: bool = field(metadata={"json": "isKernel"})
    pattern: str
    """One letter a counter."""
    counters: int
    blocks: list[PgoShowFunctionBlock]
    """In the order of the code as it was instrumented."""
    outside_blocks: PgoShowFunctionOutsideBlocks = field(metadata={"json": "outsideBlocks"})
    """Spills in blocks that are none of the source: the compiler made them."""


@dataclass(frozen=True, kw_only=True)
class PgoShowLine:
    file: str
    line: int
    text: str | None
    lanes: float | None
    """How often lanes came by; null where no counter tells."""
    waves: float | None
    """How often waves came by."""
    uniform_share: float | None = field(metadata={"json": "uniformShare"})
    """Share of the lanes that came with all that were at the branch before."""
    letter: Literal["U", "D"] | None
    """U where that share is 0.9 and more, or nobody came; D otherwise."""
    spill_store_dwords: float = field(metadata={"json": "spillStoreDwords"})
    """Stores that register allocation placed there, in dwords of a lane."""
    spill_load_dwords: float = field(metadata={"json": "spillLoadDwords"})


@dataclass(frozen=True, kw_only=True)
class PgoShowResult(StageResult):
    """Show the profile of a kernel, block by block: counts, wave visits, uniformity, spills."""

    kernel: str
    arch: str
    wave_size: int = field(metadata={"json": "waveSize"})
    sampling: str
    spills_of: str | None = field(metadata={"json": "spillsOf"})
    """The variant that the spills are of; null where none was built."""
    functions: list[PgoShowFunction]
    lines: list[PgoShowLine]
    """Of the source: the busiest block of each line, with the spills of all of them."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoInstrumentResult(StageResult):
    """Build a kernel with counters in it."""

    kernel: str
    code_object: str = field(metadata={"json": "codeObject"})
    """The instrumented code, absolute."""
    code_object_sha256: str = field(metadata={"json": "codeObjectSha256"})
    compiler: str
    functions: int
    """Functions with counters."""
    counters: int
    up_to_date: bool = field(metadata={"json": "upToDate"})
    """It was there already, from the same sources, options and compiler."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoGenerateDispatch:
    dispatch: float
    capture: str
    """Its folder, relative to the reproducer."""
    verdict: str
    """Whether the instrumented code left in memory what the app computed."""
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Of the instrumented code; null on hardware."""
    captured_wave_instructions: float | None = field(metadata={"json": "capturedWaveInstructions"})
    files: list[str]
    """Raw profiles, relative to pgo/raw, the .profraw first."""


@dataclass(frozen=True, kw_only=True)
class PgoGenerateResult(StageResult):
    """Replay the captured dispatches with counters in the kernel."""

    kernel: str
    folder: str
    """Where the raw profiles are, absolute."""
    arch: str
    wave_size: int = field(metadata={"json": "waveSize"})
    sampling: str
    instrumented_sha256: str = field(metadata={"json": "instrumentedSha256"})
    dispatches: list[PgoGenerateDispatch]
    exit_code: int = field(metadata={"json": "exitCode"})


@dataclass(frozen=True, kw_only=True)
class PgoMergeInput:
    file: str
    weight: int


@dataclass(frozen=True, kw_only=True)
class PgoMergeResult(StageResult):
    """Merge raw profiles into one that the compiler reads, with uniformity and wave visits."""

    kernel: str
    profile: str
    """The indexed profile, which llvm-profdata-22 and clang-22 read; absolute."""
    waves: str
    """The side file: uniform lanes and wave visits; absolute."""
    profile_sha256: str = field(metadata={"json": "profileSha256"})
    arch: str
    inputs: list[PgoMergeInput]
    functions: int
    counters: int
    notes: list[str]
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoBuildVariant:
    name: str
    """base: without a profile; off, uniform, flatten and wave: which frequencies spills see; use: with a profile, of CUDA."""
    code_object: str = field(metadata={"json": "codeObject"})
    """Absolute."""
    code_object_sha256: str = field(metadata={"json": "codeObjectSha256"})
    spill_dwords: float | None = field(metadata={"json": "spillDwords"})
    """Stores and loads that register allocation placed in the kernel."""
    score: float | None
    """Spilled dwords times measured wave visits of their blocks; null where the profile does not tell."""


@dataclass(frozen=True, kw_only=True)
class PgoBuildResult(StageResult):
    """Build a kernel with its profile, once for each spill-placement gate."""

    kernel: str
    profile_sha256: str = field(metadata={"json": "profileSha256"})
    compiler: str
    up_to_date: bool = field(metadata={"json": "upToDate"})
    """They were there already, from the same sources, profile and compiler."""
    variants: list[PgoBuildVariant]
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoUseDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class PgoUseCapturedTimeCi95:
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class PgoUseCaptured:
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Executed by all captured dispatches; null on hardware."""
    scratch_wave_dwords: float | None = field(metadata={"json": "scratchWaveDwords"})
    """Dwords of private memory that its instructions moved, once for each wave; null on hardware."""
    time_ratio: float | None = field(metadata={"json": "timeRatio"})
    """On hardware: its time over that of the captured code."""
    time_ci95: PgoUseCapturedTimeCi95 | None = field(metadata={"json": "timeCi95"})


@dataclass(frozen=True, kw_only=True)
class PgoUseVariant:
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    """Executed by all captured dispatches; null on hardware."""
    scratch_wave_dwords: float | None = field(metadata={"json": "scratchWaveDwords"})
    """Dwords of private memory that its instructions moved, once for each wave; null on hardware."""
    time_ratio: float | None = field(metadata={"json": "timeRatio"})
    """On hardware: its time over that of the captured code."""
    time_ci95: PgoUseCapturedTimeCi95 | None = field(metadata={"json": "timeCi95"})
    name: str
    file: str
    """Relative to the reproducer."""
    sha256: str
    verdict: str
    """Of validate: whether it leaves in memory what the app computed."""
    summary: str
    spill_dwords: float | None = field(metadata={"json": "spillDwords"})
    score: float | None
    """The static selector: spilled dwords times measured wave visits; lower is better."""
    judgement: str
    """Why it was kept, or why not."""


@dataclass(frozen=True, kw_only=True)
class PgoUsePlaced:
    file: str
    """Relative to the reproducer."""
    sha256: str
    recipe_sha256: str
    sources: dict[str, str]
    outside: dict[str, str]
    system: dict[str, str]
    absent: list[str]


@dataclass(frozen=True, kw_only=True)
class PgoUseResult(StageResult):
    """What pgo-use compared, and what it kept."""

    schema: Literal["kernloop.pgo-choice/1"]
    kernel: str
    key: str
    """Of all that decides the choice; empty where times were measured, which are never reused."""
    profile_sha256: str
    compiler: str
    device: PgoUseDevice
    captured: PgoUseCaptured
    variants: list[PgoUseVariant]
    kept: str | None
    """The variant that is better than the captured code and than base; null for none."""
    selector: str | None
    """Which one the static selector would have taken, without a replay."""
    reason: str
    placed: PgoUsePlaced | None
    """Where it was put for validate and replay to find; null where it was not."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoAppInstrumentResult(StageResult):
    """Build an app again, with counters in its kernels."""

    app: str
    program: str
    """The instrumented program, absolute."""
    compiler: str
    units: int
    """Files that were compiled."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoAppGenerateResult(StageResult):
    """Run the instrumented app and collect the raw profiles of its kernels."""

    app: str
    folder: str
    """Where the raw profiles are, absolute."""
    files: list[str]
    """A raw profile for each translation unit with device code, and process."""
    host_files: list[str] = field(metadata={"json": "hostFiles"})
    """A raw profile of the host code for each process, where that was counted."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoAppMergeResult(StageResult):
    """Merge the raw profiles of an app into one that the compiler reads."""

    app: str
    profile: str
    """The indexed profile, which llvm-profdata-22 and clang-22 read; absolute."""
    host_profile: str | None = field(metadata={"json": "hostProfile"})
    """The indexed profile of the host code, absolute; null where that was not counted."""
    waves: str
    """The side file: uniform lanes and wave visits; absolute."""
    profile_sha256: str = field(metadata={"json": "profileSha256"})
    arch: str
    functions: int
    counters: int
    notes: list[str]
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoAppBuildBuild:
    name: str
    """base: clang 22 without a profile; the others by the gate."""
    program: str
    """Absolute."""
    sha256: str


@dataclass(frozen=True, kw_only=True)
class PgoAppBuildResult(StageResult):
    """Build an app with its kernel profile, once for each spill-placement gate."""

    app: str
    profile_sha256: str = field(metadata={"json": "profileSha256"})
    compiler: str
    builds: list[PgoAppBuildBuild]
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoAppUseDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class PgoAppUseBuildKernel:
    name: str
    symbol: str
    dispatches: float
    total: float
    """Wave-instructions of all dispatches; on hardware ns of GPU time, the median of all runs."""


@dataclass(frozen=True, kw_only=True)
class PgoAppUseBuild:
    name: str
    """own: as the app builds itself; base: clang 22 without a profile; the others by the gate."""
    program: str
    """Absolute."""
    sha256: str
    right: bool
    """It ended as the app does, and wrote the same."""
    total: float
    least: float
    """Of all runs: on hardware a build is better only where its slowest run is below the fastest of the other."""
    most: float
    kernels: list[PgoAppUseBuildKernel]
    judgement: str


@dataclass(frozen=True, kw_only=True)
class PgoAppUseResult(StageResult):
    """Compare the profiled builds with the app itself, and keep the best one."""

    schema: Literal["kernloop.pgo-app-choice/1"]
    app: str
    profile_sha256: str
    compiler: str
    device: PgoAppUseDevice
    builds: list[PgoAppUseBuild]
    kept: str | None
    """The build that executes less, or is faster, than the app as it is and than base; null for none."""
    reason: str
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PgoRuntimeProgramMeasured:
    launches: int
    kernels: list[str]
    profile: str
    known: bool
    """A profile within the bound was there already, and its code is used."""
    gate: str
    """Of the code that is used from then on; base: no weights; empty where there is none."""


@dataclass(frozen=True, kw_only=True)
class PgoRuntimeProgramSampled:
    launches: int
    distance: float
    """From the profile, in percent."""
    changed: bool
    """Beyond the bound: measured again."""


@dataclass(frozen=True, kw_only=True)
class PgoRuntimeProgramRefused:
    code: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PgoRuntimeProgram:
    name: str
    """As the app called it."""
    folder: str | None
    """What the cache has of it, absolute; null where nothing is kept."""
    profile: str | None
    """The profile that was known when it was loaded."""
    own: int
    """Launches of the code that the app compiled."""
    counting: int
    """Launches of code with counters."""
    production: int
    """Launches of code that was made by a profile."""
    measured: list[PgoRuntimeProgramMeasured]
    sampled: list[PgoRuntimeProgramSampled]
    refused: list[PgoRuntimeProgramRefused]
    """Why it ran as the app compiled it, where it did."""


@dataclass(frozen=True, kw_only=True)
class PgoRuntimeBuilt:
    folder: str
    target: str
    instrumented: bool
    """Code with counters is there."""
    profiles: int
    """Profiles that were measured, and whose code is there."""
    problem: str | None


@dataclass(frozen=True, kw_only=True)
class PgoRuntimeResult(StageResult):
    """Run an app that compiles kernels at run time: measure them, then use their profiles."""

    app: str
    cache: str
    processes: int
    programs: list[PgoRuntimeProgram]
    built: list[PgoRuntimeBuilt]
    """With --phase build: what the cache has now of each program."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class StoreStoreVerifiedDamaged:
    sha256: str
    message: str
    captures: list[str]


@dataclass(frozen=True, kw_only=True)
class StoreStoreVerifiedUnreadable:
    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class StoreStoreVerified(StageResult):
    """Verify the chunk store, clean it up, or say what it holds."""

    event: Literal["store_verified"]
    chunks: float
    bytes_stored: float
    captures: float
    damaged_count: float
    damaged: list[StoreStoreVerifiedDamaged]
    missing_count: float
    missing: list[StoreStoreVerifiedDamaged]
    unreadable: list[StoreStoreVerifiedUnreadable]
    store: str
    """The folder of the store, absolute."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class StoreStoreStatsCapture:
    path: str
    kernel: str
    chunks: float
    bytes_stored: float
    bytes_own: float
    """What removing the capture, and gc, would free."""
    chunks_missing: float


@dataclass(frozen=True, kw_only=True)
class StoreStoreStats(StageResult):
    """Verify the chunk store, clean it up, or say what it holds."""

    event: Literal["store_stats"]
    chunks: float
    bytes_stored: float
    bytes_raw: float
    chunks_shared: float
    bytes_shared: float
    chunks_unused: float
    bytes_unused: float
    captures: list[StoreStoreStatsCapture]
    unreadable: list[StoreStoreVerifiedUnreadable]
    store: str
    """The folder of the store, absolute."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class StoreStoreCollected(StageResult):
    """Verify the chunk store, clean it up, or say what it holds."""

    event: Literal["store_collected"]
    dry_run: bool
    captures: float
    chunks_kept: float
    bytes_kept: float
    chunks_recent: float
    bytes_recent: float
    chunks_removed: float
    bytes_removed: float
    store: str
    """The folder of the store, absolute."""
    exit_code: int
    """Of the verb."""


StoreResult = Union[StoreStoreVerified, StoreStoreStats, StoreStoreCollected]
"""Verify the chunk store, clean it up, or say what it holds."""


@dataclass(frozen=True, kw_only=True)
class PackResult(StageResult):
    """Pack a capture, with every chunk it needs, into one file."""

    file: str
    """Absolute."""
    capture_sha256: str = field(metadata={"json": "captureSha256"})
    chunks: float
    bytes: float
    """Of the file."""
    encrypted: bool
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class UnpackResult(StageResult):
    """Unpack a packed capture and verify every byte."""

    capture: str
    """The folder, absolute."""
    outcome: Literal["written", "unchanged", "repaired"]
    """"unchanged": the same capture was there already; "repaired": it was, and got the chunks it lacked."""
    capture_sha256: str = field(metadata={"json": "captureSha256"})
    chunks: float
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PushCapture:
    folder: str
    kernel: str
    chunks: int
    regions: int
    region_bytes: int = field(metadata={"json": "regionBytes"})
    """Memory of the program that is in it."""


@dataclass(frozen=True, kw_only=True)
class PushResult(StageResult):
    """Send the captures of a reproducer to a server, so that other machines can pull them."""

    remote: str
    """URL of the server."""
    reference: str | None
    """SHA-256 that `kernloop pull` takes; with --dry-run and --encrypt there is none yet."""
    encrypted: bool
    captures: list[PushCapture]
    chunks_sent: int = field(metadata={"json": "chunksSent"})
    """With --dry-run, those that would be."""
    bytes_sent: int = field(metadata={"json": "bytesSent"})
    dry_run: bool = field(metadata={"json": "dryRun"})
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class PullCapture:
    capture: str
    """The folder, absolute."""
    outcome: Literal["written", "unchanged", "completed"]
    """"unchanged": it was there, complete; "completed": it was there, and has the chunks now that it lacked."""
    chunks: int
    chunks_fetched: int = field(metadata={"json": "chunksFetched"})


@dataclass(frozen=True, kw_only=True)
class PullResult(StageResult):
    """Fetch captures from a server and verify every byte."""

    remote: str
    """URL of the server."""
    captures: list[PullCapture]
    bytes_fetched: int = field(metadata={"json": "bytesFetched"})
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class TraceRunDevice:
    kind: str
    identity: str


@dataclass(frozen=True, kw_only=True)
class TraceRunProbe:
    name: str
    sha256: str
    callback: str | None


@dataclass(frozen=True, kw_only=True)
class TraceRunLaunchArray:
    name: str
    """Parameters that point to it, or the region."""
    address: str
    bytes: float


@dataclass(frozen=True, kw_only=True)
class TraceRunLaunchMap:
    name: str
    level: Literal["thread", "warp"]
    units: float
    """Threads or warps of the grid; partial blocks count as whole ones."""
    capacity: float
    """Records that each has room for."""
    kept: float
    dropped: float
    """Records that had no room."""
    most: float
    """Records of the thread or warp that had most, kept or not."""
    overflowed: float
    """Threads or warps that had more than there was room for."""
    counts: str
    """A u32 for each thread or warp, in the order of the map: its records, kept or not."""


@dataclass(frozen=True, kw_only=True)
class TraceRunLaunchRegisters:
    before: float
    after: float


@dataclass(frozen=True, kw_only=True)
class TraceRunLaunch:
    dispatch: float
    capture: str
    """Its folder, relative to the reproducer."""
    result: str | None
    """In the trace folder; null after a fault or a limit."""
    counted: bool
    """Whether a counting run was made before."""
    verdict: Literal["pass", "fail", "vacuous", "fault", "limit", "ran"]
    """Of the result in memory under probes, by what the app computed."""
    verdict_without: Literal["pass", "fail", "vacuous", "fault", "limit", "ran"] = field(metadata={"json": "verdictWithout"})
    """The same without probes."""
    reason: str | None
    fault: str | None
    compared_bytes: float = field(metadata={"json": "comparedBytes"})
    differing_bytes: float = field(metadata={"json": "differingBytes"})
    differing_bytes_without: float = field(metadata={"json": "differingBytesWithout"})
    warp_size: float = field(metadata={"json": "warpSize"})
    arrays: list[TraceRunLaunchArray]
    """Memory that the kernel was given, by address: what the addresses in records are of."""
    maps: list[TraceRunLaunchMap]
    registers: TraceRunLaunchRegisters | None
    """Where code was rewritten."""
    wave_instructions: float | None = field(metadata={"json": "waveInstructions"})
    milliseconds: float | None
    left_out: list[str] = field(metadata={"json": "leftOut"})
    """What the probes did not see."""
    callback: Literal["succeeded", "failed", "not run"] | None
    """Of the probe file; null if it has none."""


@dataclass(frozen=True, kw_only=True)
class TraceRunResult(StageResult):
    """Replay captured dispatches with probes in the kernel, and write a trace."""

    kernel: str
    symbol: str
    code: str
    """What was probed: the captured code or a variant."""
    device: TraceRunDevice
    clock: Literal["wave-instructions", "cycles"]
    """What clocks count. Wave-instructions are not times."""
    probe: TraceRunProbe
    launches: list[TraceRunLaunch]
    other_files: list[str] = field(metadata={"json": "otherFiles"})
    """Files in the trace folder that the CALLBACK left."""
    folder: str
    """Of the trace, absolute."""
    exit_code: int = field(metadata={"json": "exitCode"})


@dataclass(frozen=True, kw_only=True)
class TraceReadProcess:
    pid: float
    month: str
    day: float
    time: str


@dataclass(frozen=True, kw_only=True)
class TraceReadProbeProbe:
    name: str
    level: Literal["thread", "warp"]
    positions: list[str]


@dataclass(frozen=True, kw_only=True)
class TraceReadProbeMapField:
    name: str
    type: Literal["u64", "u32"]


@dataclass(frozen=True, kw_only=True)
class TraceReadProbeMap:
    name: str
    level: Literal["thread", "warp"]
    size: float
    capacity: float | Literal["dynamic"]
    fields: list[TraceReadProbeMapField]
    is_misread_by_neutrino: bool = field(metadata={"json": "isMisreadByNeutrino"})
    """Its fields are written in another order than Neutrino's own reader takes them in."""


@dataclass(frozen=True, kw_only=True)
class TraceReadProbe:
    schema: Literal["current", "artifact"]
    callback: str | None
    probes: list[TraceReadProbeProbe]
    maps: list[TraceReadProbeMap]


@dataclass(frozen=True, kw_only=True)
class TraceReadLogUnknown:
    line: float
    text: str


@dataclass(frozen=True, kw_only=True)
class TraceReadLogLaunch:
    kernel: str | None
    time_ns: str = field(metadata={"json": "timeNs"})
    parameters: list[str]
    grid: list[float] | None
    block: list[float] | None
    outcome: Literal["done", "failed", "unknown"]
    result: str | None
    prologue_ms: float | None = field(metadata={"json": "prologueMs"})
    kernel_ms: float | None = field(metadata={"json": "kernelMs"})
    epilogue_ms: float | None = field(metadata={"json": "epilogueMs"})
    callback: str | None


@dataclass(frozen=True, kw_only=True)
class TraceReadLogOverhead:
    launches: float
    ratio: float | None
    """Prologue, kernel and epilogue to the kernel's own time."""
    slowdown: float | None
    """Probed to original kernel, where the driver measured it."""


@dataclass(frozen=True, kw_only=True)
class TraceReadLog:
    events: float
    unknown: list[TraceReadLogUnknown]
    launches: list[TraceReadLogLaunch]
    overhead: TraceReadLogOverhead


@dataclass(frozen=True, kw_only=True)
class TraceReadKernel:
    folder: str
    name: str | None
    sha1: str | None
    is_name_of_folder: bool | None = field(metadata={"json": "isNameOfFolder"})
    """Whether the folder has the SHA-1 of the name."""
    registers: float | None
    files: list[str]


@dataclass(frozen=True, kw_only=True)
class TraceReadResultReason:
    dialect: Literal["warp-div", "total", "unit", "hip-total"]
    fits: bool
    reason: str


@dataclass(frozen=True, kw_only=True)
class TraceReadResultSection:
    bytes: float
    offset: float
    recorded_offset: float = field(metadata={"json": "recordedOffset"})
    unit_bytes: float | None = field(metadata={"json": "unitBytes"})
    is_ragged: bool = field(metadata={"json": "isRagged"})
    """The last warp of a block was written over by the first one of the next."""


@dataclass(frozen=True, kw_only=True)
class TraceReadResultMapColumn:
    name: str
    sum: str
    """Modulo 2^64."""
    least: str
    most: str
    nonzero: float


@dataclass(frozen=True, kw_only=True)
class TraceReadResultMap:
    name: str
    level: Literal["thread", "warp"]
    rows: float
    """Slots of records; nothing in the format says which of them were written."""
    columns: list[TraceReadResultMapColumn]


@dataclass(frozen=True, kw_only=True)
class TraceReadResultError:
    code: str
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class TraceReadResultEntry:
    file: str
    bytes: float
    seconds: float | None
    """Since the driver began, as its name says."""
    dialect: Literal["warp-div", "total", "unit", "hip-total"] | None
    reasons: list[TraceReadResultReason]
    grid: list[float] | None
    block: list[float] | None
    shared_bytes: float | None = field(metadata={"json": "sharedBytes"})
    sections: list[TraceReadResultSection]
    maps: list[TraceReadResultMap]
    error: TraceReadResultError | None


@dataclass(frozen=True, kw_only=True)
class TraceReadDmat:
    file: str
    bytes: float
    pages: float | None
    """Of 64 KiB, listed in the file."""
    clocks: float | None
    accesses: float | None
    first_clock: str | None = field(metadata={"json": "firstClock"})
    last_clock: str | None = field(metadata={"json": "lastClock"})
    error: TraceReadResultError | None


@dataclass(frozen=True, kw_only=True)
class TraceReadTimelineRank:
    rank: float
    device: str
    kept: float
    dropped: str
    """Events that found no room."""
    open: float
    """Never ended."""
    reversed: float
    """End before they start."""
    clock: str
    resolution: float
    """The clock's smallest step; 0 where nobody measured it."""
    error_ns: float | None = field(metadata={"json": "errorNs"})
    """No time of the rank is further from the host's clock than this; null where nothing bounds it."""


@dataclass(frozen=True, kw_only=True)
class TraceReadTimelineStatistic:
    rank: float
    name: str
    count: float
    open: float
    reversed: float
    total: float
    least: float
    most: float
    payload_bytes: float = field(metadata={"json": "payloadBytes"})
    lengths: list[float]
    """How many are shorter than 1, 2, 4, 8, …"""


@dataclass(frozen=True, kw_only=True)
class TraceReadTimeline:
    """Of a file of events that kernels recorded of themselves."""

    unit: Literal["ns", "steps"]
    """Of every length; steps of the software GPU are not times."""
    alignment: Literal["host", "single", "none"]
    """Ranks are on the host's clock (host), there is one only (single), or nothing relates their clocks (none)."""
    zero: str
    """What 0 of the timeline is: of the host's CLOCK_MONOTONIC where ranks are on it, else of the device."""
    ranks: list[TraceReadTimelineRank]
    statistics: list[TraceReadTimelineStatistic]
    flows: float
    """Arrows between ranks."""
    host_ranges: float = field(metadata={"json": "hostRanges"})
    launches: float
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class TraceReadResult(StageResult):
    """Show what a trace holds: a Neutrino trace (files, cost of the probes, columns), or kernel events."""

    path: str
    process: TraceReadProcess | None
    probe: TraceReadProbe | None
    log: TraceReadLog | None
    kernels: list[TraceReadKernel]
    tensors: float | None
    results: list[TraceReadResultEntry]
    dmats: list[TraceReadDmat]
    """Accesses by clock and page, which the dmat tool counted."""
    timeline: TraceReadTimeline | None = None
    """Of a file of events that kernels recorded of themselves."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class TraceGenResult(StageResult):
    """Generate code that reads the traces of a probe.toml, in TypeScript, Python or C."""

    file: str
    language: Literal["typescript", "python", "c"]
    maps: list[str]
    """Those that it reads."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class TraceExportFile:
    file: str
    map: str
    rows: float
    skipped: float
    """Slots that are all zero, where they were left out."""


@dataclass(frozen=True, kw_only=True)
class TraceExportTimelineRank:
    rank: float
    device: str
    kept: float
    dropped: str
    """Events that found no room."""
    open: float
    """Never ended."""
    reversed: float
    """End before they start."""
    clock: str
    resolution: float
    """The clock's smallest step; 0 where nobody measured it."""
    error_ns: float | None = field(metadata={"json": "errorNs"})
    """No time of the rank is further from the host's clock than this; null where nothing bounds it."""


@dataclass(frozen=True, kw_only=True)
class TraceExportTimelineStatistic:
    rank: float
    name: str
    count: float
    open: float
    reversed: float
    total: float
    least: float
    most: float
    payload_bytes: float = field(metadata={"json": "payloadBytes"})
    lengths: list[float]
    """How many are shorter than 1, 2, 4, 8, …"""


@dataclass(frozen=True, kw_only=True)
class TraceExportTimeline:
    """Of events that kernels recorded."""

    unit: Literal["ns", "steps"]
    """Of every length; steps of the software GPU are not times."""
    alignment: Literal["host", "single", "none"]
    """Ranks are on the host's clock (host), there is one only (single), or nothing relates their clocks (none)."""
    zero: str
    """What 0 of the timeline is: of the host's CLOCK_MONOTONIC where ranks are on it, else of the device."""
    ranks: list[TraceExportTimelineRank]
    statistics: list[TraceExportTimelineStatistic]
    flows: float
    """Arrows between ranks."""
    host_ranges: float = field(metadata={"json": "hostRanges"})
    launches: float
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class TraceExportResult(StageResult):
    """Export a trace: probe records as tables, kernel events as one timeline."""

    format: Literal["parquet", "arrow", "jsonl", "csv", "perfetto", "chrome", "html"]
    files: list[TraceExportFile]
    timeline: TraceExportTimeline | None = None
    """Of events that kernels recorded."""
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultBlockSchedProcessor:
    id: float
    blocks: float
    lanes: float
    """The most blocks at a time."""
    first: str
    last: str
    busy: str
    idle_share: float = field(metadata={"json": "idleShare"})
    gap_cycles: str = field(metadata={"json": "gapCycles"})
    """Between a block and the next one in its lane: what scheduling takes."""


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultBlockSched:
    analysis: Literal["block-sched"]
    blocks: float
    unwritten_units: float = field(metadata={"json": "unwrittenUnits"})
    """Warps without a record."""
    blocks_on_several: float = field(metadata={"json": "blocksOnSeveral"})
    """Blocks whose warps name several processors."""
    cycles: str
    """From the first start to the last end."""
    idle_share: float = field(metadata={"json": "idleShare"})
    """Of all processors over that time: no block ran."""
    tail_cycles: str = field(metadata={"json": "tailCycles"})
    """From when the first processor ran out of blocks to the end."""
    tail_share: float = field(metadata={"json": "tailShare"})
    processors: list[TraceAnalyzeAnalysisResultBlockSchedProcessor]


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultHeatMapPage:
    address: str
    array: str | None
    """Arrays that have bytes in it, where the trace tells them."""
    accesses: float
    counts: list[float]
    """An interval."""


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultHeatMap:
    analysis: Literal["heat-map"]
    accesses: float
    empty: float
    """Slots that no probe wrote."""
    page_bytes: float = field(metadata={"json": "pageBytes"})
    """Doubled until there are at most 4096 pages."""
    first_clock: str = field(metadata={"json": "firstClock"})
    last_clock: str = field(metadata={"json": "lastClock"})
    interval: str
    pages: list[TraceAnalyzeAnalysisResultHeatMapPage]


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultTotalsColumn:
    name: str
    sum: str
    is_beyond: bool = field(metadata={"json": "isBeyond"})
    """The sum is modulo 2^64."""
    units: float
    """Threads or warps with a count that is not 0."""
    least_block: str = field(metadata={"json": "leastBlock"})
    most_block: str = field(metadata={"json": "mostBlock"})


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultTotals:
    analysis: Literal["totals"]
    blocks: float
    columns: list[TraceAnalyzeAnalysisResultTotalsColumn]


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysisResultProgress:
    analysis: Literal["progress"]
    samples: float
    units: float
    """Threads or warps with a sample."""
    full_units: float = field(metadata={"json": "fullUnits"})
    """Those whose every slot is written: what came after is lost, or in the slots of a neighbour."""
    unordered: float
    """Samples before the one that precedes them."""
    least_samples: float = field(metadata={"json": "leastSamples"})
    most_samples: float = field(metadata={"json": "mostSamples"})
    first_clock: str = field(metadata={"json": "firstClock"})
    last_clock: str = field(metadata={"json": "lastClock"})
    interval: str
    samples_in: list[float] = field(metadata={"json": "samplesIn"})
    active_in: list[float] = field(metadata={"json": "activeIn"})
    """Between their first and their last sample."""


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeAnalysis:
    file: str
    map: str
    outputs: list[str]
    result: TraceAnalyzeAnalysisResultBlockSched | TraceAnalyzeAnalysisResultHeatMap | TraceAnalyzeAnalysisResultTotals | TraceAnalyzeAnalysisResultProgress


@dataclass(frozen=True, kw_only=True)
class TraceAnalyzeResult(StageResult):
    """Analyse a trace: block schedules, memory access over time, totals, progress of threads."""

    analyses: list[TraceAnalyzeAnalysis]
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class ReportResult(StageResult):
    """Put what is known of a reproducer, a trace or a workspace onto one page that can be sent."""

    of: Literal["reproducer", "trace", "workspace"]
    file: str
    """The page: one file that loads nothing."""
    bytes: float
    sections: list[str]
    exit_code: int
    """Of the verb."""


@dataclass(frozen=True, kw_only=True)
class DoctorCheck:
    name: str
    state: Literal["ok", "missing", "optional"]
    """"missing": a stage that this machine is otherwise able to run cannot."""
    detail: str
    """What was found."""
    hint: str
    """How to get what is not there."""


@dataclass(frozen=True, kw_only=True)
class DoctorResult(StageResult):
    """Check what this machine has for Kernloop, and what is missing."""

    checks: list[DoctorCheck]
    exit_code: int = field(metadata={"json": "exitCode"})
