import type { ArgumentKind } from './compile-arguments';

/** How an option of nvcc takes its value: not at all, as `-x=v` and `-x v`, or, for short ones, also as `-xv`. */
type NvccArity = 'flag' | 'value' | 'short';

export interface NvccOption {
  /** Name that recipes use. */
  name: string;
  arity: NvccArity;
  /** `host` is for the host compiler, `compiler` names it, `forward` passes it every option unknown to nvcc. */
  kind: ArgumentKind | 'host' | 'compiler' | 'forward';
}

type Row = [kind: NvccOption['kind'], arity: NvccArity, names: string];

/**
 * Options of nvcc, with `|` between the names of one, the usual name first (`nvcc --help` of CUDA 13, and some of older
 * versions). Other options belong to the host compiler or are passed on unchanged.
 */
const rows: Row[] = [
  ['include', 'short', '-I|--include-path'],
  ['include', 'value', '-isystem|--system-include'],
  ['file', 'value', '-include|--pre-include'],
  ['language', 'value', '-x|--x'],
  ['arch', 'value', '-gencode|--generate-code'],
  ['arch', 'value', '-arch|--gpu-architecture'],
  ['arch', 'value', '-code|--gpu-code'],
  ['host', 'value', '-Xcompiler|--compiler-options'],
  ['compiler', 'value', '-ccbin|--compiler-bindir'],
  ['forward', 'flag', '-forward-unknown-to-host-compiler|--forward-unknown-to-host-compiler'],
  ['forward', 'flag', '-forward-unknown-opts|--forward-unknown-opts'],

  // Options for another output of the same command, or its path.
  ...drop('value', ['-o|--output-file', '-odir|--output-directory', '-MF|--dependency-output', '-fdevice-time-trace']),
  ...drop('value', ['-MT|--dependency-target-name', '-MQ', '-keep-dir|--keep-dir', '-time|--time', '-t|--threads']),
  ...drop('value', ['-cudart|--cudart', '-cudadevrt|--cudadevrt', '-arbin|--archiver-binary', '-e|--entries']),
  ...drop('value', ['-Xlinker|--linker-options', '-Xarchive|--archive-options', '-Xnvlink|--nvlink-options']),
  ...drop('value', ['-Xfatbin|--fatbin-options', '-compress-mode|--compress-mode', '-run-args|--run-args']),
  ...drop('value', ['-hls|--host-linker-script', '-idp|--input-drive-prefix', '-ddp|--dependency-drive-prefix']),
  ...drop('value', ['-dp|--drive-prefix', '-split-compile-extended|--split-compile-extended']),
  ...drop('short', ['-l|--library', '-L|--library-path']),
  ...drop('flag', ['-c|--compile', '-cuda|--cuda', '-cubin|--cubin', '-fatbin|--fatbin', '-ptx|--ptx']),
  ...drop('flag', ['-optix-ir|--optix-ir', '-ltoir|--ltoir', '-E|--preprocess', '-dlink|--device-link']),
  ...drop('flag', ['-link|--link', '-lib|--lib', '-run|--run', '-shared|--shared', '-dryrun|--dryrun', '-v|--verbose']),
  ...drop('flag', ['-M|--generate-dependencies', '-MM|--generate-nonsystem-dependencies']),
  ...drop('flag', [
    '-MD|--generate-dependencies-with-compile',
    '-MP|--generate-dependency-targets',
    '-jobserver|--jobserver',
  ]),
  ...drop('flag', ['-MMD|--generate-nonsystem-dependencies-with-compile', '-keep|--keep', '-save-temps|--save-temps']),
  ...drop('flag', ['-clean|--clean-targets', '-no-compress|--no-compress', '-objtemp|--objdir-as-tempdir']),
  ...drop('flag', ['-nodlink|--no-device-link', '-res-usage|--resource-usage', '-r|--relocatable-link']),
  ...drop('flag', ['-aug-hls|--augment-host-linker-script', '-fdevice-syntax-only|--fdevice-syntax-only']),
  ...drop('flag', ['-forward-unknown-to-host-linker|--forward-unknown-to-host-linker']),
  // Link-time optimisation compiles all units together, but a reproducer compiles one unit.
  ...drop('flag', ['-dlto|--dlink-time-opt', '-lto|--lto', '-gen-opt-lto|--gen-opt-lto']),

  ...keep('short', ['-D|--define-macro', '-U|--undefine-macro', '-O|--optimize']),
  ...keep('value', ['-m|--machine']),
  ...keep('value', ['-std|--std', '-rdc|--relocatable-device-code', '-maxrregcount|--maxrregcount', '-dopt|--dopt']),
  ...keep('value', ['-ftz|--ftz', '-prec-div|--prec-div', '-prec-sqrt|--prec-sqrt', '-fmad|--fmad']),
  ...keep('value', [
    '-Xptxas|--ptxas-options',
    '-Xcicc',
    '-Xcudafe',
    '-ldir|--libdevice-directory',
    '-Ofc|--Ofast-compile',
  ]),
  ...keep('value', ['-default-stream|--default-stream', '-Werror|--Werror', '-diag-error|--diag-error']),
  ...keep('value', ['-diag-suppress|--diag-suppress', '-diag-warn|--diag-warn', '-opt-info|--optimization-info']),
  ...keep('value', ['-ftemplate-backtrace-limit|--ftemplate-backtrace-limit', '-ftemplate-depth|--ftemplate-depth']),
  ...keep('value', ['-static-global-template-stub|--static-global-template-stub', '-target-dir|--target-directory']),
  ...keep('value', [
    '-device-entity-has-hidden-visibility|--device-entity-has-hidden-visibility',
    '-jtd|--jump-table-density',
  ]),
  ...keep('value', ['-brief-diag|--brief-diagnostics', '-device-stack-protector|--device-stack-protector']),
  ...keep('value', ['-frandom-seed|--frandom-seed', '-sanitize|--sanitize', '-split-compile|--split-compile']),
  ...keep('flag', [
    '-dc|--device-c',
    '-dw|--device-w',
    '-g|--debug',
    '-G|--device-debug',
    '-lineinfo|--generate-line-info',
  ]),
  ...keep('flag', ['-pg|--profile', '-w|--disable-warnings', '-m64|--m64', '-m32|--m32', '-restrict|--restrict']),
  ...keep('flag', ['-use_fast_math|--use_fast_math', '-noeh|--no-exceptions', '-ewp|--extensible-whole-program']),
  ...keep('flag', ['-extra-device-vectorization|--extra-device-vectorization', '-src-in-ptx|--source-in-ptx']),
  ...keep('flag', [
    '-nohdinitlist|--no-host-device-initializer-list',
    '-nohdmoveforward|--no-host-device-move-forward',
  ]),
  ...keep('flag', ['-expt-relaxed-constexpr|--expt-relaxed-constexpr', '-extended-lambda|--extended-lambda']),
  ...keep('flag', ['-expt-extended-lambda|--expt-extended-lambda', '-keep-device-functions|--keep-device-functions']),
  ...keep('flag', ['-allow-unsupported-compiler|--allow-unsupported-compiler', '-noprof|--dont-use-profile']),
  ...keep('flag', [
    '-Wreorder|--Wreorder',
    '-Wdefault-stream-launch|--Wdefault-stream-launch',
    '-err-no|--display-error-number',
  ]),
  ...keep('flag', ['-Wmissing-launch-bounds|--Wmissing-launch-bounds', '-no-err-no|--no-display-error-number']),
  ...keep('flag', ['-Wext-lambda-captures-this|--Wext-lambda-captures-this', '-reloc-ptx|--relocatable-ptx']),
  ...keep('flag', ['-Wno-deprecated-declarations|--Wno-deprecated-declarations', '-no-align-double|--no-align-double']),
  ...keep('flag', [
    '-Wno-deprecated-gpu-targets|--Wno-deprecated-gpu-targets',
    '-astoolspatch|--compile-as-tools-patch',
  ]),
];

