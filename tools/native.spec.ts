import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkspace } from '../lib/testing/workspace';
import { packageRoot } from '../lib/support/version';

describe('tools/native.mjs rest', () => {
  let workspace: TestWorkspace;

  /** A checkout whose ninja logs its start and end, and builds nothing. */
  beforeEach(() => {
    workspace = new TestWorkspace();
    for (const file of ['tools/native.mjs', 'tools/console.mjs'])
      cpSync(join(packageRoot, file), workspace.path('checkout', file));
    mkdirSync(workspace.path('checkout/native/build'), { recursive: true });
  });
  afterEach(() => workspace.dispose());

  const ninja = (script: string): void => {
    chmodSync(workspace.write('bin/ninja', `#!/bin/sh\ncd "${workspace.root}"\n${script}`), 0o755);
  };
  const builds = async (path = `${workspace.path('bin')}:${process.env['PATH'] ?? ''}`) => {
    const child = spawn(process.execPath, [workspace.path('checkout/tools/native.mjs'), 'rest'], {
      env: { ...process.env, PATH: path },
    });
    let text = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    child.stderr.on('data', (chunk) => (text += String(chunk)));
    const code = await new Promise((ended) => child.once('close', ended));
    return { code, text };
  };

  it('builds the target of that name, one at a time: who comes second waits', async () => {
    // The first build ends only when the second is about to start; without a lock both would run at once.
    ninja('echo begin "$@" >> log\nsleep 0.5\necho end >> log\n');
    const all = await Promise.all([builds(), builds(), builds()]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    const lines = readFileSync(workspace.path('log'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['begin', 'end', 'begin', 'end', 'begin', 'end']);
    expect(lines[0]).toMatch(/^begin -C native\/build -j \d+ rest$/);
  });

  it('fails with what ninja said', async () => {
    ninja('echo "ninja: build stopped: subcommand failed."\nexit 1\n');
    const { code, text } = await builds();
    expect(code).toBe(1);
    expect(text).toContain('subcommand failed');
  });
});
