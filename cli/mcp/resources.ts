import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ReadResourceResult, Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { isStageName } from '../../lib/stages/registry';
import { KernloopError, messageOf } from '../../lib/support/error';
import { packageRoot } from '../../lib/support/version';
import type { Bounds } from './arguments';
import { pageOf } from './bounded';
import { projectFile, projectFiles } from './project-files';
import { resultScheme, type Results } from './results';
import { toolOf } from './tools';
import type { InToolWords } from './words';

const fileScheme = 'kernloop-file:///';
const toolScheme = 'kernloop-tool://';
const skill = { uri: 'kernloop-skill://kernloop', path: join(packageRoot, 'skills', 'kernloop', 'SKILL.md') };

export const resourceTemplates: ResourceTemplate[] = [
  {
    uriTemplate: `${fileScheme}kernels/{app}/{kernel}/{+path}{?offset}`,
    name: 'reproducer',
    description:
      'A file of a reproducer: kernel.json, kernel_variant.*, pristine/ (the source as it was captured), capture/capture.json, report.json.',
  },
  {
    uriTemplate: `${fileScheme}{+app}/kernloop.json{?offset}`,
    name: 'app',
    description: 'How an app is built and run, and which of its kernels are declared.',
  },
  {
    uriTemplate: `${toolScheme}{name}{?offset}`,
    name: 'tool',
    description: 'A tool with the complete schemas of its options and its result, also one that is not offered here.',
  },
  {
    uriTemplate: `${resultScheme}{number}/{tool}.json{?offset}`,
    name: 'result',
    description: 'The whole of a result that was too large to send, while the server runs.',
  },
];

const types: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.html': 'text/html',
  '.svg': 'image/svg+xml',
};
const typeOf = (uri: string): string =>
  uri === skill.uri
    ? 'text/markdown'
    : uri.startsWith(toolScheme)
      ? 'application/json'
      : (types[extname(uri)] ?? 'text/plain');

/** Readable resources, in pages no larger than the server may send. */
export class Resources {
  constructor(
    private readonly bounds: Bounds,
    private readonly results: Results,
    private readonly maxBytes: number,
    private readonly words: InToolWords,
  ) {}

  list(): Resource[] {
    return [
      { uri: skill.uri, name: 'How to work with Kernloop', mimeType: 'text/markdown' },
      ...this.results.all().map(({ uri, tool, content }) => ({
        uri,
        name: `${tool}: whole result`,
        mimeType: typeOf(uri),
        size: content.length,
      })),
      ...projectFiles(this.bounds.workspace).map((path) => ({ uri: uriOf(path), name: path, mimeType: typeOf(path) })),
    ];
  }

  read(asked: string): ReadResourceResult {
    const { uri, offset } = splitUri(asked);
    const { content, start, total } = this.bytesOf(uri, offset);
    const { text, next } = pageOf(content, offset - start, this.maxBytes);
    if (text.includes('\0')) {
      throw new KernloopError('FILE_UNREADABLE', `${uri} is no text`, 'read it with a program that knows its format');
    }
    const page = { uri: asked, mimeType: typeOf(uri), text };
    if (next === undefined) return { contents: [page] };
    const rest = `${uri}?offset=${start + next}`;
    const more = `${total} bytes in all; the next page is ${rest}`;
    return {
      contents: [
        { ...page, _meta: { bytes: total, next: rest } },
        { uri: rest, mimeType: 'text/plain', text: more },
      ],
    };
  }

  /** Reads only the bytes for one page. */
  private bytesOf(uri: string, offset: number): { content: Buffer; start: number; total: number } {
    if (uri === skill.uri) return whole(readFileSync(skill.path));
    if (uri.startsWith(toolScheme)) {
      const name = uri.slice(toolScheme.length);
      if (isStageName(name)) return whole(Buffer.from(JSON.stringify(toolOf(name, this.words))));
    } else if (uri.startsWith(resultScheme)) {
      const kept = this.results.get(uri);
      if (kept) return whole(kept.content);
    } else if (uri.startsWith(fileScheme)) {
      return partOf(projectFile(pathOf(uri), this.bounds), uri, offset, this.maxBytes);
    }
    throw new KernloopError(
      'FILE_UNREADABLE',
      `there is no resource ${uri}`,
      'resources/list names those that there are',
    );
  }
}

const whole = (content: Buffer): { content: Buffer; start: number; total: number } => ({
  content,
  start: 0,
  total: content.length,
});

/** Reads a page and one more byte, which shows whether more follows. */
function partOf(path: string, uri: string, offset: number, maxBytes: number): ReturnType<typeof whole> {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('it is no file');
    const { size } = stat;
    const content = Buffer.alloc(Math.max(0, Math.min(size - offset, maxBytes + 1)));
    const read = readSync(file, content, 0, content.length, offset);
    return { content: content.subarray(0, read), start: offset, total: size };
  } catch (error) {
    throw new KernloopError('FILE_UNREADABLE', `${uri}: ${messageOf(error)}`, 'resources/list names the files', {
      cause: error,
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const uriOf = (path: string): string => `${fileScheme}${path.split('/').map(encodeURIComponent).join('/')}`;

function pathOf(uri: string): string {
  try {
    return decodeURIComponent(uri.slice(fileScheme.length));
  } catch {
    throw new KernloopError('USAGE', `${uri} is no URI`, 'resources/list names those that there are');
  }
}

function splitUri(asked: string): { uri: string; offset: number } {
  const [, uri = asked, digits = '0'] = /^([^?]*)\?offset=(\d{1,15})$/.exec(asked) ?? [];
  return { uri, offset: Number(digits) };
}
