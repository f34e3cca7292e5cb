import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Workspace } from './harness';

interface Structured {
  exit_code: number;
  outcome: string;
  result?: Record<string, unknown>;
  excerpt?: Record<string, unknown>;
  rest?: { uri: string; bytes: number };
  error?: { code: string; message: string; hint: string };
}

/** A client of `kernloop mcp` from the official SDK: it checks every result against the schema of its tool. */
export class Agent {
  readonly errors: Error[] = [];
  readonly transcript: string[] = [];
  private constructor(
    readonly client: Client,
    private readonly root: string,
  ) {}

  static async start(workspace: Workspace, args: readonly string[] = []): Promise<Agent> {
    const { cwd, env = {} } = workspace.settings();
    const given = Object.entries({ ...process.env, ...env }).filter((entry): entry is [string, string] => !!entry[1]);
    const client = new Client({ name: 'agent', version: '1' });
    const agent = new Agent(client, workspace.root);
    // Receives anything on stdout that is no message of the protocol, and also progress of a call that was just
    // cancelled.
    client.onerror = (error) => {
      if (!error.message.includes('unknown token')) agent.errors.push(error);
    };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [workspace.path('node_modules/kernloop/bin/kernloop.js'), 'mcp', ...args],
      env: Object.fromEntries(given),
      stderr: 'ignore',
      ...(cwd === undefined ? {} : { cwd }),
    });
    await client.connect(transport);
    await client.listTools();
    return agent;
  }

  async call(name: string, args: Record<string, unknown>, signal?: AbortSignal) {
    const said: string[] = [];
    const result = (await this.client.callTool({ name, arguments: args }, undefined, {
      timeout: 600_000,
      onprogress: ({ message = '' }) => said.push(message),
      ...(signal ? { signal } : {}),
    })) as CallToolResult;
    const structured = result.structuredContent as unknown as Structured;
    const text = result.content.map((item) => (item.type === 'text' ? item.text : `[${item.type}]`)).join('\n');
    this.note('tools/call', `${name} ${JSON.stringify(args)}`, text, said);
    return { isError: result.isError === true, text, said, ...structured };
  }

  /** Reads every page of a resource. */
  async read(uri: string): Promise<{ text: string; pages: number }> {
    let text = '';
    let pages = 0;
    for (let next: string | undefined = uri; next !== undefined;) {
      const { contents } = await this.client.readResource({ uri: next });
      const [page] = contents;
      text += page && 'text' in page ? page.text : '';
      pages += 1;
      next = page?._meta?.['next'] as string | undefined;
    }
    return { text, pages };
  }

  note(method: string, asked: string, answer: string, progress: readonly string[] = []): void {
    this.transcript.push(
      `→ ${method} ${asked}`,
      ...shown(progress).map((line) => `… ${line}`),
      ...shown(answer.trimEnd().split('\n')).map((line) => `← ${line.replaceAll(this.root, '/workspace')}`),
      '',
    );
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

/** Drops lines that depend on earlier builds of the app; a table is reduced to its head and its end. */
function shown(lines: readonly string[]): readonly string[] {
  const told = lines.filter(
    (line) => !/^[\w-]+: (configure|build): |^([\w-]+: (built|captured)|looked into) [\d.,]+[ \w%]*(,.*)?$/.test(line),
  );
  return told.length <= 9 ? told : [...told.slice(0, 5), `(${told.length - 8} more lines)`, ...told.slice(-3)];
}
