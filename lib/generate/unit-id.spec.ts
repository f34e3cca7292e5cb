import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { adopt } from '../adopt/adopt';
import { recompile } from '../recompile/recompile';
import { runProcess, type ProcessRunner } from '../support/exec';
import { isSameButUnitName } from '../toolchain/compared-code';
import { describeCode } from '../toolchain/described-code';
import type { Recipe } from '../toolchain/recipe';
import { generate } from './generate';
import type { GenerateResult } from './result';
import { fixture, recordingDeps, type Fixture } from './testing/fixture';

jest.setTimeout(120_000);

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** No headers, because they take most of the time. The kernels use their own address to access a variable. */
const AT = '__builtin_amdgcn_workitem_id_x()';
const kernel = (name: string, by = 1): string =>
  `__attribute__((global)) void ${name}(int* x) { x[${AT}] += count += ${by}; }\n`;
const variable = '__attribute__((device)) int count;\n';

function make(option: string, text = variable + kernel('k')): Fixture {
  const made = fixture({
    sources: { 'unit.hip': text },
    compiler: 'clang++-22',
    commands: { 'unit.hip': `-O3 -nogpulib -nogpuinc ${option} --offload-arch=gfx90a` },
    captured: 'unit.hip',
    symbol: '_Z1kPi',
    name: 'k(int*)',
  });
  folders.push(made.workspace);
  return made;
}

interface Made {
  result: GenerateResult;
  recipe: Recipe;
  captured: Buffer;
  built: Buffer;
}

async function generated({ app, reproducer }: Fixture): Promise<Made> {
  const code = join(app, 'build', 'captured.o.hsaco');
  // Replaces the archive, which contains no code, by the output of the app's own command.
  const run: ProcessRunner = (file, args, options) =>
    args[0] === 'code-object'
      ? runProcess('cp', [code, args[args.indexOf('--output') + 1] ?? ''], options)
      : runProcess(file, args, options);
  const { deps } = recordingDeps({ run });
  const result = await generate({ app, kernel: 'k', compileLimitSeconds: 60 }, deps);
  const recipe = JSON.parse(readFileSync(join(result.pristine, 'recipe.json'), 'utf8')) as Recipe;
  await adopt({ reproducer, reset: false }, deps);
  const { code_object: codeObject } = await recompile({ reproducer, compileLimitSeconds: 60 }, deps);
  return { result, recipe, captured: readFileSync(code), built: readFileSync(codeObject) };
}

const isSame = async (one: Buffer, other: Buffer): Promise<boolean> => {
  const { deps } = recordingDeps({});
  return isSameButUnitName(await describeCode(one, deps), await describeCode(other, deps));
};

describe('code of clang since 18, which names its HIP unit by a hash of path and options', () => {
  it('has the same machine code wherever it is compiled, and nothing in it moves', async () => {
    const { result, captured, built } = await generated(make(''));
    expect(captured.includes('__hip_cuid_')).toBe(true);
    expect(result).toMatchObject({ identical: false, same_machine_code: true });
    expect(await isSame(captured, built)).toBe(true);
    expect(built).toHaveLength(captured.length);
  });

  it.each(['-cuid=abc123', '-fuse-cuid=none'])('is the same byte for byte with %s', async (option) => {
    const { result, captured, built } = await generated(make(option));
    expect(result.identical).toBe(true);
    expect(built.equals(captured)).toBe(true);
  });

  it('loses no variable where the kernel is compiled alone', async () => {
    const others = Array.from({ length: 8 }, (_, n) => kernel(`k${n}`).replaceAll('count', 'other'));
    const text = `${variable}__attribute__((device)) int other;\n${others.join('')}${kernel('k')}`;
    const { recipe } = await generated(make('', text));
    expect(recipe.notes.join()).not.toContain('__hip_cuid_');
  });

  it('is another one with another constant or variable', async () => {
    // By its folder a unit would get a shorter name in one of 16 runs, which moves what follows.
    const code = (text: string, id = 'one'): Buffer =>
      readFileSync(join(make(`-cuid=${id}`, text).app, 'build', 'captured.o.hsaco'));
    const [plain, same] = [code(variable + kernel('k')), code(variable + kernel('k'), 'three')];
    expect([plain.equals(same), await isSame(plain, same)]).toEqual([false, true]);
    expect(await isSame(plain, code(variable + kernel('k', 2)))).toBe(false);
    expect(await isSame(plain, code('__attribute__((device)) int count = 5;\n' + kernel('k')))).toBe(false);
    expect(await isSame(plain, code((variable + kernel('k')).replaceAll('count', 'total')))).toBe(false);
  });
});
