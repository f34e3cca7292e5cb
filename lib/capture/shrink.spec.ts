import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeJson } from '../support/files';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { cudaOf, fakeReplay, flag } from '../testing/fake-programs';
import { captureJson, TestWorkspace } from '../testing/workspace';
import { selfCheck } from './self-check';
import { shrink } from './shrink';

describe('a capture without the memory that its dispatch does not use', () => {
  let workspace: TestWorkspace;
  const granule = 2 * 1024 ** 2;
  const content = { chunks: [null] };
  const region = { id: 'r0', class: 'device', base: '0x700000000000', size: granule, pre: content, post: content };
  const captured = captureJson({ regions: [region], execution: {} });

  /** Writes capture.json and observed.json, as kernloop-archive does. */
  const archive: FakeProgram = ({ args, print }) => {
    const output = flag(args, '--output') ?? '';
    mkdirSync(output);
    writeJson(join(output, 'capture.json'), captured);
    writeJson(join(output, 'observed.json'), { schema: 'kernloop.observed/1' });
    print({ event: 'shrunk', dropped_bytes: granule, bytes_stored: 1 });
    return 0;
  };

  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write('capture/capture.json', captured);
  });
  afterEach(() => workspace.dispose());

  async function shrunk(): Promise<void> {
    const capture = workspace.path('capture');
    const target = { capture, stores: [], waveInstructions: null, limitSeconds: 60 };
    const deps = fakeDeps({ 'kernloop-archive': archive, 'kernloop-replay': fakeReplay() }, workspace.native);
    const device = cudaOf(workspace);
    const { selfcheck } = await selfCheck(target, device, deps);
    const request = { target, selfcheck, store: workspace.path('store'), inlineLimitBytes: 1024, label: 'saxpy' };
    const outcome = await shrink(request, device, deps);
    expect(outcome.selfcheck.shrink).toEqual({ dropped_bytes: granule, granule, reason: null });
  }

  it.each(['nvrtc.json', 'triton.json'])('keeps %s, from which its source is found', async (name) => {
    workspace.write(`capture/${name}`, 'the source, in base64');
    await shrunk();
    expect(workspace.read(`capture/${name}`)).toBe('the source, in base64');
  });
});
