import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { logger } from 'nx/src/devkit-exports';
import { flushChanges, FsTree } from 'nx/src/generators/tree';
import { openApp } from '../../lib/app/app';
import { keptIn } from '../../lib/archive/kept-capture';
import { nativePathsIn } from '../../lib/native/native-paths';
import { failure } from '../../lib/testing/failure';
import { fakeDeps, type FakeProgram } from '../../lib/testing/fake-deps';
import { fixture, recordingDeps, type Fixture } from '../../lib/generate/testing/fixture';
import { generateReproducer } from './generator';

jest.setTimeout(120_000);

let made: Fixture;
let tree: FsTree;
const { deps } = recordingDeps();

beforeAll(() => {
  made = fixture({
    sources: {
      'src/k.hip': `#include <hip/hip_runtime.h>
#include "../inc/scale.h"
namespace demo { __global__ void scale(float* x, int n) { x[threadIdx.x] *= SCALE; } }
`,
      'inc/scale.h': '#define SCALE 3.0f\n',
    },
    commands: { 'src/k.hip': '-O3 --offload-arch=gfx90a' },
    captured: 'src/k.hip',
    symbol: '_ZN4demo5scaleEPfi',
    name: 'demo::scale(float*, int)',
    slots: [
      { offset: 0, size: 8, kind: 'global_buffer', value: '0x400000001000', region: 'r0' },
      { offset: 8, size: 4, kind: 'by_value', value: '0x100' },
    ],
  });
  renameSync(join(made.reproducer, 'capture'), join(made.workspace, 'from-a-colleague'));
});
beforeEach(() => {
  jest.restoreAllMocks();
  jest.spyOn(logger, 'info').mockImplementation(() => undefined);
  jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
  tree = new FsTree(made.workspace, false);
});
afterAll(() => rmSync(made.workspace, { recursive: true, force: true }));

const options = { capture: 'from-a-colleague', app: 'apps/demo', compileLimitSeconds: 100 };

