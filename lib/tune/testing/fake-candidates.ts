import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realCodeObject, writeRecipe } from '../../pgo/testing/fake-llvm';
import type { FakeProgram } from '../../testing/fake-deps';
import { fakeReplay, flag, passed } from '../../testing/fake-programs';
import type { TestWorkspace } from '../../testing/workspace';
import { debugSections } from '../../toolchain/debug-line';

export const marker = 'configuration:';

let code: Buffer | undefined;
const codeObject = (): Buffer => (code ??= realCodeObject());

/** A source with a constant and a macro to tune. */
export const tunableSource =
  'constexpr int kRows = 4;\n__global__ void saxpy(float* x, float a) { x[WIDTH] = a * kRows; }\n';

export function writeTunable(workspace: TestWorkspace): void {
  writeRecipe(workspace);
  for (const folder of ['', 'pristine/'])
    workspace.write(`kernels/app/saxpy/${folder}kernel_variant.hip`, tunableSource);
  chmodSync(workspace.write('bin/hipcc', '#!/bin/false\n'), 0o755);
}

export const compilerOf = (workspace: TestWorkspace): Record<string, string> => ({
  PATH: workspace.path('bin'),
  KERNLOOP_COMPILER: workspace.path('bin/hipcc'),
});

/**
 * Code object of a configuration, as its marker says. The kernel's code depends on rows and width, as its first word
 * does; what the source calls elsewhere changes the file alone.
 */
function codeOf(rows: string, width: string, source: string): Buffer {
  const bytes = Buffer.concat([codeObject(), Buffer.from(`${marker}${rows}/${width};`)]);
  const elsewhere = /elsewhere = (\w+)/.exec(source)?.[1] ?? '';
  const text = debugSections(bytes)('.text');
  createHash('sha256').update(`${rows}/${width}`).digest().copy(text, 0, 0, 4);
  return Buffer.concat([bytes, Buffer.from(elsewhere)]);
}

/** hipcc whose output names the configuration that it was made from. */
export const fakeHipcc: FakeProgram = ({ args, options, print }) => {
  if (args.includes('--version')) {
    print('HIP version: 15');
    return 0;
  }
  // It does not say how it compiles.
  if (args.includes('-###')) return 1;
  const text = readFileSync(join(options.cwd ?? '', 'kernel_variant.hip'), 'utf8');
  const rows = /kRows = (\w+)/.exec(text)?.[1] ?? '';
  const width = args.find((word) => word.startsWith('-DWIDTH='))?.slice(8) ?? 'none';
  if (width === '13')
    return { exitCode: 1, stderrTail: `${options.cwd}/kernel_variant.hip:2: error: 13 is too many\n` };
  writeFileSync(args[args.indexOf('-o') + 1] ?? '', codeOf(rows, width, text));
  writeFileSync(args[args.indexOf('-dependency-file') + 2] ?? '', 'variant: kernel_variant.hip\n');
  return 0;
};

/** Behaviour of a configuration: its wave-instructions and verdict. */
export type Behaviour = (rows: string, width: string, args: readonly string[]) => { count: number; verdict?: string };

export const honest: Behaviour = (rows) => ({ count: Math.round(4000 / Number(rows)) });

export const behaving = (behaviour: Behaviour): FakeProgram =>
  fakeReplay((args) => {
    const file = flag(args, '--code-object');
    const text = file === undefined ? `${marker}4/none;` : (readFileSync(file, 'latin1').split(marker)[1] ?? '');
    const [rows = '', width = ''] = text.replace(/;.*/s, '').replace(marker, '').split('/');
    const { count, verdict = 'pass' } = behaviour(rows, width, args);
    const asked = flag(args, '--derive');
    if (asked !== undefined) {
      const failed = verdict === 'pass' ? {} : { failed: 1 };
      const derived = { seed: 1, judged: Number(asked) - 1, dropped: 1, ...failed };
      return [{ ...passed, verdict, differing_bytes: verdict === 'pass' ? 0 : 4, derived }];
    }
    if (args.includes('--compare')) {
      return [
        {
          ...passed,
          verdict,
          differing_bytes: ['pass', 'vacuous'].includes(verdict) ? 0 : 4,
          wave_instructions: count,
        },
      ];
    }
    return [
      { event: 'iteration', index: 0, counters: { wave_instructions: count } },
      { ...passed, verdict: 'ran' },
    ];
  });
