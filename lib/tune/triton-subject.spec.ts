import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { tuneOptionsSchema } from './options';
import { readParameters } from './space';
import { tritonSubject } from './triton-subject';

const script = `CONSTEXPRS = {
    "BLOCK": 256,
    "kind": tl.float16,
}
OPTIONS = {
    "num_warps": 4,
}
ARGUMENTS = {"n": 5000}
`;

describe('what is tuned of a Triton kernel', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kernloop-spec-'));
    writeFileSync(join(root, 'reproducer.py'), script);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const subject = (set: string[], options: object = {}) =>
    tritonSubject(root, readParameters(set), { n: 5000 }, tuneOptionsSchema.parse({ set, ...options }));

  it('is written into reproducer.py, and nothing else of it', async () => {
    const found = await subject(['BLOCK=256,512', 'num_warps=8']);
    expect(found.kinds).toEqual({ BLOCK: 'CONSTEXPRS', num_warps: 'OPTIONS' });
    expect([found.base, found.known]).toEqual([
      { BLOCK: 256, num_warps: 4 },
      { BLOCK: 256, num_warps: 4, n: 5000 },
    ]);
    expect(found.vary({ BLOCK: 256, num_warps: 4 })).toEqual({
      files: { 'reproducer.py': script },
      configuration: undefined,
    });
    expect(found.vary({ BLOCK: 512, num_warps: 8 }).files['reproducer.py']).toBe(
      script.replace('256', '512').replace('"num_warps": 4', '"num_warps": 8'),
    );
  });

  it.each([
    [['num_wraps=4'], {}, 'TUNE_PARAMETER', /num_wraps is neither/],
    [['n=4'], {}, 'TUNE_PARAMETER', /n is neither/],
    [['BLOCK=4'], { grid: '4' }, 'USAGE', /--grid is for kernels in C\+\+/],
  ])('%j with %j is refused', async (set, options, code, what) => {
    const error = await failure(subject(set, options));
    expect([error.code, error.what]).toEqual([code, expect.stringMatching(what)]);
  });

  it('needs dictionaries that can be read', async () => {
    writeFileSync(join(root, 'reproducer.py'), 'CONSTEXPRS = dict(BLOCK=4)\nOPTIONS = {}\n');
    expect(await failure(subject(['BLOCK=4']))).toMatchObject({
      code: 'TUNE_PARAMETER',
      what: expect.stringMatching(/no CONSTEXPRS/) as string,
    });
  });
});
