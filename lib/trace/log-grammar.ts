/**
 * Forms of all lines that Neutrino's hook drivers write into event.log: main, the artifact, and two earlier branches,
 * for CUDA and HIP. Each has a tag and a pattern; a named group is a field of the event. Free text of the app (names,
 * paths, the command) may hold anything, because some of it is truncated.
 */
export interface LineForm {
  readonly tags: readonly string[];
  readonly event: string;
  readonly form: RegExp;
}

const ptr = (name: string): string => `(?<${name}>0x[0-9a-f]+|\\(nil\\))`;
const hex = (name: string): string => `(?<${name}>(?:0x)?[0-9a-f]+)`;
const num = (name: string): string => `(?<${name}>-?\\d+)`;
const real = (name: string): string => `(?<${name}>-?(?:\\d+\\.\\d+|inf|nan))`;
const word = (name: string): string => `(?<${name}>\\S+)`;
const text = (name: string): string => `(?<${name}>.*)`;

const tags = {
  init: ['init'],
  module: ['mod', 'Mod'],
  /** `jit` before the DSL and in the HIP driver, `probe` since. */
  probe: ['probe', 'jit'],
  callback: ['callback', 'analyze'],
} as const;

function line(of: readonly string[] | string, event: string, form: string): LineForm {
  return { tags: typeof of === 'string' ? [of] : of, event, form: new RegExp(`^${form}$`, 's') };
}

