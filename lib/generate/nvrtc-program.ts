import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { NvrtcJson } from '../archive/nvrtc-json';
import { cudaDialect } from '../toolchain/dialect-cuda';
import { sha256OfFile } from '../support/files';
import { nvrtcCompiler } from '../toolchain/find-nvrtc';
import type { UnprovenRecipe } from '../toolchain/recipe';
import { nvrtcArguments } from '../toolchain/nvrtc-arguments';
import type { Recipe } from '../toolchain/recipe';
import { writeStandIn } from './pristine';

export interface NvrtcProgramOptions {
  /** Absolute path. */
  folder: string;
  compilerVersion: string;
  target: string;
  symbol: string;
  signature: Recipe['signature'];
}

const variantFile = 'kernel_variant.cu';
const mainFile = '_nvrtc/program.cu';

/** Writes a program that an app passed to NVRTC as a project: text in kernel_variant.cu, headers below deps/. */
export function writeNvrtcProgram(
  program: NvrtcJson,
  options: NvrtcProgramOptions,
): { unproven: UnprovenRecipe; files: Recipe['files']; source: string } {
  const { folder, compilerVersion, target, symbol, signature } = options;
  const files: Recipe['files'] = {};
  const write = (place: string, content: string, origin: string): void => {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    writeFileSync(join(folder, place), Buffer.from(content, 'base64'));
    files[place] = { origin: `nvrtc:${origin}`, sha256: sha256OfFile(join(folder, place)) };
  };
  write(variantFile, program.source, program.name ?? 'default_program');
  const taken = new Set<string>();
  const headers = program.headers.map(({ name, content }, index) => {
    const file = posix.join('deps', placeOf(name, index, taken));
    write(file, content, name);
    return { name, file };
  });
  const { args, notes } = nvrtcArguments(program.options, target);
  if (program.matched_by === 'symbol') {
    notes.push('that the kernel comes from this program was told by its name: it alone defined it in the captured run');
  }
  const unproven: UnprovenRecipe = {
    ...{ schema: 'kernloop.recipe/1', language: cudaDialect.name, symbol, target, signature, notes, arguments: args },
    compiler: { name: nvrtcCompiler, version: compilerVersion },
    environment: {},
    nvrtc: { name: program.name, headers, name_expressions: program.name_expressions },
    main: mainFile,
    variant: { file: variantFile, stands_for: mainFile },
    aliases: {},
  };
  writeStandIn(folder, unproven);
  return { unproven, files, source: Buffer.from(program.source, 'base64').toString('utf8') };
}

/** Path of a header. Absolute names of the app, names with upward steps and colliding ones get a new path. */
function placeOf(name: string, index: number, taken: Set<string>): string {
  const parts = name.split('/');
  const isPlain = parts.every((part) => /^[\w.+ -]+$/.test(part) && part !== '.' && part !== '..' && part.length < 200);
  const collides = [...taken].some((other) => other === name || isBelow(other, name) || isBelow(name, other));
  const isOurs = parts[0] === '_nvrtc' || parts[0] === '_headers';
  const place =
    isPlain && !collides && !isOurs
      ? name
      : `_headers/${index}-${basename(name)
          .replaceAll(/[^\w.+-]/g, '_')
          .slice(-100)}`;
  taken.add(place);
  return place;
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}
