import { truncateSync, writeFileSync } from 'node:fs';
import { failure } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { mostBytes, requireBounded } from './bounded-files';

let workspace: TestWorkspace;
beforeEach(() => (workspace = new TestWorkspace()));
afterEach(() => workspace.dispose());

const sparse = (name: string, bytes: number): string => {
  const path = workspace.path(name);
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
};

it('refuses files that are too large together, and passes over those that are not there', async () => {
  const half = [sparse('a', mostBytes / 2), sparse('b', mostBytes / 2), workspace.path('none')];
  expect(() => requireBounded(half, 'they have')).not.toThrow();
  const error = await failure(Promise.resolve().then(() => requireBounded([...half, sparse('c', 1)], 'they have')));
  expect([error.code, error.what]).toEqual(['COMPILE_FAILED', 'they have 268435457 bytes, and may have 268435456']);
});
