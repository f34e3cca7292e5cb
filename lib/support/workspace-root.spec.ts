import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkspaceRoot } from './workspace-root';

describe('the root of the workspace', () => {
  let folder: string;
  const below = (...parts: string[]): string => join(folder, ...parts);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-root-'));
    for (const name of ['app/kernels/demo/scale', 'app/src', 'moved']) mkdirSync(below(name), { recursive: true });
    writeFileSync(below('app', 'kernloop.json'), '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the nearest folder with nx.json', () => {
    writeFileSync(below('nx.json'), '{}');
    expect(findWorkspaceRoot(below('app', 'kernels', 'demo', 'scale'))).toBe(folder);
  });

  it('is without Nx the folder of the app whose kernels/ the folder is in', () => {
    expect(findWorkspaceRoot(below('app', 'kernels', 'demo', 'scale'))).toBe(below('app'));
  });

  it.each(['app', 'app/src', 'moved'])('is %s itself where neither is so', (name) => {
    expect(findWorkspaceRoot(below(name))).toBe(below(name));
  });
});
