import type { StageName } from '../../lib/stages/registry';

/** A tool as an agent is told of it in few words. Its stage takes all of its options, and gives its whole result. */
export interface LoopTool {
  readonly title: string;
  /** Its work, and when to use it. */
  readonly description: string;
  /** Options that are told, each with a short description. */
  readonly options: Readonly<Record<string, string>>;
  /** Fields of the result that an agent decides by: `kernels[].name`. */
  readonly result: readonly string[];
}

const app = { app: 'Folder of the app: the one with kernloop.json.' };
const reproducer = { reproducer: 'Folder of the kernel: kernels/<app>/<kernel>.' };
const variant = { variant: '"none": the captured code. Left out: your edit.' };
const captures = { capture: 'Numbers of captured dispatches ("1,4"), or "all".' };
const command = { command: 'Program and arguments, if there is no kernloop.json.' };
const device = { device: 'Where kernels run. Left out: as kernloop.json says.' };
const tolerance = {
  rtol: 'Relative tolerance of elements.',
  atol: 'Absolute tolerance of elements.',
  ulp: 'Tolerance in units in the last place.',
};

/** Tools that `kernloop mcp` offers unless it is told otherwise: what it takes to make a kernel faster, in this order. */
export const loopTools: Readonly<Partial<Record<StageName, LoopTool>>> = {
  kernels: {
    title: 'List apps, kernels and verdicts',
    description:
      'Lists the apps of the workspace, their declared kernels, the reproducers of these, and the last verdict on each. Use it first, and whenever you do not know a name, a folder or the state of an edit. A verdict that is not `current` says nothing about the code that is there now.',
    options: { workspace: 'Folder to look in.' },
    result: [
      'apps[].name',
      'apps[].folder',
      'apps[].profiled',
      'apps[].kernels[].name',
      'apps[].kernels[].reproducer',
      'apps[].kernels[].captured',
      'apps[].kernels[].verdict.verdict',
      'apps[].kernels[].verdict.current',
      'apps[].kernels[].verdict.changed',
    ],
  },
  doctor: {
    title: 'Check this machine',
    description:
      'Lists what the machine has and lacks for Kernloop. Use it when a call ends with the outcome `environment`.',
    options: { app: 'Also check what this app needs.' },
    result: ['checks[].name', 'checks[].state', 'checks[].detail', 'checks[].hint'],
  },
  profile: {
    title: 'Find the costliest kernels',
    description:
      'Runs the app and ranks its kernels by their share of the work. Use it to choose a kernel that is worth an edit. On the software GPU the figures are executed wave-instructions, which are no time.',
    options: { ...app, ...command, ...device, top: 'How many kernels to print.' },
    result: [
      'work',
      'dispatches',
      'kernels[].name',
      'kernels[].share',
      'kernels[].dispatches',
      'kernels[].median',
      'kernels[].occupancy_percent',
    ],
  },
  declare: {
    title: 'Declare a kernel',
    description:
      "Adds a kernel to the app's kernloop.json. Use it after `profile` and before `extract`, for a kernel that `kernels` does not list.",
    options: {
      ...app,
      name: 'Name of the kernel; also the function, without `match`.',
      match: 'Regular expression on the kernel name, instead.',
      ordinal: 'Which matching dispatch, from 1.',
      dispatch: 'Several: "2,5,9-12", "last".',
      each: 'Which of these: all, or the first of each geometry or kernel.',
    },
    result: ['declared.name', 'declared.match', 'reproducer', 'launched'],
  },
  extract: {
    title: 'Make a kernel a project',
    description:
      "Runs the app, captures a dispatch of the kernel with the memory before and after it, and writes the kernel's source into kernels/<app>/<kernel>/. Use it once a kernel is declared. Then edit `kernel_variant.*` (or `reproducer.py`) there.",
    options: {
      ...app,
      kernel: 'Declared names; of a command, function names.',
      ...command,
      ...device,
      recapture: 'Capture again though a capture is there.',
      reset: 'Write over your edits with the source as captured.',
    },
    result: [
      'kernels[].name',
      'kernels[].reproducer',
      'kernels[].generated.language',
      'kernels[].generated.identical',
      'kernels[].generated.no_source',
    ],
  },
  recompile: {
    title: 'Compile an edit',
    description:
      'Compiles the edited source as the app compiles it. `validate`, `replay` and `trace-run` do it by themselves. Use it to see what the compiler says, or with `lineInfo` before `replay` with `hotSpots`.',
    options: { ...reproducer, lineInfo: 'With line information.' },
    result: ['code_object', 'unchanged'],
  },
  validate: {
    title: 'Judge an edit',
    description:
      'Compiles the edit, replays it on the captured memory, and compares the memory after it with what the app computed. Use it after every edit, and once with `variant` "none" before the first. Only the outcome `pass` means that the edit is right. `vacuous` is no pass. Set a tolerance only from what the computation needs, before you know the result.',
    options: {
      ...reproducer,
      ...variant,
      ...captures,
      ...tolerance,
      dtype: 'Element types for tolerances: "r3=f32".',
      inputs: 'Also judge by so many derived inputs.',
      inputsRecord: 'Arrays of records, which change places whole in derived inputs: "x=18".',
      guard: 'Fault on accesses outside of captured memory.',
    },
    result: [
      'verdict',
      'summary',
      'code',
      'compared_bytes',
      'differing_bytes',
      'ignored_bytes',
      'regions[].region',
      'regions[].differing_bytes',
      'fault',
      'usual_tolerance.ulp',
      'usual_tolerance.atol',
    ],
  },
  replay: {
    title: 'Measure an edit',
    description:
      'Runs the kernel on the captured memory and measures it. Use it with `compare` after `validate` passed: both versions run in turns, and `speed` says which is faster (null on the software GPU, which counts instructions). It judges nothing. `hotSpots` shows the costliest source lines (software GPU).',
    options: {
      ...reproducer,
      compare: 'Compare with the captured code.',
      ...variant,
      ...captures,
      iterations: 'How many measured replays.',
      cache: 'Caches at the start, on hardware.',
      hotSpots: 'Show the costliest lines.',
      hotSpotsBy: 'What to rank them by.',
    },
    result: [
      'verdict',
      'speed.verdict',
      'speed.ratio',
      'speed.ci95',
      'duration_ns.median',
      'baseline.duration_ns.median',
      'counters',
      'check',
      'doubts',
      'fault',
    ],
  },
  tune: {
    title: 'Search for better parameters',
    description:
      'Tries values of constants, macros or launch parameters, judges each candidate as `validate` does, and measures those that pass. Use it when the kernel has a tile size, a block size or the like.',
    options: {
      ...reproducer,
      set: 'A parameter and its values: "BLOCK=64,128".',
      constraint: 'Condition: "BLOCK * 4 <= 65536".',
      grid: 'Blocks, as a formula: "ceil(n / BLOCK)".',
      block: 'Threads of a block, as a formula.',
      search: 'All, or a random sample.',
      samples: 'Size of that sample.',
      ...tolerance,
      apply: 'Write the best into the reproducer.',
    },
    result: [
      'reason',
      'best',
      'candidates[].key',
      'candidates[].parameters',
      'candidates[].status',
      'candidates[].ratio',
      'files.patch',
      'applied',
    ],
  },
  'trace-run': {
    title: 'Trace a kernel',
    description:
      'Replays the kernel with probes in it: when blocks run and where, which memory each thread touches. Use it when counters and hot spots do not explain where the work goes; then `trace-analyze`.',
    options: {
      ...reproducer,
      probe: 'block_sched, dmat, gmem_bytes, tensorop, program_progress, or a probe.toml.',
      ...variant,
      capacity: 'Most records of a thread or warp.',
    },
    result: ['folder', 'clock', 'launches[].verdict', 'launches[].reason', 'launches[].left_out'],
  },
  'trace-analyze': {
    title: 'Analyse a trace',
    description:
      'Sums up a trace: idle processors, pages touched over time, counts, progress of threads. Use it after `trace-run`.',
    options: {
      trace: 'The folder that `trace-run` gave.',
      map: 'One map of it.',
      analysis: 'Kind, if the names of the fields do not tell.',
      output: 'Folder for plots and tables.',
    },
    result: ['analyses[].map', 'analyses[].result'],
  },
  report: {
    title: 'Make a page to send',
    description:
      'Puts verdicts, measurements, differences and source of a reproducer onto one HTML page. Use it at the end, for people.',
    options: { ...reproducer, workspace: 'A page of all reproducers in this folder instead.', output: 'The file.' },
    result: ['file'],
  },
};
