import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Agent } from './agent';
import { asUsersHaveIt, nativeDirectory, repository, run, Workspace } from './harness';

/**
 * First steps of a newcomer, through Nx, in a new workspace. The first three tests start Nx with a process for each
 * plugin, as users have it; the others, except those with the daemon, with one process.
 */
describe('the loop on batched-scale (T**)', () => {
  let workspace: Workspace;
  const project = 'kernels/batched-scale/scale_batch';
  const target = (name: string): string[] => ['run', `batched-scale-scale_batch:${name}`];
  const appRuns = (): number => readFileSync(workspace.path('runs.log'), 'utf8').split('\n').length - 1;

  beforeAll(async () => {
    workspace = Workspace.create(['examples/batched-scale']);
    // Counts the starts of the app.
    workspace.write('apps/batched-scale/count', '#!/bin/sh\necho run >> "$(dirname "$0")/../../runs.log"\nexec "$@"\n');
    workspace.write('runs.log', '');
    workspace.edit('apps/batched-scale/kernloop.json', (text) =>
      text.replace('["build/batched_scale"]', '["sh", "count", "build/batched_scale"]'),
    );
    await workspace.commitAll();
  });
  afterAll(() => workspace.remove());

  it('extracts the kernel of an unmodified program into a project of its own', async () => {
    const outcome = await workspace.nx(['run', 'batched-scale:extract-kernel'], { env: asUsersHaveIt });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('scale_batch')]);
    for (const file of [
      'kernel.json',
      'kernel_variant.hip',
      'Makefile',
      'README.md',
      'pristine/recipe.json',
      'capture/capture.json',
    ]) {
      expect([file, existsSync(workspace.path(project, file))]).toEqual([file, true]);
    }
    expect(workspace.json<{ verdict: string }>(`${project}/capture/selfcheck.json`).verdict).toBe('verified');
    expect(appRuns()).toBe(1);
  });

  it('captures far less than a full snapshot, and every array that only memory leads to', () => {
    const capture = workspace.json<{ regions: { size: number }[]; scope: { tracked_bytes: number } }>(
      `${project}/capture/capture.json`,
    );
    const bytes = capture.regions.reduce((sum, { size }) => sum + size, 0);
    expect(capture.regions.length).toBeGreaterThanOrEqual(18); // 16 arrays, the pointers and the lengths
    expect(bytes * 50).toBeLessThan(capture.scope.tracked_bytes);
  });

  it('starts the app no second time and writes no file when nothing changed', async () => {
    await workspace.commitAll();
    // Ignores the mark that each command writes, by which tasks find changes since their command began.
    const files = (): Map<string, string> =>
      new Map([...workspace.snapshot('.')].filter(([name]) => name !== '.kernloop/inputs/began'));
    const again = async (): Promise<Map<string, string>> => {
      const outcome = await workspace.nx(['run', 'batched-scale:extract-kernel'], { env: asUsersHaveIt });
      expect([outcome.code, appRuns()]).toEqual([0, 1]);
      return files();
    };
    const before = files();
    const second = await again();
    // The plugin sees the new reproducer for the first time and writes digests for its tasks.
    const isOfPlugin = (name: string): boolean => name.startsWith('.kernloop/inputs/') && !before.has(name);
    expect(new Map([...second].filter(([name]) => !isOfPlugin(name)))).toEqual(before);
    expect([...second.keys()].filter(isOfPlugin)).toHaveLength(2);
    expect(await again()).toEqual(second);
  });

  it('validates the untouched kernel against what the app computed', async () => {
    const outcome = await workspace.nx(target('validate'), { env: asUsersHaveIt });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('fails a variant that does nothing', async () => {
    const file = `${project}/kernel_variant.hip`;
    const original = workspace.read(file);
    workspace.edit(file, (text) => text.replace('array[i] *= factor;', ''));
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringMatching(/Result: FAIL/)]);
    workspace.write(file, original);
    expect((await workspace.nx(target('validate'))).code).toBe(0);
  });

  it.each(['false', 'true'])(
    'keeps an edit and an added file through every stage and cache hit (Nx daemon: %s)',
    async (daemon) => {
      const env = { NX_DAEMON: daemon, CI: undefined };
      const edit = `// my edit, daemon ${daemon}\n`;
      workspace.edit(`${project}/kernel_variant.hip`, (text) => edit + text);
      workspace.write(`${project}/notes-${daemon}.md`, 'mine\n');
      for (const args of [
        ['run', 'batched-scale:extract-kernel'],
        target('validate'),
        ['run', 'batched-scale:extract-kernel'],
        target('recompile'),
      ]) {
        const outcome = await workspace.nx(args, { env });
        expect([args.join(' '), outcome.code, outcome.text]).toEqual([args.join(' '), 0, expect.any(String)]);
        expect(workspace.read(`${project}/kernel_variant.hip`).startsWith(edit)).toBe(true);
        expect(workspace.read(`${project}/notes-${daemon}.md`)).toBe('mine\n');
      }
      if (daemon === 'true') await workspace.nx(['daemon', '--stop']);
    },
  );

  it.each(['false', 'true'])(
    'ends a command that hides output with the verdicts, also those of the cache (Nx daemon: %s)',
    async (daemon) => {
      // A pipe of the shell: those of Node are sockets, which nobody but the command can write to.
      const many = (...args: string[]) =>
        run('bash', ['-c', `"${process.execPath}" node_modules/nx/dist/bin/nx.js run-many ${args.join(' ')} | cat`], {
          ...workspace.settings({ env: { NX_DAEMON: daemon, CI: undefined, ...asUsersHaveIt } }),
        });
      const verdict = 'Kernloop: 1 verdict\n  batched-scale-scale_batch: PASS (';
      expect((await many('-t', 'validate')).text).toContain(verdict);
      const again = (await many('-t', 'validate')).text;
      expect(again).toMatch(/batched-scale-scale_batch:validate +\[(local cache|existing outputs match the cache)/);
      expect(again.split(verdict)).toHaveLength(2);
      expect((await many('-t', 'recompile')).text).not.toContain('Kernloop:');
      if (daemon === 'true') await workspace.nx(['daemon', '--stop']);
    },
  );

  it('passes a variant that computes the same in another way', async () => {
    workspace.edit(`${project}/kernel_variant.hip`, (text) =>
      text.replace('array[i] *= factor;', 'array[i] = factor * array[i];'),
    );
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('makes its page once: the second time it comes from the cache, until there is another verdict', async () => {
    const page = `${project}/build/report.html`;
    expect((await workspace.nx(target('report'))).code).toBe(0);
    const first = workspace.read(page);
    expect(first).toMatch(/PASS[^]*bytes compared with what the app computed/);
    const again = await workspace.nx(target('report'));
    expect([again.code, again.text]).toEqual([0, expect.stringMatching(/:report +\[(?:local cache|existing outputs)/)]);
    expect(workspace.read(page)).toBe(first);
    expect((await workspace.nx([...target('validate'), '--skipNxCache'])).code).toBe(0);
    const other = await workspace.nx(target('report'));
    expect([other.code, other.text]).toEqual([0, expect.not.stringMatching(/:report +\[/)]);
    expect(workspace.read(page)).not.toBe(first);
  });

  it('captures again in a clone whose caches are empty, and keeps the committed variant', async () => {
    await workspace.commitAll();
    const variant = workspace.read(`${project}/kernel_variant.hip`);
    await workspace.git('clean', '-qfdx', '-e', 'node_modules');
    expect(existsSync(workspace.path(project, 'capture'))).toBe(false);
    workspace.write('runs.log', '');
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(appRuns()).toBe(1);
    expect(workspace.read(`${project}/kernel_variant.hip`)).toBe(variant);
  });

  it('runs everything again that depends on the native core once that was rebuilt', async () => {
    expect((await workspace.nx(target('validate'))).code).toBe(0);
    const runs = appRuns();
    const rebuilt = workspace.path('rebuilt-native');
    const programs = readdirSync(join(nativeDirectory, 'bin')).filter((name) => name.startsWith('kernloop-'));
    for (const part of [...programs.map((name) => join('bin', name)), 'lib']) {
      cpSync(join(nativeDirectory, part), join(rebuilt, part), { recursive: true });
    }
    appendFileSync(join(rebuilt, 'lib/softgpu/libhsa-runtime64.so.1'), 'another build');
    const outcome = await workspace.nx(target('validate'), { env: { KERNLOOP_NATIVE_DIR: rebuilt } });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(appRuns()).toBe(runs + 1);
  });

  describe('kernloop mcp', () => {
    let agent: Agent;
    const file = `${project}/kernel_variant.hip`;
    const edit = (from: string, to: string): void => workspace.edit(file, (text) => text.replace(from, to));

    beforeAll(async () => {
      rmSync(workspace.path('kernels'), { recursive: true, force: true });
      agent = await Agent.start(workspace);
    });
    afterAll(() => agent.close());

    it('takes an agent from a profile to a verdict and a comparison, as docs/mcp.md shows', async () => {
      const listed = await agent.call('kernels', {});
      expect(listed).toMatchObject({ outcome: 'done', result: { apps: [{ kernels: [{ reproducer: null }] }] } });
      const profile = await agent.call('profile', { app: 'apps/batched-scale' });
      expect(profile).toMatchObject({ outcome: 'done', result: { kernels: [{ dispatches: 3 }] } });
      const extract = await agent.call('extract', { app: 'apps/batched-scale', kernel: ['scale_batch'] });
      expect(extract).toMatchObject({ outcome: 'done', result: { kernels: [{ name: 'scale_batch' }] } });
      expect(extract.said).toEqual(expect.arrayContaining([expect.stringMatching(/^scale_batch: captur/)]));
      const reproducer = { reproducer: project };
      expect(await agent.call('validate', { ...reproducer, variant: 'none' })).toMatchObject({ outcome: 'pass' });
      const source = await agent.read(`kernloop-file:///${file}`);
      expect(source.text).toBe(workspace.read(file));
      agent.note('resources/read', `kernloop-file:///${file}`, `(${source.text.split('\n').length - 1} lines)`);

      edit('array[i] *= factor;', 'array[i] += factor;');
      agent.transcript.push('(edit: array[i] *= factor;  →  array[i] += factor;)', '');
      const wrong = await agent.call('validate', reproducer);
      expect(wrong).toMatchObject({ isError: false, exit_code: 1, outcome: 'fail' });
      expect(wrong.text).toMatch(/Result: FAIL/);

      edit('array[i] += factor;', 'array[i] = factor * array[i];');
      agent.transcript.push('(edit: array[i] += factor;  →  array[i] = factor * array[i];)', '');
      expect(await agent.call('validate', reproducer)).toMatchObject({ outcome: 'pass', result: { verdict: 'pass' } });
      const compared = await agent.call('replay', { ...reproducer, compare: true });
      expect(compared).toMatchObject({ outcome: 'done' });
      expect(compared.text).toMatch(/wave_instructions +[\d,]+ +[\d,]+/);
      expect(await agent.call('profile', { app: '/etc' })).toMatchObject({ error: { code: 'PATH_OUTSIDE' } });
      const lost = await agent.call('validate', { reproducer: 'apps/batched-scale' });
      expect(lost.error?.hint).toMatch(
        /^name the reproducer: kernels\/batched-scale\/scale_batch; tool `extract` makes one$/,
      );
      transcriptIsIn('docs/mcp.md', agent.transcript);
    });

    it('gives what a client may read, and nothing outside', async () => {
      symlinkSync('/etc', workspace.path(project, 'link'));
      const { resources } = await agent.client.listResources();
      const uris = resources.map(({ uri }) => uri);
      for (const name of [
        'kernel.json',
        'kernel_variant.hip',
        'report.json',
        'capture/capture.json',
        'pristine/recipe.json',
      ])
        expect(uris).toContain(`kernloop-file:///${project}/${name}`);
      expect(uris.filter((uri) => /passwd|chunks\.pack|\.hsaco/.test(uri))).toEqual([]);
      expect((await agent.read('kernloop-skill://kernloop')).text).toContain('What never to do');
      for (const path of [
        `${project}/link/passwd`,
        `${project}/../../../nx.json`,
        'nx.json',
        '../../etc/passwd',
        'package.json',
      ])
        await expect(agent.read(`kernloop-file:///${path}`)).rejects.toThrow(/PATH_OUTSIDE|FILE_UNREADABLE/);
      for (const variant of ['/etc/passwd', '../../../../etc/passwd', 'link/passwd/../../../../../../etc/passwd'])
        expect(await agent.call('validate', { reproducer: project, variant })).toMatchObject({
          error: { code: 'PATH_OUTSIDE' },
        });
    });

    it('stops a stage that the client cancels, with what it started, and goes on', async () => {
      workspace.write('apps/sleeper/kernloop.json', {
        name: 'sleeper',
        device: 'softgpu',
        command: ['sh', 'run'],
        kernels: [],
      });
      workspace.write('apps/sleeper/run', 'echo $$ > pid.partial; mv pid.partial pid; exec sleep 6000\n');
      const controller = new AbortController();
      const call = agent.call('profile', { app: 'apps/sleeper' }, controller.signal);
      const ended = expect(call).rejects.toThrow();
      await until(() => existsSync(workspace.path('apps/sleeper/pid')));
      const pid = Number(workspace.read('apps/sleeper/pid'));
      expect(isRunning(pid)).toBe(true);
      controller.abort();
      await ended;
      await until(() => !isRunning(pid));
      expect(existsSync(workspace.path('apps/sleeper/.kernloop/profile.json'))).toBe(false);
      expect(await agent.call('doctor', {})).toMatchObject({ isError: false });
      expect(agent.errors).toEqual([]);
    });

    it('sends no more of a result than it may, and the rest page by page', async () => {
      const small = await Agent.start(workspace, ['--max-bytes', '4096', '--tools', 'validate']);
      expect((await small.client.listTools()).tools.map(({ name }) => name)).toEqual(['validate']);
      const verdict = await small.call('validate', { reproducer: project, variant: 'none' });
      expect(verdict).toMatchObject({ outcome: 'pass', excerpt: { verdict: 'pass' } });
      expect([verdict.result, JSON.stringify(verdict.excerpt).length < 4096]).toEqual([undefined, true]);
      const { text, pages } = await small.read(verdict.rest?.uri ?? '');
      expect(JSON.parse(text)).toEqual(workspace.json(`${project}/report.json`));
      expect([pages, Buffer.byteLength(text)]).toEqual([Math.ceil(text.length / 4096), verdict.rest?.bytes]);
      await small.close();
    });
  });
});

/** The limit only matters on machines under load. */
async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 2400) throw new Error(`never: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A zombie does not count as running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Checks that the page contains the transcript. Figures may differ; KERNLOOP_UPDATE_DOCS=1 rewrites it. */
function transcriptIsIn(page: string, transcript: readonly string[]): void {
  const path = join(repository, page);
  const text = readFileSync(path, 'utf8');
  const block = /(<!-- transcript: e2e\/loop\.e2e\.ts -->\n```text\n)([^]*?)(```)/;
  const own = `${transcript.join('\n').trimEnd()}\n`;
  if (process.env['KERNLOOP_UPDATE_DOCS'] === '1')
    writeFileSync(
      path,
      text.replace(block, (_, head, __, end) => `${head}${own}${end}`),
    );
  const form = (shown: string): string => shown.replaceAll(/\b[\da-f]{8,}\b|[\d.,]*\d/g, '0').replaceAll(/ +/g, ' ');
  expect(form(own)).toBe(form(block.exec(readFileSync(path, 'utf8'))?.[2] ?? ''));
}