describe('reproducer', () => {
  it('writes the project of a capture', async () => {
    await generateReproducer(tree, options, deps);
    const written = tree.listChanges();
    const contents = written
      .filter(({ path }) => !path.endsWith('reads.json'))
      .map(({ path, content }) => [path, withoutDigests(content?.toString() ?? '')]);
    // System headers differ between machines.
    const reads = written.find(({ path }) => path.endsWith('pristine/reads.json'))?.content?.toString() ?? '{}';
    expect(Object.keys((JSON.parse(reads) as { sources: object }).sources)).toEqual([
      'deps/inc/scale.h',
      'kernel_variant.hip',
    ]);
    expect(Object.fromEntries(contents)).toMatchSnapshot();
  });

  it('takes the name and keeps what is in the folder already', async () => {
    const mine = 'kernels/demo/mine/kernel_variant.hip';
    tree.write(mine, 'edited');
    await generateReproducer(tree, { ...options, name: 'mine' }, deps);
    expect(tree.read(mine, 'utf-8')).toBe('edited');
    expect(tree.read('kernels/demo/mine/pristine/kernel_variant.hip', 'utf-8')).toContain('namespace demo');
  });

  it('declares the kernel and copies the capture only once the files are written', async () => {
    const capture = join(made.workspace, 'kernels', 'demo', 'scale', 'capture', 'capture.json');
    const kernloopJson = join(made.app, 'kernloop.json');
    const before = readFileSync(kernloopJson, 'utf8');
    const callback = await generateReproducer(tree, options, deps);
    expect(existsSync(capture)).toBe(false);
    // Another command declares a kernel while the source is compiled.
    writeFileSync(
      kernloopJson,
      `// mine\n${before.replace('"kernels":[', '"kernels":[{"name":"later","match":"^later"},')}`,
    );
    flushChanges(made.workspace, tree.listChanges());
    await callback();
    const after = readFileSync(kernloopJson, 'utf8');
    expect(after).toMatch(/^\/\/ mine\n/);
    writeFileSync(kernloopJson, after.replace('// mine\n', ''));
    expect(openApp(made.app).config.kernels).toMatchObject([
      { name: 'later' },
      { name: 'k' },
      { name: 'scale', match: '^demo::scale\\(float\\*, int\\)$', from: 'from-a-colleague' },
    ]);
    expect(readFileSync(capture)).toEqual(readFileSync(join(made.workspace, 'from-a-colleague', 'capture.json')));
    expect(keptIn(dirname(capture))?.from).toBe('from-a-colleague');
  });

  it("leaves the app's own capture the app's if a copy of it came from elsewhere", async () => {
    const said = jest.spyOn(logger, 'info').mockImplementation(() => undefined);
    const capture = join(made.workspace, 'kernels', 'demo', 'own', 'capture');
    mkdirSync(capture, { recursive: true });
    copyFileSync(join(made.workspace, 'from-a-colleague', 'capture.json'), join(capture, 'capture.json'));
    await (
      await generateReproducer(tree, { ...options, name: 'own' }, deps)
    )();
    expect(said.mock.calls.join()).toContain('kernels/demo/own/capture has this very capture, and stays as it is');
    const entry = openApp(made.app).config.kernels.find(({ name }) => name === 'own');
    expect([entry?.from, keptIn(capture)]).toEqual([undefined, null]);
  });

  it('keeps a source that gives the captured code from one that was changed since the app was built', async () => {
    const [header, name] = [join(made.workspace, 'apps', 'demo', 'inc', 'scale.h'), 'changed'];
    await (
      await generateReproducer(tree, { ...options, name }, deps)
    )();
    flushChanges(made.workspace, tree.listChanges());
    const before = readFileSync(header, 'utf8');
    writeFileSync(header, '#define SCALE 5.0f\n');
    const warned = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
    tree = new FsTree(made.workspace, false);
    try {
      await generateReproducer(tree, { ...options, name }, deps);
    } finally {
      writeFileSync(header, before);
    }
    const kept = () =>
      warned.mock.calls.filter(([line]) => String(line).includes(`${name} stays as it is: its source`));
    expect(kept()).toHaveLength(1);
    expect(tree.listChanges().map(({ path }) => path)).toEqual([]);
    // A source that gave no captured code before is replaced.
    const recipe = join(made.workspace, 'kernels', 'demo', name, 'pristine', 'recipe.json');
    writeFileSync(recipe, readFileSync(recipe, 'utf8').replace(/"recompiled": "."/, '"recompiled": "0'));
    await generateReproducer(tree, { ...options, name }, deps);
    expect(kept()).toHaveLength(1);
  });

  it('says what an entry gets that was not from elsewhere', async () => {
    const said = jest.spyOn(logger, 'info').mockImplementation(() => undefined);
    await (
      await generateReproducer(tree, { ...options, name: 'k' }, deps)
    )();
    expect(said.mock.calls.join()).toContain(
      'apps/demo/kernloop.json: k gets "from": "from-a-colleague", since its capture is a copy of that folder; without "from", extract captures it from demo',
    );
    // In a clone, which lacks the capture, the entry has that already.
    rmSync(join(made.workspace, 'kernels', 'demo', 'k', 'capture'), { recursive: true });
    said.mockClear();
    await (
      await generateReproducer(tree, { ...options, name: 'k' }, deps)
    )();
    expect(said.mock.calls.join()).not.toContain('gets "from"');
  });

  it.each([
    ['{}', 'Next: npx nx g kernloop:init, then npx nx run demo-next:validate'],
    ['{"plugins":["kernloop/plugin"]}', 'Next: npx nx run demo-next:validate'],
    ['{"plugins":[{"plugin":"kernloop/plugin"}]}', 'Next: npx nx run demo-next:validate'],
  ])('ends with a command that works where nx.json is %s', async (nxJson, next) => {
    const said = jest.spyOn(logger, 'info').mockImplementation(() => undefined);
    tree.write('nx.json', nxJson);
    await (
      await generateReproducer(tree, { ...options, name: 'next' }, deps)
    )();
    expect(said.mock.calls.flat().at(-1)).toBe(next);
  });

  it('says that another kernel of the app is the same dispatch, also if nothing is written', async () => {
    const warned = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
    await generateReproducer(tree, { ...options, name: 'again' }, deps);
    expect(warned.mock.calls.flat().join('\n')).toMatch(
      /^again is the same dispatch of the same kernel as .*scale \(kernels\/demo\/scale\).*: an edit of one is not in the other$/m,
    );
  });

  it('replaces no file of the user beside a capture, nor one that is called as a file of a capture', async () => {
    const capture = join(made.workspace, 'kernels', 'demo', 'scale', 'capture');
    const [theirs, mine] = [join(made.workspace, 'from-a-colleague', 'notes.txt'), join(capture, 'notes.txt')];
    writeFileSync(theirs, 'theirs');
    writeFileSync(mine, 'mine');
    await (
      await generateReproducer(tree, options, deps)
    )();
    expect(readFileSync(mine, 'utf8')).toBe('mine');
    rmSync(theirs);
    const own = join(capture, 'nvrtc.json');
    writeFileSync(own, 'mine');
    expect(await failure(generateReproducer(tree, options, deps))).toMatchObject({ code: 'TARGET_EXISTS' });
    expect(readFileSync(own, 'utf8')).toBe('mine');
    rmSync(own);
  });

  it('never replaces another capture', async () => {
    const other = join(made.workspace, 'kernels', 'demo', 'scale', 'capture', 'capture.json');
    writeFileSync(other, readFileSync(other, 'utf8').replace('"index":3', '"index":4'));
    const error = await failure(generateReproducer(tree, options, deps));
    expect([error.code, error.hint]).toEqual(['USAGE', 'give this one a project of its own: --name=scale-2']);
    expect(error.what).toMatch(
      /scale\/capture holds another capture of demo::scale\(float\*, int\) \(this one: dispatch 1 of its kernel \(3 of all\), there dispatch 1 of its kernel \(4 of all\)\)$/,
    );
  });

  it('says that the project keeps its edit, and names the parameters that differ', async () => {
    const root = join(made.workspace, 'kernels', 'demo', 'scale');
    const [variant, other] = [join(root, 'kernel_variant.hip'), join(root, 'capture', 'capture.json')];
    const before = [variant, other].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(variant, 'edited');
    writeFileSync(other, before[1]?.replace('"0x100"', '"0x200"').replace('"index":4', '"index":3') ?? '');
    const error = await failure(generateReproducer(tree, options, deps));
    expect(error.what).toMatch(/ \(this one: n = 256, there 512\); scale keeps its edit of kernel_variant\.hip$/);
    [variant, other].forEach((file, index) => writeFileSync(file, before[index] ?? ''));
  });

  it('copies a damaged capture afresh, and leaves what is declared as it is', async () => {
    const capture = join(made.workspace, 'kernels', 'demo', 'own', 'capture');
    const [there, sent] = [capture, join(made.workspace, 'from-a-colleague')].map((folder) =>
      join(folder, 'chunks.pack'),
    );
    const verify: FakeProgram = ({ args, print }) => {
      const isWhole = readFileSync(join(args[1] ?? '', 'chunks.pack'), 'utf8') === 'KLPACK1\nwhole';
      print(isWhole ? { event: 'verified' } : { event: 'error', code: 'CHUNK_CORRUPT', message: 'r0 is damaged' });
      return isWhole ? 0 : 2;
    };
    const archive = fakeDeps({ 'kernloop-archive': verify }, nativePathsIn('native'));
    const { deps: checking } = recordingDeps({
      run: (file, args, given) => (args[0] === 'verify' ? archive : deps).run(file, args, given),
    });
    const warned = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
    writeFileSync(there ?? '', 'KLPACK1\nbroken');
    writeFileSync(sent ?? '', 'KLPACK1\nbroken, too');
    const own = { ...options, name: 'own' };
    expect(await failure(generateReproducer(tree, own, checking))).toMatchObject({ code: 'CHUNK_CORRUPT' });
    writeFileSync(sent ?? '', 'KLPACK1\nwhole');
    await (
      await generateReproducer(tree, own, checking)
    )();
    expect(warned.mock.calls.join()).toContain(
      'kernels/demo/own/capture is copied afresh from from-a-colleague: its content is damaged (CHUNK_CORRUPT)',
    );
    expect([readFileSync(there ?? '', 'utf8'), keptIn(capture)]).toEqual(['KLPACK1\nwhole', null]);
    expect(openApp(made.app).config.kernels.find(({ name }) => name === 'own')?.from).toBeUndefined();
    // Half a capture is no capture.
    rmSync(join(capture, 'capture.json'));
    warned.mockClear();
    await (
      await generateReproducer(tree, own, checking)
    )();
    expect(warned.mock.calls.join()).toContain(
      'own/capture is copied afresh from from-a-colleague: it has no capture.json',
    );
    rmSync(sent ?? '');
  });

  describe('in a project whose capture was removed', () => {
    const root = () => join(made.workspace, 'kernels', 'demo', 'lost');
    const lost = { name: 'lost', app: 'apps/demo', compileLimitSeconds: 100 };
    /** A project of the capture, whose capture is gone then. */
    beforeEach(async () => {
      await generated(lost, 'from-a-colleague');
      rmSync(join(root(), 'capture'), { recursive: true });
    });
    afterEach(() => rmSync(root(), { recursive: true, force: true }));

    const generated = async (given: { name: string; app: string }, capture: string): Promise<string> => {
      const [said, warned] = [jest.spyOn(logger, 'info'), jest.spyOn(logger, 'warn')];
      const callback = await generateReproducer(tree, { ...given, capture, compileLimitSeconds: 100 }, deps);
      flushChanges(made.workspace, tree.listChanges());
      tree = new FsTree(made.workspace, false);
      await callback();
      return [...said.mock.calls, ...warned.mock.calls].join('\n');
    };
    const otherCapture = (from: string, to: string): string => {
      mkdirSync(join(made.workspace, 'other'), { recursive: true });
      const text = readFileSync(join(made.workspace, 'from-a-colleague', 'capture.json'), 'utf8');
      writeFileSync(join(made.workspace, 'other', 'capture.json'), text.replaceAll(from, to));
      return 'other';
    };
    const files = (...names: string[]) => names.map((name) => readFileSync(join(root(), name), 'utf8'));

    it('brings what was not edited up to date with another launch, keeps the edit, and names the launch before', async () => {
      writeFileSync(join(root(), 'kernel_variant.hip'), 'edited');
      const said = await generated(lost, otherCapture('"grid_blocks":[4,1,1]', '"grid_blocks":[8,1,1]'));
      const [variant, readme, pristine] = files('kernel_variant.hip', 'README.md', 'pristine/README.md');
      expect([variant, readme]).toEqual(['edited', pristine]);
      expect(readme).toContain('8 x 1 x 1 blocks');
      expect(said).toContain(
        'lost was of another launch until now, whose capture is gone (pristine/README.md: grid 4 x 1 x 1 blocks of 256 x 1 x 1 threads, now 8 x 1 x 1 blocks of 256 x 1 x 1 threads)',
      );
      expect(said).not.toMatch(/README.md differs|kernel.json differs/);
    });

    it('says nothing of another launch where the same capture comes back', async () => {
      expect(await generated(lost, 'from-a-colleague')).not.toContain('another launch until now');
    });

    it('has kernel.json name what is captured now, with the edit of it', async () => {
      const [before = ''] = files('kernel.json');
      const digest = (JSON.parse(before) as { code_object: string }).code_object;
      writeFileSync(join(root(), 'kernel.json'), before.replace('"role": "inout"', '"role": "ignore"'));
      const said = await generated(lost, otherCapture(digest, 'd'.repeat(64)));
      const [after = ''] = files('kernel.json');
      expect(after).toBe(before.replace('"role": "inout"', '"role": "ignore"').replace(digest, 'd'.repeat(64)));
      expect(said).toContain('kernels/demo/lost/kernel.json names what is captured now, and stays otherwise as it is');
    });

    it('refuses a capture of another build where a source is edited', async () => {
      const [before = ''] = files('pristine/kernel.json');
      const digest = (JSON.parse(before) as { code_object: string }).code_object;
      writeFileSync(join(root(), 'kernel_variant.hip'), 'edited');
      const error = await failure(generated(lost, otherCapture(digest, 'd'.repeat(64))));
      expect(error.what).toMatch(
        /lost has an edit of kernel_variant.hip, of another build of the kernel than this capture is of$/,
      );
      expect(error.hint).toBe('give this one a project of its own: --name=lost-2');
      expect(files('pristine/kernel.json')).toEqual([before]);
    });
  });

  it('refuses a name that the app declares for another kernel', async () => {
    tree = new FsTree(made.workspace, false);
    const path = join(made.app, 'kernloop.json');
    const before = readFileSync(path, 'utf8');
    const config = JSON.parse(before) as { kernels: object[] };
    writeFileSync(path, JSON.stringify({ ...config, kernels: [{ name: 'k', match: '^other' }] }));
    try {
      const error = await failure(generateReproducer(tree, { ...options, name: 'k' }, deps));
      expect(error.what).toContain('does not match');
    } finally {
      writeFileSync(path, before);
    }
  });

  it('writes a Makefile that says how to name a kernloop that it does not find', async () => {
    await generateReproducer(tree, { ...options, name: 'moved' }, deps);
    const program = 'make';
    const makefile = tree.listChanges().find(({ path }) => path.endsWith('moved/Makefile'))?.content;
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-makefile-'));
    try {
      writeFileSync(join(folder, 'Makefile'), makefile ?? '');
      const make = (...given: string[]) =>
        spawnSync(program, given, { cwd: folder, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
      const missing = make('validate');
      expect([missing.status, missing.stdout]).toEqual([2, '']);
      expect(missing.stderr).toContain('kernloop is not here: npm i -D kernloop, or make KERNLOOP=PATH/kernloop');
      expect(make('help')).toMatchObject({ status: 0, stderr: '' });
      expect(make('validate', 'KERNLOOP=echo').stdout).toContain('\nvalidate --reproducer .\n');
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      writeFileSync(join(folder, 'node_modules/.bin/kernloop'), '#!/bin/sh\necho found "$@"\n', { mode: 0o755 });
      expect(make('validate').stdout).toContain('\nfound validate --reproducer .\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says where there is no capture', async () => {
    expect(await failure(generateReproducer(tree, { ...options, capture: 'apps' }, deps))).toMatchObject({
      code: 'CAPTURE_MISSING',
    });
  });
});

/** Removes digests and versions, which depend on the compiler, from a snapshot. */
function withoutDigests(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{64}\b/g, '<sha256>').replaceAll(/HIP version: [^"|)]*/g, '<compiler version>');
}
