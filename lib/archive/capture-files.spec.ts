import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import { captureFile, readCapture } from './capture-files';

const code = 'a'.repeat(64);
const minimal = {
  schema: 'kernloop.capture/1',
  app: {},
  device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1', isa: 'gfx90a' },
  kernel: { name: 'k', symbol: 'k', code_object: code },
  dispatch: { ordinal: 1, index: 1 },
  geometry: { grid_blocks: [1, 1, 1], block_threads: [1, 1, 1] },
  scope: { mode: 'all', tracked_regions: 0, tracked_bytes: 0 },
  regions: [],
  code_objects: [],
};

describe('capture.json', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const holding = (more: object): string => {
    writeFileSync(captureFile(folder), JSON.stringify({ ...minimal, ...more }));
    return folder;
  };

  it.each([[{}], [{ requires: [] }], [{ requires: ['dropped'] }], [{ a_later_field: 1 }]])(
    'is read with %j',
    (more) => {
      expect(readCapture(holding(more)).kernel.code_object).toBe(code);
    },
  );

  it('is looked for where the user may have meant it', () => {
    const hint = (of = folder): string => thrown(() => readCapture(of)).hint;
    expect(hint()).toMatch(/^capture it: .*; one from elsewhere is put back by `kernloop unpack FILE --to /);
    const packed = join(folder, 'theirs.klcap');
    writeFileSync(packed, 'packed');
    expect(hint(packed)).toBe(`unpack it first: \`kernloop unpack ${packed}\``);
    mkdirSync(join(folder, 'capture'));
    writeFileSync(captureFile(join(folder, 'capture')), JSON.stringify(minimal));
    expect(hint()).toBe(`it is in ${join(folder, 'capture')}: name that folder`);
  });

  it('is refused by name where it requires what is not known, whatever else it holds', () => {
    const file = holding({ requires: ['dropped', 'sparse-regions'], regions: 'elsewhere' });
    expect(thrown(() => readCapture(file))).toMatchObject({
      code: 'CAPTURE_NEWER',
      message: expect.stringContaining('requires "sparse-regions"') as string,
    });
  });
});
