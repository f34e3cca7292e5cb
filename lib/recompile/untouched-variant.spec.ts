import { openReproducer } from '../reproducer/reproducer';
import { sha256, sha256OfFile } from '../support/files';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { readingConditions } from '../reproducer/reads-json';
import { compileConditions, currentVariant, untouchedVariant } from './current-variant';

/** State known before the first recompile. */
describe('an untouched source', () => {
  let workspace: TestWorkspace;
  const root = 'kernels/app/saxpy';
  const env = {};
  const known = { digestOf: sha256OfFile, toolchain: 'toolchain' };

  beforeEach(() => {
    workspace = new TestWorkspace();
    writeReproducer(workspace);
    workspace.write('system/hip_runtime.h', 'runtime');
    for (const folder of [root, `${root}/pristine`]) {
      workspace.write(`${folder}/deps/scale.h`, 'scale');
      workspace.write(`${folder}/kernel.json`, workspace.read(`${root}/kernel.json`));
    }
    workspace.write(`${root}/pristine/recipe.json`, recipe);
    workspace.write(`${root}/pristine/overlay.template.json`, {});
    workspace.write(`${root}/pristine/reads.json`, {
      schema: 'kernloop.reads/1',
      version: '1.0.0',
      conditions_sha256: readingConditions(known.toolchain),
      recipe_sha256: sha256OfFile(workspace.path(root, 'pristine/recipe.json')),
      ...files(),
    });
  });
  afterEach(() => workspace.dispose());

  const recipe = {
    ...{ schema: 'kernloop.recipe/1', language: 'hip', symbol: 's', compiler: { name: 'hipcc', version: '1' } },
    ...{ environment: {}, target: 'gfx90a', arguments: [], main: 'a.hip', signature: null, aliases: {}, files: {} },
    variant: { file: 'kernel_variant.hip', stands_for: 'a.hip' },
    code_object: { captured: '0'.repeat(64), recompiled: '0'.repeat(64) },
    notes: [],
  };
  const files = () => ({
    sources: Object.fromEntries(
      ['kernel_variant.hip', 'deps/scale.h'].map((name) => [name, sha256OfFile(workspace.path(root, name))]),
    ),
    system: { [workspace.path('system/hip_runtime.h')]: sha256OfFile(workspace.path('system/hip_runtime.h')) },
  });
  const untouched = (more = known): string | undefined => untouchedVariant(workspace.path(root), env, more);

  it('is known by what it will be known by once it is compiled', () => {
    const before = untouched();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    workspace.write(`${root}/build/variant.hsaco`, 'code');
    workspace.write(`${root}/build/variant.json`, {
      ...{ schema: 'kernloop.variant/1', code_object: 'variant.hsaco', code_object_sha256: sha256('code') },
      ...{ symbol: 's', compiler: recipe.compiler, target: 'gfx90a', outside: {}, ...files() },
      recipe_sha256: sha256OfFile(workspace.path(root, 'pristine/recipe.json')),
      conditions_sha256: compileConditions(openReproducer(workspace.path(root)), {}, env, known),
    });
    expect(currentVariant(workspace.path(root), {}, env, known)).toBe(before);
    // Any other file that the compiler read changes the result.
    const outside = `"outside": { "../../../nx.json": "${sha256OfFile(workspace.path('nx.json'))}" }`;
    const built = workspace.read(`${root}/build/variant.json`);
    workspace.write(`${root}/build/variant.json`, built.replace('"outside": {}', outside));
    expect(currentVariant(workspace.path(root), {}, env, known)).toMatch(/^[0-9a-f]{64}$/);
    expect(currentVariant(workspace.path(root), {}, env, known)).not.toBe(before);
  });

  it.each([
    ['the source', () => workspace.write(`${root}/kernel_variant.hip`, 'edited')],
    ['a header of it', () => workspace.write(`${root}/deps/scale.h`, 'edited')],
    ['a header of the system', () => workspace.write('system/hip_runtime.h', 'upgraded')],
    ['one more header, which may hide another', () => workspace.write(`${root}/deps/hip_runtime.h`, 'mine')],
    ['the recipe', () => workspace.write(`${root}/pristine/recipe.json`, { ...recipe, target: 'gfx1030' })],
    ['what was read', () => workspace.write(`${root}/pristine/reads.json`, '{}')],
  ])('is not known after an edit of %s', (_name, edit) => {
    edit();
    expect(untouched()).toBeUndefined();
  });

  it.each(['trace/dmat/probe-run.json', 'pushed.json', 'judged.json', 'capture.lock'])(
    'is known beside %s, which a stage writes',
    (path) => {
      const before = untouched();
      workspace.write(`${root}/${path}`, {});
      expect([before, untouched()]).toEqual([expect.any(String), before]);
    },
  );

  it('is not known with another toolchain, and is beside files of Nx', () => {
    expect(untouched({ ...known, toolchain: 'another' })).toBeUndefined();
    const before = untouched();
    workspace.write(`${root}/project.json`, {});
    expect([before, untouched()]).toEqual([expect.any(String), expect.any(String)]);
  });
});
