import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../lib/app/app';
import { freeName } from '../../lib/app/free-name';
import { captureFile, readCapture, type CaptureJson } from '../../lib/archive/capture-files';
import { requireCapturePlace } from '../../lib/capture/owner';
import { otherwise } from '../../lib/extract/other-capture';
import { editedSources } from '../../lib/reproducer/adopted-files';
import { kernelJsonSchema } from '../../lib/reproducer/kernel-json';
import { reproducerPaths } from '../../lib/reproducer/layout';
import { KernloopError } from '../../lib/support/error';
import { jsonReader } from '../../lib/support/lenient-json';
import { kernelFile } from '../../lib/support/project-file-names';

/** Whether this capture is in its place already; another one is never replaced. */
export function isInPlace(app: App, name: string, capture: CaptureJson): boolean {
  const to = app.capture(name);
  requireCapturePlace(to);
  if (!existsSync(captureFile(to))) return false;
  const there = readCapture(to);
  if (JSON.stringify(there) === JSON.stringify(capture)) return true;
  const root = app.reproducer(name);
  const generated = kernelJsonSchema.safeParse(jsonReader()(join(reproducerPaths(root).pristine, kernelFile)));
  const differing = otherwise(there, capture, generated.data?.args);
  throw new KernloopError(
    'USAGE',
    `${to} holds another capture of ${there.kernel.name} (this one: ${differing})${keptEdit(name, root)}`,
    `give this one a project of its own: --name=${freeName(app, name)}`,
  );
}

function keptEdit(name: string, root: string): string {
  const [edited] = editedSources(root);
  return edited === undefined ? '' : `; ${name} keeps its edit of ${edited}`;
}
