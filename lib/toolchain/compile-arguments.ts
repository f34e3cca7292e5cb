/** One option of a compile command with its value, in any spelling (`-Ia`, `-I a`, `--sysroot=a`). */
export interface CompileArgument {
  /** Option without its value; empty for an input file. */
  option: string;
  value: string | null;
  kind: ArgumentKind;
  /** Whether the value was a separate word. */
  separate: boolean;
  /** Whether nvcc passes it on to the host compiler. */
  host?: boolean;
}

/**
 * Role of an argument when device code is recompiled: `include` and `file` values are paths to carry over, `drop`
 * belongs to another output of the same command, `arch` is replaced by the captured one, `input` is a file to compile,
 * `keep` is passed on.
 */
export type ArgumentKind = 'include' | 'file' | 'drop' | 'arch' | 'language' | 'input' | 'keep';

type Arity = 'flag' | 'separate' | 'joined' | 'either';

interface OptionRow {
  name: string;
  arity: Arity;
  kind: ArgumentKind;
}

const row = (kind: ArgumentKind, arity: Arity, ...names: string[]): OptionRow[] =>
  names.map((name) => ({ name, arity, kind }));

/** Options of clang (and hipcc) with a separate value or a path, or not to be passed on. Longest name first. */
const table: OptionRow[] = [
  ...row(
    'include',
    'either',
    '-I',
    '-isystem',
    '-iquote',
    '-idirafter',
    '-isystem-after',
    '-cxx-isystem',
    '-iwithprefixbefore',
    '-iwithprefix',
  ),
  ...row('include', 'joined', '--include-directory=', '--include-directory-after='),
  ...row('include', 'separate', '--include-directory', '--include-directory-after'),
  ...row('file', 'separate', '-include', '-imacros', '-include-pch', '--include', '--imacros', '-ivfsoverlay'),
  ...row('file', 'joined', '--include=', '--imacros='),
  ...row('language', 'either', '-x'),
  ...row(
    'arch',
    'joined',
    '--offload-arch=',
    '--no-offload-arch=',
    '--cuda-gpu-arch=',
    '--no-cuda-gpu-arch=',
    '--amdgpu-target=',
  ),
  ...row('drop', 'separate', '-MF', '-MT', '-MQ', '-MJ', '-Xlinker', '-T', '-u', '-z', '-dumpdir', '-Xarch_host'),
  ...row('drop', 'either', '-o', '-l', '-L'),
  ...row('drop', 'joined', '-Wl,', '--output=', '-save-temps=', '--save-temps=', '-parallel-jobs=', '-fuse-ld='),
  ...row(
    'drop',
    'joined',
    '-ffile-prefix-map=',
    '-fdebug-prefix-map=',
    '-fmacro-prefix-map=',
    '-fcoverage-prefix-map=',
  ),
  ...row(
    'drop',
    'joined',
    '-fdebug-compilation-dir=',
    '-ffile-compilation-dir=',
    '-fcoverage-compilation-dir=',
    '-fuse-cuid=',
  ),
  ...row('drop', 'separate', '-fdebug-compilation-dir'),
  ...row('keep', 'flag', '-fuse-cuid=none'),
  ...row('keep', 'joined', '-cuid='),
  ...row(
    'drop',
    'flag',
    '-c',
    '-S',
    '-E',
    '-M',
    '-MM',
    '-MD',
    '-MMD',
    '-MP',
    '-MG',
    '-MV',
    '-###',
    '-v',
    '--verbose',
    '-pipe',
  ),
  ...row(
    'drop',
    'flag',
    '-save-temps',
    '--save-temps',
    '-rdynamic',
    '-shared',
    '-static',
    '--hip-link',
    '-fgpu-rdc',
    '-fno-gpu-rdc',
  ),
  ...row(
    'drop',
    'flag',
    '--cuda-device-only',
    '--cuda-host-only',
    '--cuda-compile-host-device',
    '--offload-device-only',
  ),
  ...row(
    'drop',
    'flag',
    '--offload-host-only',
    '--offload-host-device',
    '--gpu-bundle-output',
    '--no-gpu-bundle-output',
  ),
  ...row('drop', 'flag', '-gsplit-dwarf', '-emit-llvm', '--offload-compress', '--no-offload-compress'),
  ...row('keep', 'either', '-D', '-U', '-B', '-F', '-isysroot', '-Xarch_device'),
  ...row(
    'keep',
    'separate',
    '-Xclang',
    '-Xpreprocessor',
    '-Xassembler',
    '-mllvm',
    '-target',
    '--param',
    '-arch',
    '--sysroot',
    '-iprefix',
  ),
  ...row('keep', 'separate', '-Xoffload-linker', '-Xcuda-fatbinary', '-Xcuda-ptxas'),
].sort((a, b) => b.name.length - a.name.length);

/** `-Xarch_gfx90a <option>` is the only option with a variable suffix and a separate value. */
const deviceArch = '-Xarch_';

export function parseCompileArguments(args: readonly string[]): CompileArgument[] {
  const parsed: CompileArgument[] = [];
  let onlyInputs = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--' && !onlyInputs) {
      onlyInputs = true;
    } else if (onlyInputs || word === '-' || !word.startsWith('-')) {
      parsed.push({ option: '', value: word, kind: 'input', separate: true });
    } else {
      const argument = readOption(word, args[index + 1]);
      parsed.push(argument);
      if (argument.separate) index += 1;
    }
  }
  return parsed;
}

export function renderCompileArgument(argument: CompileArgument): string[] {
  const { option, value, separate, host } = argument;
  if (host) return renderCompileArgument(forShell(argument)).map((word) => `-Xcompiler=${word}`);
  if (value === null) return [option];
  if (option === '') return [value];
  return separate ? [option, value] : [`${option}${value}`];
}

/** Quotes for the shell command into which nvcc pastes arguments of the host compiler. */
function forShell(argument: CompileArgument): CompileArgument {
  const { value, kind } = argument;
  const isPath = kind === 'include' || kind === 'file';
  const plain = value === null || !isPath || /^[\w./{}+=:@%-]*$/.test(value);
  return { ...argument, host: false, value: plain ? value : `"${value.replaceAll(',', '\\,')}"` };
}

function readOption(word: string, next: string | undefined): CompileArgument {
  const known = table.find((option) => matches(option, word));
  if (known) {
    const joined = word.slice(known.name.length);
    if (joined !== '' || known.arity === 'flag' || known.arity === 'joined') {
      return { option: known.name, value: joined === '' ? null : joined, kind: known.kind, separate: false };
    }
    return { option: known.name, value: next ?? '', kind: known.kind, separate: true };
  }
  if (word.startsWith(deviceArch)) return { option: word, value: next ?? '', kind: 'keep', separate: true };
  return { option: word, value: null, kind: 'keep', separate: false };
}

function matches({ name, arity }: OptionRow, word: string): boolean {
  return arity === 'flag' || arity === 'separate' ? word === name : word.startsWith(name);
}
