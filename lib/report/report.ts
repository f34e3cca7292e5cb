import { statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import type { Page } from '../page/page';
import { pageMark, pageText } from '../page/page';
import { openReproducer } from '../reproducer/reproducer';
import { workspaceIn } from '../reproducer/workspace-in';
import { KernloopError } from '../support/error';
import { writeOutput, writeOwnFile } from '../support/output-file';
import { formatCount } from '../support/report';
import type { ReportOptions } from './options';
import type { ReportPage } from './result';
import { reproducerPage } from './reproducer-page';
import { tracePage } from './trace-page';
import { workspacePage } from './workspace-page';

/** Reads the results of other stages, runs none of them, and writes one page. */
export async function report(options: ReportOptions, deps: Deps): Promise<ReportPage> {
  const { of, page, file } = await pageFor(options, deps);
  const output = resolve(options.output ?? file);
  const text = pageText(page);
  if (options.output === undefined && of !== 'trace') writeOwnFile(output, text, { mark: pageMark });
  else writeOutput(output, text, deps.env);
  const bytes = Buffer.byteLength(text);
  deps.report.result(`${output}: ${formatCount(bytes)} bytes`);
  return { of, file: output, bytes, sections: page.sections.map(({ id }) => id) };
}

interface Made {
  readonly of: ReportPage['of'];
  readonly page: Page;
  readonly file: string;
}

async function pageFor(options: ReportOptions, deps: Deps): Promise<Made> {
  const { trace, workspace, ranks, clockMhz, unaligned } = options;
  if (trace !== undefined && workspace !== undefined)
    throw new KernloopError(
      'USAGE',
      '--trace and --workspace are two pages',
      'run it twice: once with --trace, once with --workspace',
    );
  if (trace === undefined && (ranks.length > 0 || clockMhz !== undefined || unaligned))
    throw new KernloopError('USAGE', '--ranks, --clock-mhz and --unaligned are about a trace', 'name it with --trace');
  if (trace !== undefined) {
    const path = resolve(trace);
    const name = basename(path, extname(path));
    return {
      of: 'trace',
      page: await tracePage(path, options, deps),
      file: join(dirname(path), `${name}.report.html`),
    };
  }
  const root = workspace === undefined ? workspaceIn(options.reproducer) : resolve(workspace);
  if (root !== undefined) {
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
      throw new KernloopError('FILE_NOT_FOUND', `${root} is no folder`, 'name the root of a workspace');
    return { of: 'workspace', page: await workspacePage(root), file: join(root, '.kernloop', 'report.html') };
  }
  const reproducer = openReproducer(options.reproducer);
  return {
    of: 'reproducer',
    page: await reproducerPage(reproducer),
    file: join(reproducer.root, 'build', 'report.html'),
  };
}
