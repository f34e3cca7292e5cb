import type { KernelEntry } from '../app/kernloop-json';
import { openApp } from '../app/app';
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

const why = (entry: KernelEntry = kernel, selfCheck = false): string | null =>
  whyCaptureAgain(
    openApp(workspace.app),
    entry,
    { identity: softgpuIdentity('gfx90a', workspace.native.softgpu) },
    { selfCheck, shrink: false },
    fakeDeps({}, workspace.native),
  );

beforeEach(() => {
  workspace = new TestWorkspace();
  writeCapture();
});
afterEach(() => workspace.dispose());

describe('whyCaptureAgain', () => {
  it('keeps a complete capture of the same program, selection and device', () => {
    expect(why()).toBeNull();
  });

  it('captures where there is none, or one that cannot be read', () => {
    workspace.write(`${folder}/capture/capture.json`, captureJson({ schema: 'kernloop.capture/2' }));
    expect(why()).toContain('kernloop.capture/2');
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [{ name: 'other', match: 'x' }],
    });
    expect(why({ ...kernel, name: 'other' })).toBe('there is none');
  });

  it('captures again once the program was rebuilt to something else', () => {
    workspace.write('app/program', '#!/bin/sh\nexit 0\n');
    expect(why()).toBe('app/program was rebuilt');
  });

  it('captures again once a program outside the workspace was rebuilt', () => {
    const outside = new TestWorkspace();
    workspace.write('app/kernloop.json', { name: 'app', command: [outside.path('app/program')], kernels: [kernel] });
    const files = [{ path: 'program', sha256: sha256OfFile(outside.path('app/program')), role: 'executable' }];
    writeCapture({ app: { name: 'app', files } });
    expect(why()).toBeNull();
    outside.write('app/program', '#!/bin/sh\nexit 0\n');
    expect(why()).toBe('program is another program now');
    outside.dispose();
  });

  it('captures again what was never checked, or checked as another capture, or failed its check', () => {
    expect(why(kernel, true)).toBe('it was never checked');
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
    expect(why(kernel, true)).toBeNull();
    check({ verdict: 'failed', reason: 'why' });
    expect(why(kernel, true)).toBe('its self-check failed');
    check({ capture_sha256: '0'.repeat(64) });
    expect(why(kernel, true)).toBe('its self-check is that of another capture');
  });

  it('captures again on another device', () => {
    workspace.write(workspace.native.softgpu, 'another build of the interpreter');
    expect(why()).toContain('another device');
  });

  it('captures again where chunks are missing, as in a fresh clone', () => {
    const fresh = new TestWorkspace();
    fresh.write(`${folder}/capture/capture.json`, captureJson());
    const reason = whyCaptureAgain(
      openApp(fresh.app),
      kernel,
      { identity: 'softgpu-gfx90a-1' },
      { selfCheck: false, shrink: false },
      fakeDeps({}, fresh.native),
    );
    fresh.dispose();
    expect(reason).toContain('1 of its chunks are in no store here');
  });

  it.each([
    ['pattern', { match: '^axpby' }],
    ['ordinal', { ordinal: 2 }],
  ])('captures again where another %s is asked for, generated or not', (_case, change) => {
    expect(why({ ...kernel, ...change })).toContain('selects another dispatch');
    const selection = { match: kernel.match, ordinal: 1, scope: 'reachable' };
    workspace.write(`${folder}/pristine/kernel.json`, kernelJson({ selection }));
    expect(why()).toBeNull();
    expect(why({ ...kernel, ...change })).toContain('selects another dispatch');
  });

  it('captures again where another scope is asked for', () => {
    workspace.write(
      `${folder}/pristine/kernel.json`,
      kernelJson({ selection: { match: kernel.match, ordinal: 1, scope: 'reachable' } }),
    );
    expect(why({ ...kernel, scope: 'all' })).toContain('selects another dispatch');
  });
});
