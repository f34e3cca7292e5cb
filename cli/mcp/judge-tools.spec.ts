import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { existsSync, readFileSync } from 'node:fs';
import { candidateOf, Judges } from '../../lib/judge/service/testing/judges';
import { reproducerForEachTest } from '../../lib/testing/workspace';
import { writeTunable } from '../../lib/tune/testing/fake-candidates';
import { WorkspaceJudges } from './judge-tools';
import { createServer } from './server';

const made = reproducerForEachTest();
let fakes: Judges;
let judges: WorkspaceJudges;
let client: Client;

async function connect(env: Record<string, string> = { KERNLOOP_JUDGE_UNSANDBOXED: '1' }): Promise<void> {
  const deps = fakes.deps();
  const bounds = { workspace: made.workspace.root, outside: false };
  judges = new WorkspaceJudges({ bounds, maxBytes: 64 * 1024, deps: { ...deps, env: { ...deps.env, ...env } } });
  const run = () => Promise.reject(new Error('no stage is run'));
  const server = createServer({ bounds, tools: ['validate'], judges, maxBytes: 64 * 1024, run, now: () => 0 });
  client = new Client({ name: 'spec', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  // The client checks results by the schemas of the list.
  await client.listTools();
}

beforeEach(() => {
  writeTunable(made.workspace);
  fakes = new Judges(made.workspace, made.reproducer);
});
afterEach(async () => {
  fakes.release();
  await client.close();
  await judges.close();
});

const reproducer = 'kernels/app/saxpy';
const call = async (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: args })) as CallToolResult;

describe('the tools of a judge', () => {
  it('judge several candidates, and edit no file', async () => {
    await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'validate',
      'judge_submit',
      'judge_result',
    ]);
    const before = made.workspace.read(`${reproducer}/kernel_variant.hip`);
    const ids: string[] = [];
    for (const rows of [8, 7, 13]) {
      const { structuredContent } = await call('judge_submit', { reproducer, ...candidateOf(rows) });
      ids.push(String(structuredContent?.['id']));
    }
    const results = await Promise.all(ids.map((id) => call('judge_result', { id, waitSeconds: 60 })));
    expect(results.map(({ structuredContent }) => structuredContent)).toMatchObject([
      { phase: 'done', judgement: { verdict: 'pass', score: { wave_instructions: 500 } } },
      { phase: 'done', judgement: { verdict: 'fail' } },
      { phase: 'done', judgement: { verdict: 'not-compiled' } },
    ]);
    expect(results[0]?.content).toMatchObject([
      { text: expect.stringMatching(/PASS +500 wave-instructions/) as string },
    ]);
    const report = String(results[0]?.structuredContent?.['report']);
    expect([existsSync(report), readFileSync(report, 'utf8')]).toEqual([true, expect.stringContaining('"signature"')]);
    expect(made.workspace.read(`${reproducer}/kernel_variant.hip`)).toBe(before);
  });

  it('give the phase while there is no verdict', async () => {
    await connect();
    const waiting = await call('judge_submit', { reproducer, ...candidateOf(99, { id: 'slow' }) });
    expect(waiting.structuredContent).toMatchObject({ id: 'slow', phase: 'compiling', judgement: null, report: null });
    expect((await call('judge_result', { id: 'slow' })).structuredContent).toMatchObject({ judgement: null });
    fakes.release();
    const done = await call('judge_result', { id: 'slow', waitSeconds: 60 });
    expect(done.structuredContent).toMatchObject({ phase: 'done', judgement: { verdict: 'pass' } });
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      'a reproducer outside of the workspace',
      'judge_submit',
      { reproducer: '/etc', ...candidateOf(2) },
      'PATH_OUTSIDE',
    ],
    ['a folder that is no reproducer', 'judge_submit', { reproducer: 'app', ...candidateOf(2) }, 'CONFIG_MISSING'],
    ['a file that decides', 'judge_submit', { reproducer, files: { 'kernel.json': '{}' } }, 'CANDIDATE_REFUSED'],
    ['an option of the judge', 'judge_submit', { reproducer, ...candidateOf(2), unsandboxed: true }, 'USAGE'],
    ['an unknown id', 'judge_result', { id: 'none' }, 'CANDIDATE_UNKNOWN'],
    ['a path as an id', 'judge_result', { id: '../key' }, 'USAGE'],
  ])('refuse %s', async (_, name, args, code) => {
    await connect();
    const { isError, structuredContent } = await call(name, args);
    expect([isError, structuredContent]).toMatchObject([true, { error: { code } }]);
    // The next call is not harmed.
    const next = await call('judge_submit', { reproducer, ...candidateOf(8), waitSeconds: 60 });
    expect(next.structuredContent).toMatchObject({ judgement: { verdict: 'pass' } });
  });

  it('begin anew when the capture was changed', async () => {
    await connect();
    await call('judge_submit', { reproducer, ...candidateOf(8), waitSeconds: 60 });
    const kernel = JSON.parse(made.workspace.read(`${reproducer}/kernel.json`)) as object;
    made.workspace.write(`${reproducer}/kernel.json`, { ...kernel, options: { validate: { rtol: 0.5 } } });
    const changed = await call('judge_submit', { reproducer, ...candidateOf(2), waitSeconds: 60 });
    expect(changed.structuredContent).toMatchObject({ judgement: { verdict: 'error', error: 'JUDGE_INPUT_CHANGED' } });
    const again = await call('judge_submit', { reproducer, ...candidateOf(2), waitSeconds: 60 });
    expect(again.structuredContent).toMatchObject({ judgement: { verdict: 'pass' } });
  });
});