export const lineForms: readonly LineForm[] = [
  line(tags.init, 'pid', `pid ${num('pid')}`),
  line('pid', 'pid', num('pid')),
  line(tags.init, 'command', `cmd ${num('length')} ${text('command')}`),
  line('cmd', 'command', `${num('length')} ${text('command')}`),
  line(['init', 'info'], 'driver', `dl ${ptr('library')}`),
  line(tags.init, 'ready', 'success'),
  line('info', 'ready', 'init success'),
  line('benchmark', 'benchmark_mode', `ENABLED L2 Flush Size ${num('bytes')}`),

  line('bin', 'binary', `type ${word('type')} size ${num('bytes')}`),
  line('bin', 'binary_unknown', `unrecogni[sz]e ${num('magic')}`),
  line(
    'binmap',
    'binary_map',
    `get ${ptr('handle')} key ${ptr('key')} (?:not-found|code ${ptr('code')} size ${num('bytes')} name ${text('name')})`,
  ),
  line(
    tags.module,
    'module_load',
    `cuModuleLoadData ${num('result')} module ${ptr('module')} image ${ptr('image')} ?(?:type ${word('type')},? size ${num('bytes')})?`,
  ),
  line(
    tags.module,
    'library_load',
    `cuLibraryLoadData ${num('result')} lib ${ptr('library')} code ${ptr('code')}(?: type ${word('type')} size ${num('bytes')})?`,
  ),
  line(
    tags.module,
    'module_load',
    `(?:cuModuleLoadDataEx|cuModuleLoadFatBinary|hipModuleLoadData) mod ${ptr('module')} code ${ptr('image')}(?: type ${word('type')} size ${num('bytes')})?`,
  ),
  line(tags.module, 'binary_unknown', `cu\\w+ unrecogni[sz]e ${num('magic')}`),
  // hipModuleLoad is logged with the wrong arguments, so any text is accepted.
  line(tags.module, 'module_load', `hipModuleLoad ${text('printed')}`),
  line(
    tags.module,
    'function',
    `(?:cuModuleGetFunction|hipModuleGetFunction) func ${ptr('function')} mod ${ptr('module')} name ${text('name')}`,
  ),
  line(tags.module, 'kernel_function', `cuKernelGetFunction ${ptr('function')} ${ptr('kernel')}`),
  line(tags.module, 'kernel', `cuLibraryGetKernel kernel ${ptr('kernel')} lib ${ptr('library')} name ${text('name')}`),
  line(tags.module, 'library_module', `cuLibraryGetModule ${num('result')} mod ${ptr('module')} lib ${ptr('library')}`),
  line('hash', 'hash_failed', `(?<api>\\w+) failed-update ${ptr('key')} ${ptr('value')}(?: ${text('name')})?`),

  line(
    'mem',
    'allocate',
    `(?<api>cuMemAlloc_v2|hipMalloc) ${num('result')} dptr ${hex('address')} bytesize ${num('bytes')}`,
  ),
  line('mem', 'allocate_host', `cuMemAllocHost_v2 ${num('result')} ptr ${ptr('address')} bytesize ${num('bytes')}`),
  line('mem', 'free', `(?<api>cuMemFree_v2|hipFree) ${num('result')} dptr ${hex('address')}`),
  line(
    'mem',
    'copy',
    `(?<api>cuMemcpy\\w*) ${num('result')} (?:dst|dstHost|dstDevice) ${hex('to')} (?:src|srcHost|srcDevice) ${hex('from')} ByteCount ${num('bytes')}`,
  ),
  line('mem', 'fill', `cuMemsetD32_v2 ${num('result')} dstDevice ${hex('to')} ui ${num('value')} N ${num('count')}`),

  line(tags.probe, 'code_missing', `can't-find ${ptr('function')}`),
  line(tags.probe, 'code', `find ${ptr('function')} name ${text('name')} bin ${ptr('binary')} size ${num('bytes')}`),
  line(tags.probe, 'rename', `rename ${text('name')} (?<folder>\\d+_[0-9a-f]{40})`),
  line(tags.probe, 'rename', `rename ${text('name')} ${word('folder')}`),
  line(tags.probe, 'folder', `mkdir ${text('path')}`),
  line(tags.probe, 'folder_failed', `can't-mkdir ${text('path')}`),
  line(tags.probe, 'file_failed', `can't-open ${text('path')}`),
  line(tags.probe, 'file', `write ${text('path')}`),
  line(tags.probe, 'fork_failed', `can't-folk`),
  line(tags.probe, 'engine_start', `subproc ${text('command')}`),
  line(tags.probe, 'engine', `python (?<outcome>succeed|failed)`),
  line(
    tags.probe,
    'kernel_info',
    `read ${text('path')} name ${text('name')} n_param ${num('parameters')}(?: n_probe ${num('maps')})? ?(?:(?:trace_hook|analyze_hook) ?${text('hook')})?`,
  ),
  line(tags.probe, 'probed', `finish ${ptr('function')} name ${text('name')} n_param ${num('parameters')}`),

  line('exec', 'function_unknown', `funcmap-not-find ${ptr('function')}`),
  line('exec', 'function_known', `funcmap-find ${ptr('function')} (?<outcome>success|fail)`),
  line('exec', 'launch', `(?<time_ns>\\d+) param(?<parameters>(?: [0-9a-f]+)*) ?`),
  line(
    'exec',
    'geometry',
    `grid ${num('grid_x')} ${num('grid_y')} ${num('grid_z')} block ${num('block_x')} ${num('block_y')} ${num('block_z')} shared ${num('shared_bytes')}`,
  ),
  line('count', 'counted', `size: ${num('bytes')} ?`),
  line(
    'exec',
    'map_memory',
    `grid ${num('blocks')} (?<level>block|warp) +${num('units')} probe ${num('unit_bytes')} total ${num('bytes')}`,
  ),
  line('exec', 'memory', `probe-mem ${num('bytes')} \\(bytes\\)`),
  line('exec', 'done', `succeed ${num('result')}`),
  line('exec', 'failed', `failed ${num('result')}`),
  line('exec', 'save_failed', `can't-save ${text('path')}`),
  line('exec', 'saved', `save ${text('path')} size ${num('bytes')}`),
  line(
    'exec',
    'times',
    `prologue ${real('prologue_ms')} kernel ${real('kernel_ms')} epilogue ${real('epilogue_ms')} ratio ${real('ratio')}`,
  ),
  line(
    'benchmark',
    'times',
    `prologue ${real('prologue_ms')} kernel ${real('kernel_ms')} epilogue ${real('epilogue_ms')} original ${real('original_ms')} impact ${real('ratio')} ${num('result')}`,
  ),
  line(tags.callback, 'callback_start', `subproc ${text('command')}`),
  line(tags.callback, 'callback', `(?<outcome>succeed|failed)`),
  line(
    'exec',
    'backup',
    `backup(?: ${num('grid_x')} ${num('grid_y')} ${num('grid_z')} block ${num('block_x')} ${num('block_y')} ${num('block_z')} shared ${num('shared_bytes')})?`,
  ),
  // Lines of the branches before the artifact.
  line('exec', 'record', `record(?:-failed)? ${num('result')}`),
  line('exec', 'record', `trace ${text('path')}`),
  line('exec', 'counted', `count(?:-fail-copy)? ${num('result')} size ${num('bytes')}`),
  line('exec', 'counted', `count-failed ${num('result')} ${text('path')}`),
  line('exec', 'counted', `maxAccessPerBlock ${num('accesses')} alloc ${num('kilobytes')} \\(KB\\)`),

  // Lines generated for every symbol of the driver in its verbose build, and a few written by hand.
  line('info', 'call', `(?<api>(?:cu|hip|__hip)\\w+)(?: ${text('printed')})?`),
  line(
    'pass',
    'call',
    `(?<api>cuGetProcAddress_v2) ${num('result')} ${word('symbol')} ${num('version')}(?: (?:return-myself|return-ours))?`,
  ),
];

/** Events that end in a name, a path or a command: a following line without a tag continues it. */
export const openEnded: ReadonlySet<string> = new Set([
  'command',
  'function',
  'kernel',
  'hash_failed',
  'code',
  'rename',
  'engine_start',
  'kernel_info',
  'binary_map',
  'callback_start',
]);
