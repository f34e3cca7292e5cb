import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, isErrorCode } from '../lib/support/error-codes';
import { commandsOf, exactly, fencesOf, missingLine, promisedCode, type Fence } from '../lib/testing/page-commands';
import { repository, run, Workspace } from './harness';

/**
 * Runs the commands of the documentation page by page, by the rules of lib/testing/page-commands.ts.
 * KERNLOOP_DOCS=nightly also runs slow ones.
 */
const isNightly = process.env['KERNLOOP_DOCS'] === 'nightly';

const examples = [
  'hip-pipeline',
  'batched-scale',
  ...(isNightly ? ['triton-softmax', 'triton-tracing', 'pgo-runtime'] : []),
];

const isRun = ({ language, attribute }: Fence): boolean =>
  language === 'diff'
    ? attribute !== ''
    : language === 'sh' && (attribute === '' || attribute === 'exact' || (isNightly && attribute === 'nightly'));

const pages = ['', 'reference/']
  .flatMap((folder) => readdirSync(join(repository, 'docs', folder)).map((name) => `${folder}${name}`))
  .filter((name) => name.endsWith('.md'))
  .map((name): [string, Fence[]] => [
    name,
    fencesOf(readFileSync(join(repository, 'docs', name), 'utf8')).filter(isRun),
  ])
  .filter(([, fences]) => fences.some(({ language }) => language === 'sh'));

describe('the commands of the documentation', () => {
  const workspace = Workspace.create([]);
  const state = workspace.path('shell-state');
  afterAll(() => workspace.remove());

  /** Runs a line in one continuing shell, as a reader types it: folder and variables persist. */
  async function typed(line: string): Promise<{ code: number; text: string }> {
    const script = `exec 2>&1\n. '${state}'\n${line}\ncode=$?\n{ export -p; declare -fx; echo "cd '$PWD'"; } > '${state}'\nexit $code`;
    return run('bash', ['-c', script], workspace.settings());
  }

  function begin(): void {
    const path = ['tools', 'node_modules/.bin'].map((folder) => workspace.path(folder)).join(':');
    // Code in Triton's cache from another folder would name that folder's files.
    const cache = `export TRITON_CACHE_DIR='${workspace.path('.kernloop/triton-cache')}'`;
    writeFileSync(state, `cd '${workspace.root}'\nexport PATH='${path}:'"$PATH"\n${cache}\n`);
  }

  beforeAll(async () => {
    // npx would find the same program half a second later.
    workspace.write('tools/npx', '#!/bin/sh\nexec "$@"\n');
    await run('chmod', ['+x', workspace.path('tools/npx')]);
    for (const example of examples)
      cpSync(join(repository, 'examples', example), workspace.path('examples', example), {
        recursive: true,
        filter: (path) => !/\/build$/.test(path),
      });
    // Python environment required by docs/triton.md.
    if (isNightly) symlinkSync(join(repository, 'python'), workspace.path('python'));
    begin();
    for (const example of ['hip-pipeline', 'batched-scale']) {
      const outcome = await typed(`npx kernloop extract --app examples/${example}`);
      expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    }
    await workspace.commitAll();
    cpSync(workspace.path('kernels'), workspace.path('.kernloop/kernels'), {
      recursive: true,
      preserveTimestamps: true,
    });
  });

  it('are those of all pages that show how to do something', () => {
    expect(pages.map(([name]) => name)).toEqual(
      expect.arrayContaining(
        'capture extract generate getting-started profile recompile replay report store trace tutorial validate'
          .split(' ')
          .map((name) => `${name}.md`),
      ),
    );
  });

  it.each(pages)('%s', async (name, fences) => {
    rmSync(workspace.path('kernels'), { recursive: true });
    cpSync(workspace.path('.kernloop/kernels'), workspace.path('kernels'), {
      recursive: true,
      preserveTimestamps: true,
    });
    begin();
    for (const { line, language, attribute, first, content } of fences) {
      const place = `docs/${name}:${line}`;
      if (language === 'diff') edit(attribute, content);
      else {
        if (first !== '')
          expect([place, first, await typed(first)]).toEqual([place, first, expect.objectContaining({ code: 0 })]);
        for (const { text, output } of commandsOf(content)) {
          const outcome = await typed(text);
          const promised = promisedCode(output, (error) => (isErrorCode(error) ? errorCodes[error].exitCode : -1));
          const missing = missingLine(output, outcome.text, attribute === 'exact' ? exactly : undefined);
          if (outcome.code === promised && missing === undefined) continue;
          const lacks = missing === undefined ? '' : `, and this line of the page is not there: ${missing}`;
          throw new Error(`${place}: ${text}\nended with ${outcome.code}, not ${promised}${lacks}\n${outcome.text}`);
        }
        begin();
      }
    }
  });

  /** Replaces each removed line by the added one. */
  function edit(file: string, diff: string): void {
    const [gone = [], come = []] = ['-', '+'].map((sign) =>
      diff.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])),
    );
    expect(gone).toHaveLength(come.length);
    for (const [index, line] of gone.entries())
      workspace.edit(file, (text) => text.replace(line, () => come[index] ?? ''));
  }
});
