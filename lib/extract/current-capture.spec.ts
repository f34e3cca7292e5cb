import { mkdirSync } from 'node:fs';
import type { KernelEntry } from '../app/kernloop-json';
import { basename, join } from 'node:path';
import { openApp } from '../app/app';
import { appIdentity, type AppFile } from '../app/identity';
import { findProgram } from '../app/program';
import { softgpuIdentity } from '../device/softgpu';
import { sha256OfFile } from '../support/files';
import { fakeDeps } from '../testing/fake-deps';
import { captureJson, kernelJson, TestWorkspace } from '../testing/workspace';
import { whyCaptureAgain } from './current-capture';

let workspace: TestWorkspace;
const folder = 'kernels/app/saxpy';
const kernel: KernelEntry = { name: 'saxpy', match: '^saxpy\\(', ordinal: 1, scope: 'reachable' };

function writeCapture(overrides: object = {}): void {
  const identity = softgpuIdentity('gfx90a', workspace.native.softgpu);
  const files = [{ path: 'app/program', sha256: sha256OfFile(workspace.path('app/program')), role: 'executable' }];
  const capture = { app: { name: 'app', files }, device: { kind: 'softgpu', identity, isa: 'gfx90a' }, ...overrides };
  workspace.write(`${folder}/capture/capture.json`, captureJson(capture));
  workspace.write(`${folder}/capture/chunks.pack`, 'pack');
}

/** Files that the app runs now, with the libraries that ldd names. */
async function filesNow(libraries: readonly string[] = []): Promise<AppFile[]> {
  const app = openApp(workspace.app);
  const deps = fakeDeps(
    {
      ldd: ({ print }) => {
        for (const path of libraries) print(`\t${basename(path)} => ${path} (0x00007f0000000000)`);
        return 0;
      },
    },
    workspace.native,
  );
  return (await appIdentity(app, findProgram(app, {}), {}, deps)).files;
}

const why = async (
  entry: KernelEntry = kernel,
  selfCheck = false,
  libraries: readonly string[] = [],
): Promise<string | null> =>
  whyCaptureAgain(
    openApp(workspace.app),
    entry,
    { identity: softgpuIdentity('gfx90a', workspace.native.softgpu) },
    await filesNow(libraries),
    { selfCheck, shrink: false },
    fakeDeps({}, workspace.native),
  );

beforeEach(() => {
  workspace = new TestWorkspace();
  writeCapture();
});
afterEach(() => workspace.dispose());

