import { spawnSync } from 'node:child_process';
import { findNative, type NativeProduct } from './native-paths';

interface Failed {
  event: string;
  code: string;
  message: string;
  hint: string;
}

const native = findNative({});

/** Exit code and last event of a program. */
function run(product: NativeProduct, args: readonly string[]): [number | null, Failed] {
  const { status, stdout } = spawnSync(native[product], args, { input: '', encoding: 'utf8' });
  return [status, JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Failed];
}

describe('the native programs', () => {
  it.each<[NativeProduct, string[], string]>([
    ['replay', [], '--capture is missing'],
    ['replay', ['--capture', 'c', '--iterations', 'x'], '--iterations does not take "x"'],
    ['recorder', [], '--socket is missing'],
    ['recorder', ['--socket', 's'], '--config is missing'],
    ['recorder', ['--sockets', 's'], 'unknown option --sockets'],
    ['recorder', ['--socket'], '--socket needs a value'],
    ['archive', [], 'no verb: verify, info, code-object, pack, unpack, shrink, export-chunks or import-chunks'],
    ['archive', ['info'], 'exactly one capture is needed'],
    ['archive', ['info', 'a', 'b'], 'exactly one capture is needed'],
    ['archive', ['info', 'a', '--store'], '--store needs a value'],
    ['archive', ['info', 'a', '--dropped', 'f'], 'shrink takes --dropped, and no other verb does'],
    [
      'archive',
      ['shrink', 'a', '--dropped', 'f', '--output', 'o', '--inline-limit', '1k'],
      '--inline-limit does not take "1k"',
    ],
    ['archive', ['pack', 'a'], '--output goes with every verb but verify and info'],
    ['archive', ['store-gc', 's'], 'store-gc needs --root: it keeps what the captures there name'],
    ['archive', ['store-gc', '--root', 'r'], 'exactly one store is needed'],
    [
      'archive',
      ['store-gc', 's', '--root', 'r', '--grace-seconds', '9999999999'],
      '--grace-seconds does not take "9999999999": it takes a whole number, up to a hundred years',
    ],
    ['sandbox', ['--read', '/'], 'there is no program after --'],
    ['sandbox', ['--reed', '1', '--', 'true'], 'unknown option --reed'],
    ['sandbox', ['--read', '--', 'true'], '--read needs a value'],
    ['sandbox', ['--env', '=b', '--', 'true'], '--env does not take "=b": it takes NAME=VALUE'],
    ['sandbox', ['--limit-processes', '0', '--', 'true'], '--limit-processes does not take "0": it takes a number above zero'],
    ['trace', [], 'no verb with a file'],
    ['trace', ['summary', 'f', '--mapes', 'x'], 'unknown option --mapes'],
    ['trace', ['summary', 'f', '--maps'], '--maps needs a value'],
    ['pgo', [], 'no verb: convert, merge or show'],
    ['pgo', ['merges'], 'unknown verb merges'],
    ['pgo', ['show', '--output', 'o'], 'unknown option --output'],
    ['pgo', ['convert', '--input', 'f'], '--output is missing'],
    ['pgo', ['merge', '--output', 'o'], '--input is missing'],
    [
      'pgo',
      ['merge', '--weighted-input', '0,f', '--output', 'o'],
      '--weighted-input does not take "0,f": it takes N,FILE with N from 1 on',
    ],
    ['pgo', ['merge', '--input', 'f', '--output', 'o', '--rename', '=b'], '--rename does not take "=b": it takes FROM=TO'],
    ['pgoRuntimeBuilder', ['open'], '--config is missing'],
    ['pgoRuntimeBuilder', ['open', '--confg', 'c'], 'unknown option --confg'],
  ])('%s %j: %s', (product, args, message) => {
    const [status, failed] = run(product, args);
    expect([status, failed.event, failed.code, failed.message]).toEqual([2, 'error', 'USAGE', message]);
    expect(failed.hint).toMatch(/^kernloop-/);
  });

  it.each<[NativeProduct, string[], string]>([
    ['recorder', [], 'kernloop-recorder --socket PATH --config FILE'],
    [
      'archive',
      ['store-gc', 's'],
      'kernloop-archive store-verify|store-stats|store-gc STORE [--root DIR]… [--skip DIR]… [--store DIR]… [--grace-seconds N] [--dry-run]',
    ],
    ['pgo', ['show'], 'kernloop-pgo show --input FILE…'],
    [
      'pgoRuntimeBuilder',
      ['open'],
      'kernloop-pgo-runtime open|use|build|forget --config FILE [--folder FOLDER [--profile FILE]]',
    ],
  ])('%s %j says how it is used: %s', (product, args, usage) => {
    expect(run(product, args)[1].hint).toBe(usage);
  });

  it.each([
    [[], '--library is missing'],
    [['--library', 'l', '--nope'], 'unknown option --nope'],
    [['--library', 'l'], '--describe or --source is missing'],
    [['--library', 'l', '--source', 's'], '--output is missing'],
    [['--library', 'l', '--source', 's', '--output', 'o', '--header-name', 'n'], '--header-file is missing'],
  ])('nvrtcCompiler %j says on stderr, where a compiler says it: %s', (args, message) => {
    const { status, stderr } = spawnSync(native.nvrtcCompiler, args, { input: '', encoding: 'utf8' });
    const usage =
      'kernloop-nvrtc --library LIB [--describe] [--source FILE --output FILE [--name NAME] [--header-name NAME --header-file FILE]… [--name-expression TEXT]… [--option TEXT]…]';
    expect([status, stderr]).toEqual([2, `error: ${message}\nusage: ${usage}\n`]);
  });
});
