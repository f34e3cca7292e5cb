import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { describeIssues, readJson, remembered } from './schema';

describe('a file whose schema is remembered', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-schema-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is checked once as long as it says the same, and anew after an edit of the same size and time', () => {
    let checks = 0;
    const counted = z.object({ inner: z.object({ n: z.int() }) }).refine(() => (checks += 1) > 0);
    const schema = remembered(counted);
    const path = join(folder, 'a.json');
    const read = (): { inner: { n: number } } => readJson(path, schema, 'CONFIG_MISSING', '');
    writeFileSync(path, '{"inner":{"n":1}}');
    const { atime, mtime } = statSync(path);
    expect([read(), read(), checks]).toEqual([{ inner: { n: 1 } }, { inner: { n: 1 } }, 1]);
    writeFileSync(path, '{"inner":{"n":2}}');
    utimesSync(path, atime, mtime);
    expect([read(), checks]).toEqual([{ inner: { n: 2 } }, 2]);
    writeFileSync(path, '{"inner":{"n":"3"}}');
    expect(read).toThrow(/a\.json: inner\.n/);
    expect(read).toThrow(/a\.json: inner\.n/);
  });

  it('cannot be changed by one of its readers under the others', () => {
    const path = join(folder, 'a.json');
    writeFileSync(path, '{"inner":{"n":1}}');
    const value = readJson(path, remembered(z.object({ inner: z.object({ n: z.int() }) })), 'CONFIG_MISSING', '');
    expect(() => (value.inner.n = 2)).toThrow(TypeError);
  });
});

it('calls an empty text empty', () => {
  const { error } = z.object({ match: z.string().min(1) }).safeParse({ match: '' });
  expect(error && describeIssues(error)).toBe('match is empty');
});