describe('whyCaptureAgain', () => {
  it('keeps a complete capture of the same program, selection and device', async () => {
    expect(await why()).toBeNull();
  });

  it('captures where there is none, or one that cannot be read', async () => {
    workspace.write(`${folder}/capture/capture.json`, captureJson({ schema: 'kernloop.capture/2' }));
    expect(await why()).toContain('kernloop.capture/2');
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [{ name: 'other', match: 'x' }],
    });
    expect(await why({ ...kernel, name: 'other' })).toBe('there is none');
  });

  it('captures again once the program was rebuilt to something else', async () => {
    workspace.write('app/program', '#!/bin/sh\nexit 0\n');
    expect(await why()).toBe('app/program was rebuilt');
  });

  it('captures again once a program outside the workspace was rebuilt', async () => {
    const outside = new TestWorkspace();
    workspace.write('app/kernloop.json', { name: 'app', command: [outside.path('app/program')], kernels: [kernel] });
    const files = [{ path: 'program', sha256: sha256OfFile(outside.path('app/program')), role: 'executable' }];
    writeCapture({ app: { name: 'app', files } });
    expect(await why()).toBeNull();
    outside.write('app/program', '#!/bin/sh\nexit 0\n');
    expect(await why()).toBe(`program is another file now (${outside.path('app/program')})`);
    outside.dispose();
  });

  it('captures again once kernloop.json has other arguments or another environment', async () => {
    const ran = (command: string[], environment: object): void => {
      const files = [{ path: 'app/program', sha256: sha256OfFile(workspace.path('app/program')), role: 'executable' }];
      writeCapture({ app: { name: 'app', files, command, environment } });
    };
    const said = (command: string[], env = {}): void => {
      workspace.write('app/kernloop.json', { name: 'app', command, env, kernels: [kernel] });
    };
    ran(['./program', '--size', '8'], { MODE: 'a' });
    said(['./program', '--size', '8'], { MODE: 'a' });
    expect(await why()).toBeNull();
    said(['./program', '--size', '9'], { MODE: 'a' });
    expect(await why()).toBe('the app ran as ./program --size 8 then, and is ./program --size 9 now');
    said(['./program', '--size', '8']);
    expect(await why()).toBe('the app ran with another "env" then');
    // The program may lie elsewhere; its digest tells.
    ran(['../elsewhere/program'], {});
    said(['./program']);
    expect(await why()).toBeNull();
  });

  describe('of an app with a library outside of the workspace', () => {
    let outside: TestWorkspace;
    let library: string;
    beforeEach(async () => {
      outside = new TestWorkspace();
      library = outside.write('first/libk.so', 'factor 2');
      writeCapture({ app: { name: 'app', files: await filesNow([library]) } });
    });
    afterEach(() => outside.dispose());

    it('captures again once it was rebuilt', async () => {
      expect(await why(kernel, false, [library])).toBeNull();
      outside.write('first/libk.so', 'factor 3');
      expect(await why(kernel, false, [library])).toBe(`${library} was rebuilt`);
    });

    it('captures again where another one of its name is loaded, but not where the same one moved', async () => {
      const same = outside.write('second/libk.so', 'factor 2');
      expect(await why(kernel, false, [same])).toBeNull();
      const other = outside.write('third/libk.so', 'factor 3');
      expect(await why(kernel, false, [other])).toBe(`${library} is another file now (${other})`);
      expect(await why(kernel, false, [])).toBe(`${library} is not what the app runs now`);
    });

    it('captures again once one of two with the same name was rebuilt, and names that one', async () => {
      const second = outside.write('second/libk.so', 'factor 2');
      writeCapture({ app: { name: 'app', files: await filesNow([library, second]) } });
      expect(await why(kernel, false, [library, second])).toBeNull();
      outside.write('second/libk.so', 'factor 3');
      expect(await why(kernel, false, [library, second])).toBe(`${second} was rebuilt`);
    });

    it('takes nothing in the workspace for it', async () => {
      workspace.write('libk.so', 'another file of that name');
      expect(await why(kernel, false, [library])).toBeNull();
    });

    it('whose capture has but its name, is not taken for a file of that name in the workspace, and its rebuild is seen', async () => {
      const files = (await filesNow([library])).map((file) => ({ ...file, path: file.path.replace(/^\/.*\//, '') }));
      expect(files.at(-1)?.path).toBe('libk.so');
      writeCapture({ app: { name: 'app', files } });
      mkdirSync(join(workspace.root, 'libk.so'));
      expect(await why(kernel, false, [library])).toBeNull();
      outside.write('first/libk.so', 'factor 3');
      expect(await why(kernel, false, [library])).toBe(`libk.so is another file now (${library})`);
    });
  });

  it('captures again what was never checked, or checked as another capture, or failed its check', async () => {
    expect(await why(kernel, true)).toBe('it was never checked');
    const capture_sha256 = sha256OfFile(workspace.path(folder, 'capture/capture.json'));
    const check = (change: object): void => {
      workspace.write(`${folder}/capture/selfcheck.json`, {
        schema: 'kernloop.selfcheck/1',
        capture_sha256,
        device: { kind: 'softgpu', identity: 'x' },
        verdict: 'verified',
        reason: null,
        replays: 4,
        poison_patterns: [],
        varying: [],
        ...change,
      });
    };
    check({});
    expect(await why(kernel, true)).toBeNull();
    check({ verdict: 'failed', reason: 'why' });
    expect(await why(kernel, true)).toBe('its self-check failed');
    check({ capture_sha256: '0'.repeat(64) });
    expect(await why(kernel, true)).toBe('its self-check is that of another capture');
    check({ content_sha256: '0'.repeat(64) });
    expect(await why(kernel, true)).toBe('its self-check was edited');
  });

  it('captures again on another device', async () => {
    workspace.write(workspace.native.softgpu, 'another build of the interpreter');
    expect(await why()).toContain('another device');
  });

  it('captures again where chunks are missing, as in a fresh clone', () => {
    const fresh = new TestWorkspace();
    fresh.write(`${folder}/capture/capture.json`, captureJson());
    const reason = whyCaptureAgain(
      openApp(fresh.app),
      kernel,
      { identity: 'softgpu-gfx90a-1' },
      [],
      { selfCheck: false, shrink: false },
      fakeDeps({}, fresh.native),
    );
    fresh.dispose();
    expect(reason).toContain('1 of its chunks are in no store here');
  });

  it.each([
    ['pattern', { match: '^axpby' }, 'selects another dispatch'],
    ['ordinal', { ordinal: 2 }, 'it is dispatch 1 of its kernel, and kernloop.json selects dispatch 2'],
    ['number', { dispatch: '3' }, 'it is dispatch 1 of its kernel, and kernloop.json selects dispatch 3'],
    ['number from the end', { dispatch: 'last' }, 'what kernloop.json selects'],
  ])('captures again where another %s is asked for, generated or not', async (_case, change, reason) => {
    expect(await why({ ...kernel, ...change })).toContain(reason);
    const selection = { match: kernel.match, ordinal: 1, scope: 'reachable' };
    workspace.write(`${folder}/pristine/kernel.json`, kernelJson({ selection }));
    expect(await why()).toBeNull();
    expect(await why({ ...kernel, ...change })).toContain(reason);
  });

  it('captures again what `capture --ordinal` took, though it was generated for the dispatch that is declared', async () => {
    const selection = { match: kernel.match, ordinal: 1, scope: 'reachable' };
    workspace.write(`${folder}/pristine/kernel.json`, kernelJson({ selection }));
    writeCapture({ dispatch: { ordinal: 3, index: 7, queue: 0 } });
    expect(await why()).toBe('it is dispatch 3 of its kernel, and kernloop.json selects dispatch 1');
  });

  it.each([
    ['another kernel', { name: 'reduce(float const*)', symbol: '_Z6reducePKf' }, {}],
    ['a longer name', { name: 'saxpy_tail(float*)', symbol: '_Z10saxpy_tailPf' }, { match: 'saxpy', wholeName: true }],
  ])('captures again what is of %s than is declared, generated or not, and says so', async (_case, of, entry) => {
    writeCapture({ kernel: { ...of, code_object: '0'.repeat(64) } });
    const reason = `it is of ${of.name}, and kernloop.json selects another dispatch`;
    expect(await why({ ...kernel, ...entry })).toContain(reason);
    const selection = { match: kernel.match, ordinal: 1, scope: 'reachable', ...entry };
    workspace.write(`${folder}/pristine/kernel.json`, kernelJson({ selection }));
    expect(await why({ ...kernel, ...entry })).toContain(reason);
  });

  it.each([{ match: '^_Z5saxpyPff$' }, { match: 'saxpy', wholeName: true }])('keeps what fits by %j', async (entry) => {
    const selection = { ordinal: 1, scope: 'reachable', ...entry };
    workspace.write(`${folder}/pristine/kernel.json`, kernelJson({ selection }));
    expect(await why({ ...kernel, ...entry })).toBeNull();
  });

  it('captures again where another scope is asked for', async () => {
    workspace.write(
      `${folder}/pristine/kernel.json`,
      kernelJson({ selection: { match: kernel.match, ordinal: 1, scope: 'reachable' } }),
    );
    expect(await why({ ...kernel, scope: 'all' })).toContain(
      'what kernloop.json selects has changed since its project was generated',
    );
  });
});
