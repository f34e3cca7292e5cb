import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { App } from '../../lib/app/app';
import { freeName } from '../../lib/app/free-name';
import { captureFile, packFile, readCapture, type CaptureJson } from '../../lib/archive/capture-files';
import { damageOf } from '../../lib/archive/damage';
import { requireCapturePlace } from '../../lib/capture/owner';
import type { Deps } from '../../lib/deps/deps';
import { otherwise } from '../../lib/extract/other-capture';
import { editedSources } from '../../lib/reproducer/adopted-files';
import { kernelJsonSchema } from '../../lib/reproducer/kernel-json';
import { reproducerPaths } from '../../lib/reproducer/layout';
import { KernloopError } from '../../lib/support/error';
import { jsonReader } from '../../lib/support/lenient-json';
import { kernelFile } from '../../lib/support/project-file-names';

/** The place of a capture in a project. */
export interface Place {
  /** Whether this capture is there. */
  readonly isThere: boolean;
  /** Reason why it is copied afresh; null if it is whole, or not there. */
  readonly damage: string | null;
}

/**
 * Examines the place of a capture `from` a folder. Another capture is never replaced, and none joins an edit of another build of
 * the kernel.
 */
export async function placeFor(app: App, name: string, capture: CaptureJson, from: string, deps: Deps): Promise<Place> {
  const [to, root] = [app.capture(name), app.reproducer(name)];
  requireCapturePlace(to);
  const generated = kernelJsonSchema.safeParse(jsonReader()(join(reproducerPaths(root).pristine, kernelFile))).data;
  const [edited] = editedSources(root);
  if (existsSync(captureFile(to))) {
    const there = readCapture(to);
    if (JSON.stringify(there) === JSON.stringify(capture)) return placeOfSame(to, from, deps);
    const differing = otherwise(there, capture, generated?.args);
    const keeps = edited === undefined ? '' : `; ${name} keeps its edit of ${edited}`;
    throw refusal(app, name, `${to} holds another capture of ${there.kernel.name} (this one: ${differing})${keeps}`);
  }
  const { symbol, code_object: codeObject } = capture.kernel;
  const isOther = generated !== undefined && (generated.symbol !== symbol || generated.code_object !== codeObject);
  if (isOther && edited !== undefined)
    throw refusal(
      app,
      name,
      `${root} has an edit of ${edited}, of another build of the kernel than this capture is of`,
    );
  return { isThere: false, damage: existsSync(packFile(to)) ? 'it has no capture.json' : null };
}

async function placeOfSame(to: string, from: string, deps: Deps): Promise<Place> {
  const damaged = await damageOf(to, deps);
  if (damaged === null) return { isThere: true, damage: null };
  const isSource = resolve(from) === resolve(to);
  const other = isSource ? damaged : await damageOf(from, deps);
  if (other !== null) throw other;
  return { isThere: true, damage: `its content is damaged (${damaged.code})` };
}

const refusal = (app: App, name: string, what: string): KernloopError =>
  new KernloopError('USAGE', what, `give this one a project of its own: --name=${freeName(app, name)}`);
