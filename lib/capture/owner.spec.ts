import fs from 'node:fs';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from '../extract/extract';
import { extractOptionsSchema } from '../extract/options';
import { generate } from '../generate/generate';
import { generateOptionsSchema } from '../generate/options';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeRecorder, fakeReplay, type Play, type RecorderScript } from '../testing/fake-programs';
import { captureJson, kernelJson, TestWorkspace } from '../testing/workspace';
import { capture } from './capture';
import { captureOptionsSchema } from './options';

const capturePath = 'kernels/app/saxpy/capture/capture.json';

describe('two apps of one name', () => {
  let workspace: TestWorkspace;
  let other: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    const config: unknown = JSON.parse(readFileSync(join(workspace.app, 'kernloop.json'), 'utf8'));
    workspace.write('other/kernloop.json', config as object);
    chmodSync(workspace.write('other/program', '#!/bin/sh\n'), 0o755);
    other = workspace.path('other');
  });
  afterEach(() => workspace.dispose());

  const deps = (recorder: RecorderScript = {}): FakeDeps =>
    fakeDeps(
      {
        ldd: () => 1,
        program: () => 0,
        'kernloop-recorder': fakeRecorder(recorder),
        'kernloop-replay': fakeReplay(),
      },
      workspace.native,
    );
  const run = (app: string, fake = deps(), overrides: object = {}) =>
    capture(captureOptionsSchema.parse({ app, ...overrides }), fake);
  const ofApp = (root: string): void => {
    workspace.write(capturePath, captureJson({ app: { name: 'app', root, files: [] } }));
  };

  it('never replace each other: the second is refused before anything runs, and names the first', async () => {
    ofApp('app');
    const before = readFileSync(workspace.path(capturePath));
    const fake = deps();
    const error = await failure(run(other, fake));
    expect([error.code, error.exitCode]).toEqual(['APP_CONFLICT', 2]);
    expect(error.what).toContain('kernels/app/saxpy belongs to the app in app');
    expect(error.what).toContain('app in other would write over it');
    expect([fake.calls, readFileSync(workspace.path(capturePath))]).toEqual([[], before]);
  });

  it('of several captures one suffices, and kernel.json does', async () => {
    workspace.write('kernels/app/saxpy/captures/7/capture.json', captureJson({ app: { name: 'app', root: 'app' } }));
    expect(await failure(run(other))).toMatchObject({ code: 'APP_CONFLICT' });
    rmSync(workspace.path('kernels'), { recursive: true });
    workspace.write('kernels/app/saxpy/kernel.json', kernelJson());
    expect(await failure(run(other))).toMatchObject({ code: 'APP_CONFLICT' });
    rmSync(workspace.path('kernels'), { recursive: true });
    workspace.write('kernels/app/saxpy/pristine/kernel.json', kernelJson());
    expect(await failure(run(other))).toMatchObject({ code: 'APP_CONFLICT' });
  });

  it('are kept apart by extract and generate as well', async () => {
    ofApp('app');
    const extracting = extract(extractOptionsSchema.parse({ app: other }), deps());
    expect(await failure(extracting)).toMatchObject({ code: 'APP_CONFLICT' });
    const generating = generate(generateOptionsSchema.parse({ app: other, kernel: 'saxpy' }), deps());
    expect(await failure(generating)).toMatchObject({ code: 'APP_CONFLICT' });
    expect(existsSync(workspace.path('kernels/app/saxpy/pristine'))).toBe(false);
  });

  it('do not keep an app from capturing again, nor from what has gone with its folder', async () => {
    ofApp('app');
    expect(await run(workspace.app)).toMatchObject({ exit_code: 0 });
    ofApp('app');
    rmSync(workspace.app, { recursive: true });
    expect(await run(other)).toMatchObject({ exit_code: 0 });
  });

  it('do not keep an app from its captures where it was moved', async () => {
    ofApp('app');
    rmSync(other, { recursive: true });
    renameSync(workspace.app, workspace.path('moved'));
    expect(await run(workspace.path('moved'))).toMatchObject({ exit_code: 0 });
  });

  it('do not matter where kernel.json says whose a reproducer is, and its capture came from elsewhere', async () => {
    ofApp('app');
    workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ app: { name: 'app', root: 'other' } }));
    expect(await run(other)).toMatchObject({ exit_code: 0 });
  });

  it('an older capture is known by the name of its app alone', async () => {
    workspace.write('out/capture.json', captureJson({ app: { name: 'third', files: [] } }));
    const error = await failure(run(other, deps(), { output: workspace.path('out') }));
    expect(error.what).toContain('belongs to the app "third"');
    workspace.write('out/capture.json', captureJson({ app: { name: 'app', files: [] } }));
    expect(await run(other, deps(), { output: workspace.path('out') })).toMatchObject({ exit_code: 0 });
  });

  it('write nothing in a dry run, which is not kept from anything', async () => {
    ofApp('app');
    const fake = deps({ play: () => undefined });
    expect(await failure(run(other, fake, { dryRun: true }))).toMatchObject({ code: 'CAPTURE_REFUSED' });
  });
});