function drop(arity: NvccArity, names: string[]): Row[] {
  return names.map((name) => ['drop', arity, name]);
}

function keep(arity: NvccArity, names: string[]): Row[] {
  return names.map((name) => ['keep', arity, name]);
}

const byName = new Map<string, NvccOption>(
  rows.flatMap(([kind, arity, names]) => {
    const all = names.split('|');
    // nvcc accepts most names with one dash or two.
    const spellings = all.flatMap((name) => [name, name.replace(/^--/, '-'), name.replace(/^--?/, '--')]);
    return spellings.map((spelled): [string, NvccOption] => [spelled, { name: all[0] ?? '', arity, kind }]);
  }),
);

const shortOptions = [
  ...new Set(rows.filter(([, arity]) => arity === 'short').map(([, , names]) => names.split('|')[0] ?? '')),
];

/** Option that a word starts with, and the value within the word; null if nvcc does not know it. */
export function findNvccOption(word: string): { option: NvccOption; value: string | null } | null {
  const equals = word.indexOf('=');
  const named = byName.get(equals < 0 ? word : word.slice(0, equals));
  if (named && (equals < 0 || named.arity !== 'flag')) {
    return { option: named, value: equals < 0 ? null : word.slice(equals + 1) };
  }
  const short = shortOptions.find((name) => word.startsWith(name) && !word.startsWith('--'));
  const option = short === undefined ? undefined : byName.get(short);
  return short === undefined || option === undefined ? null : { option, value: word.slice(short.length) };
}
