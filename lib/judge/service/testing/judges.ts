import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Deps } from '../../../deps/deps';
import { fakeDeps, type FakeProgram } from '../../../testing/fake-deps';
import { realArchive } from '../../../testing/real-archive';
import type { TestWorkspace } from '../../../testing/workspace';
import { behaving, compilerOf, fakeHipcc, tunableSource } from '../../../tune/testing/fake-candidates';
import { Judge } from '../../judge';
import { judgeOptionsSchema } from '../../options';
import type { Sealed } from '../../seal';
import { mostQueued, type SenderLimits } from '../../senders';
import { JudgeServer } from '../http';
import type { ErrorBody } from '../wire';
import { noTokens, type Tokens } from '../tokens';

/** Source of a candidate: 7 is wrong, 13 does not compile, 99 is compiled until `open` or its end. */
export const sourceOf = (rows: number, width = 1): string =>
  tunableSource.replace('kRows = 4', `kRows = ${rows}`) + `// ${width}\n`;

export const candidateOf = (rows: number, more: object = {}, width = 1) => ({
  files: { 'kernel_variant.hip': sourceOf(rows, width) },
  ...more,
});

/** Judges of one home with fake programs, and their servers; `end` closes all. */
export class Judges {
  private readonly servers: JudgeServer[] = [];
  private readonly all: Judge[] = [];
  private open = (): void => undefined;
  /** Sources that were compiled, in order. */
  readonly compiled: string[] = [];
  /** Called before each compilation with the number of those before it. */
  onCompile: (before: number) => void = () => undefined;
  /** CPU time that each compilation is said to take. */
  cpuSeconds = 0;
  private readonly gate = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  constructor(
    private readonly workspace: TestWorkspace,
    private readonly reproducer: string,
  ) {}

  /** Lets candidates with 99 rows go on. */
  release(): void {
    this.open();
  }

  deps(more: Partial<Deps> = {}): ReturnType<typeof fakeDeps> {
    const hipcc: FakeProgram = async (call) => {
      if (['--version', '-###'].some((word) => call.args.includes(word))) return fakeHipcc(call);
      const text = readFileSync(join(call.options.cwd ?? '', 'kernel_variant.hip'), 'utf8');
      this.onCompile(this.compiled.length);
      this.compiled.push(text);
      if (text.includes('kRows = 99')) await Promise.race([this.gate, call.stdinClosed]);
      if (text.includes('kRows = 13')) return { exitCode: 1, stderrTail: 'kernel_variant.hip:2:1: error: 13\n' };
      const ended = await fakeHipcc(call);
      return { ...(typeof ended === 'number' ? { exitCode: ended } : ended), cpuSeconds: this.cpuSeconds };
    };
    const replay = behaving((rows) => ({
      count: Math.round(4000 / Number(rows)),
      verdict: rows === '7' ? 'fail' : 'pass',
    }));
    return fakeDeps({ hipcc, 'kernloop-archive': realArchive, 'kernloop-replay': replay }, this.workspace.native, {
      env: { ...compilerOf(this.workspace), HOME: this.workspace.root },
      ...more,
    });
  }

  settings(more: object = {}) {
    const home = this.workspace.path('home');
    const given = { candidate: ['none'], reproducer: [this.reproducer], home, jobs: 1, unsandboxed: true, ...more };
    return judgeOptionsSchema.parse(given);
  }

  async judge(more: object = {}, deps: Partial<Deps> = {}, limits: Partial<SenderLimits> = {}): Promise<Judge> {
    const ofSender = { candidates: mostQueued, bytes: 2 ** 31, cpuSeconds: null, ...limits };
    const judge = await Judge.open(this.settings(more), null, this.deps(deps), { limits: ofSender });
    this.all.push(judge);
    return judge;
  }

  get socket(): string {
    return this.workspace.path('judge.sock');
  }

  async serve(judge: Judge, tokens: Tokens = noTokens): Promise<JudgeServer> {
    const address = { kind: 'socket', path: this.socket } as const;
    const server = new JudgeServer({ judge, tokens, address, isSandboxed: false });
    this.servers.push(server);
    await server.listen();
    return server;
  }

  async end(): Promise<void> {
    this.release();
    for (const server of this.servers) await server.close().catch(() => undefined);
    for (const judge of this.all) await judge.close();
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Answer in JSON, with the fields that the test expects. */
  readonly body: Sealed & { candidates: unknown[]; error: ErrorBody; kernels: unknown; phase: string };
}

/** A request over the socket as any client sends it. */
export function ask(
  socket: string,
  method: string,
  path: string,
  { body, headers = {}, token }: { body?: unknown; headers?: Record<string, string>; token?: string } = {},
): Promise<Answer> {
  const given = { host: 'localhost', ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers };
  const text = typeof body === 'string' || Buffer.isBuffer(body) || body === undefined ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    request({ socketPath: socket, method, path, headers: given, agent: false }, (response) => {
      let all = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (all += chunk));
      response.on('end', () => {
        const isJson = response.headers['content-type'] === 'application/json';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: all,
          body: (isJson ? JSON.parse(all) : {}) as Answer['body'],
        });
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end(text);
  });
}