describe('a place of --output', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const run = (output: string, play?: Play) => {
    const fake = fakeDeps(
      {
        ...{ ldd: () => 1, program: () => 0, 'kernloop-replay': fakeReplay() },
        'kernloop-recorder': fakeRecorder(play && { play }),
      },
      workspace.native,
    );
    const options = captureOptionsSchema.parse({ app: workspace.app, kernel: ['saxpy'], output });
    return { fake, result: capture(options, fake) };
  };

  it.each(['notes/capture.json', 'notes/observed.json'])(
    'where %s lies, which no capture wrote, is the user’s',
    async (name) => {
      const path = workspace.write(name, '{"mine": 1}');
      const { fake, result } = run(workspace.path('notes'));
      expect(await failure(result)).toMatchObject({
        code: 'TARGET_EXISTS',
        what: expect.stringContaining(path) as string,
      });
      expect([readFileSync(path, 'utf8'), fake.calls.map(({ program }) => program)]).toEqual(['{"mine": 1}', []]);
    },
  );

  it.each([
    ['capture.json', '{"mine": 1}'],
    ['chunks.pack', 'mine'],
    ['selfcheck.json', 'mine'],
  ])('beside a capture of ours, %s that is none is the user’s', async (name, content) => {
    await run(workspace.path('notes')).result;
    const path = workspace.write(`notes/${name}`, content);
    expect(await failure(run(workspace.path('notes')).result)).toMatchObject({
      code: 'TARGET_EXISTS',
      what: expect.stringContaining(path) as string,
    });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('that is the working folder, or holds it, is not replaced under the shell', async () => {
    mkdirSync(workspace.path('empty/below'), { recursive: true });
    const where = jest.spyOn(process, 'cwd').mockReturnValue(workspace.path('empty/below'));
    try {
      for (const output of ['empty/below', 'empty']) {
        const { fake, result } = run(workspace.path(output));
        expect(await failure(result)).toMatchObject({ code: 'TARGET_EXISTS' });
        expect(fake.calls).toEqual([]);
      }
    } finally {
      where.mockRestore();
    }
  });

  const failing = (output: string) =>
    failure(run(output, (_config, print) => print({ event: 'refused', id: 'saxpy', ...full })).result);
  const full = { code: 'DISK_FULL', reason: 'no space left', hint: 'free some' };

  it('stays in folders of the user when the capture fails; those that were made for it are removed', async () => {
    mkdirSync(workspace.path('mine'));
    expect((await failing(workspace.path('mine/capture'))).code).toBe('DISK_FULL');
    expect((await failing(workspace.path('mine/new/deep/capture'))).code).toBe('DISK_FULL');
    expect(readdirSync(workspace.path('mine'))).toEqual([]);
    workspace.write('mine/notes.txt', 'mine');
    expect((await failing(workspace.path('mine/new/capture'))).code).toBe('DISK_FULL');
    expect(readdirSync(workspace.path('mine'))).toEqual(['notes.txt']);
  });

  it('that cannot be tidied up does not hide why the capture failed', async () => {
    const { rmdirSync } = fs;
    const refused = jest.spyOn(fs, 'rmdirSync').mockImplementation((path, options) => {
      if (path !== workspace.path('new')) return rmdirSync(path, options);
      throw Object.assign(new Error('EBUSY'), { code: 'EBUSY', syscall: 'rmdir', path });
    });
    try {
      expect((await failing(workspace.path('new/capture'))).code).toBe('DISK_FULL');
      expect(refused).toHaveBeenCalledWith(workspace.path('new'));
    } finally {
      refused.mockRestore();
    }
  });

  it('leaves an empty folder of the user where further captures would lie', async () => {
    mkdirSync(workspace.path('captures'));
    await run(workspace.path('capture')).result;
    expect(readdirSync(workspace.path('captures'))).toEqual([]);
  });

  it('that is a file is refused, too', async () => {
    const path = workspace.write('notes', 'mine');
    expect(await failure(run(path).result)).toMatchObject({ code: 'TARGET_EXISTS' });
  });

  it('is written to again and again, beside other files of the user', async () => {
    workspace.write('notes/readme.txt', 'mine');
    for (let time = 0; time < 2; time++) await run(workspace.path('notes')).result;
    expect(workspace.read('notes/capture.json')).toContain('kernloop.capture/1');
  });
});

describe('the place of a capture in its reproducer', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const deps = (): FakeDeps =>
    fakeDeps(
      { ldd: () => 1, program: () => 0, 'kernloop-recorder': fakeRecorder(), 'kernloop-replay': fakeReplay() },
      workspace.native,
    );
  const mine = '{"mine": 1}';
  const places = [
    'kernels/app/saxpy/capture/capture.json',
    'kernels/app/saxpy/capture/chunks.pack',
    // A selection of one dispatch removes captures of several.
    'kernels/app/saxpy/captures/7/capture.json',
  ];

  it.each(places)('has %s of the user: capture replaces and removes none', async (name) => {
    const path = workspace.write(name, mine);
    const fake = deps();
    const error = await failure(capture(captureOptionsSchema.parse({ app: workspace.app }), fake));
    expect(error).toMatchObject({ code: 'TARGET_EXISTS', what: expect.stringContaining(path) as string });
    expect([readFileSync(path, 'utf8'), fake.calls]).toEqual([mine, []]);
  });

  it.each(places)('has %s of the user: extract replaces and removes none', async (name) => {
    const path = workspace.write(name, mine);
    const error = await failure(extract(extractOptionsSchema.parse({ app: workspace.app }), deps()));
    expect(error).toMatchObject({ code: 'TARGET_EXISTS', what: expect.stringContaining(path) as string });
    expect(readFileSync(path, 'utf8')).toBe(mine);
  });

  it('has a folder that is called as a file of a capture, which stays', async () => {
    const path = workspace.write('kernels/app/saxpy/capture/nvrtc.json/notes', mine);
    workspace.write(capturePath, captureJson());
    const error = await failure(capture(captureOptionsSchema.parse({ app: workspace.app }), deps()));
    expect([error.code, readFileSync(path, 'utf8')]).toEqual(['TARGET_EXISTS', mine]);
  });
});
