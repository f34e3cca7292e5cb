import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { captureFile, readCapture, type CaptureJson } from '../archive/capture-files';
import { extractCommand } from '../reproducer/extract-command';
import { reproducerPaths } from '../reproducer/layout';
import { KernloopError, nearest } from '../support/error';
import { kernelFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import type { Reproducer } from '../reproducer/reproducer';
import { withoutModuleId } from '../toolchain/module-id';

/** A capture of a reproducer, with the number of its dispatch. */
export interface CapturedDispatch {
  folder: string;
  /** Folder relative to the reproducer: "capture", "captures/4". */
  shown: string;
  dispatch: number;
  capture: CaptureJson;
}

export interface ChosenDispatches {
  /** Chosen captures, ordered by number. */
  chosen: CapturedDispatch[];
  /** Captures of the same selection but another kernel, as `"each": "kernel"` makes them. */
  otherKernels: CapturedDispatch[];
  /** Captures of the chosen kernels that were not asked for by number. */
  leftOut: CapturedDispatch[];
}

/** Chooses captures by number, or "all" of the reproducer's kernel; by default all or the one in capture/. */
export function chooseDispatches(
  reproducer: Reproducer,
  wanted: string | undefined,
  whenLeftOut: 'all' | 'main',
): ChosenDispatches {
  const main = readDispatch(reproducer, reproducer.capture);
  const read = (folder: string): CapturedDispatch => (folder === main.folder ? main : readDispatch(reproducer, folder));
  requireOwnKernel(reproducer, main);
  requireOneCodeObject(reproducer, main);
  if (wanted === undefined && whenLeftOut === 'main') return { chosen: [main], otherKernels: [], leftOut: [] };
  const folders = new Map([[main.dispatch, main.folder], ...furtherFolders(reproducer)]);
  if (wanted !== undefined && wanted !== 'all') {
    const named = numbersIn(wanted, folders);
    const chosen = byNumber(named.map(read));
    const others = [...folders.values()].filter((folder) => !named.includes(folder));
    const leftOut = others.map(read).filter((other) => chosen.some((one) => isSameKernel(one, other)));
    return { chosen, otherKernels: [], leftOut: byNumber(leftOut) };
  }
  const all = byNumber([...folders.values()].map(read));
  return {
    chosen: all.filter((one) => isSameKernel(one, main)),
    otherKernels: all.filter((one) => !isSameKernel(one, main)),
    leftOut: [],
  };
}

function isSameKernel(
  { capture: { kernel: a } }: CapturedDispatch,
  { capture: { kernel: b } }: CapturedDispatch,
): boolean {
  return a.symbol === b.symbol && a.code_object === b.code_object;
}

/**
 * Refuses a capture that another selection left here: it would be judged by this kernel's argument types and roles.
 * kernel.json, which can be edited, must match as well, because users and programs take kernel and target from it.
 */
function requireOwnKernel(reproducer: Reproducer, { shown, capture: { kernel, device } }: CapturedDispatch): void {
  const { config } = reproducer;
  if (kernel.symbol !== config.symbol && kernel.name !== config.demangled) {
    throw new KernloopError(
      'CAPTURE_MISMATCH',
      `${shown} is of ${kernel.name}, but the kernel of this reproducer is ${config.demangled}`,
      `capture that again: \`${extractCommand(reproducer, '--recapture')}\`; or, where the kernel of ${config.name} is another one now, take its files over with \`${extractCommand(reproducer, '--reset')}\``,
    );
  }
  const facts = [
    // nvcc's names contain an id that depends on the build folder.
    ['symbol', withoutModuleId(kernel.symbol), withoutModuleId(config.symbol), kernel.symbol, config.symbol],
    ['device', kindOf(device), kindOf(config.device), device.kind, config.device.kind],
    ['ISA', device.isa, config.device.isa, device.isa, config.device.isa],
  ] as const;
  const [what, , , captured, said] = facts.find(([, one, other]) => one !== other) ?? [];
  if (what === undefined) return;
  throw new KernloopError(
    'CAPTURE_MISMATCH',
    `${shown} is of ${kernel.name} with the ${what} ${captured}, but ${kernelFile} says ${what} ${said}`,
    `\`${extractCommand(reproducer)}\` brings ${kernelFile} up to date, and keeps your edits; where the kernel is another one, \`${extractCommand(reproducer, '--recapture')}\` captures that`,
  );
}

/** A capture from AMD hardware may have been repeated on the software GPU, so both count as one kind. */
const kindOf = ({ kind }: { kind: string }): string => (kind === 'hsa' ? 'softgpu' : kind);

const provenSchema = z.looseObject({ code_object: z.looseObject({ captured: z.string() }) });

/**
 * Requires that capture, recipe and kernel.json name the same captured code object: otherwise statements about "the
 * captured code" would be wrong for one of them.
 */
function requireOneCodeObject(reproducer: Reproducer, { shown, capture }: CapturedDispatch): void {
  const { root, config, files } = reproducer;
  const { recipe } = reproducerPaths(root);
  const proven =
    config.language !== 'none' && existsSync(recipe)
      ? readJson(recipe, provenSchema, 'SOURCE_NOT_FOUND', 'generate it again', files).code_object.captured
      : null;
  const captured = capture.kernel.code_object;
  if (config.code_object === captured && (proven ?? captured) === captured) return;
  const said = [
    `${shown}/capture.json: ${captured}`,
    ...(proven === null ? [] : [`${relative(root, recipe)}: ${proven}`]),
    `kernel.json: ${config.code_object}`,
  ];
  const extract = `\`${extractCommand(reproducer)}\` (\`nx run ${config.app.name}:extract-kernel\`)`;
  throw new KernloopError(
    'CAPTURE_MISMATCH',
    `the files of this reproducer name different code objects as the captured one:\n${said.join('\n')}`,
    proven !== null && proven !== captured
      ? `the app was built anew, or the capture is another one: ${extract} generates from the capture that is there, and keeps your edits`
      : `${extract} brings kernel.json up to date where the kernel still has the same arguments; otherwise take the generated files over with \`${extractCommand(reproducer, '--reset')}\`, which drops your edits of them`,
  );
}

/** Text such as "dispatch 4 (captures/4)". */
export function nameOfDispatch({ dispatch, shown }: Pick<CapturedDispatch, 'dispatch' | 'shown'>): string {
  return `dispatch ${dispatch} (${shown})`;
}

function readDispatch({ root, capture: main, files }: Reproducer, folder: string): CapturedDispatch {
  const capture = readCapture(folder, files);
  const shown = relative(root, folder);
  const number = folder === main ? capture.dispatch.ordinal : Number(/\d+$/.exec(shown)?.[0]);
  return { folder, shown, dispatch: number, capture };
}

/** Folders `captures/<number>`, if there are any. */
function furtherFolders({ root }: Reproducer): [number, string][] {
  const parent = join(root, 'captures');
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .filter((name) => /^\d{1,15}$/.test(name) && existsSync(captureFile(join(parent, name))))
    .map((name) => [Number(name), join(parent, name)]);
}

function byNumber(dispatches: readonly CapturedDispatch[]): CapturedDispatch[] {
  return [...dispatches].sort((a, b) => a.dispatch - b.dispatch);
}

function numbersIn(wanted: string, folders: ReadonlyMap<number, string>): string[] {
  const numbers = [...folders.keys()].sort((a, b) => a - b);
  const listed = `dispatch ${numbers.join(', ')} ${numbers.length === 1 ? 'is' : 'are'} captured here`;
  if (!/^\d+(,\d+)*$/.test(wanted)) {
    const close = nearest(wanted, ['all'], 1);
    throw new KernloopError(
      'USAGE',
      `--capture "${wanted}" names no captured dispatch`,
      `give numbers ("2", "1,4") or "all"${close.length > 0 ? '; did you mean all?' : ''}; ${listed}`,
    );
  }
  return [...new Set(wanted.split(',').map(Number))].map((number) => {
    const folder = folders.get(number);
    if (folder !== undefined) return folder;
    throw new KernloopError(
      'CAPTURE_MISSING',
      `dispatch ${number} is not among the captures of this reproducer`,
      `${listed}; \`kernloop capture --dispatch ${number}\` captures it`,
    );
  });
}
