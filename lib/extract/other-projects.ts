import { relative } from 'node:path';
import type { App } from '../app/app';
import { openableApps } from '../app/openable-apps';
import { editedSources } from '../reproducer/adopted-files';
import type { JsonReader } from '../support/lenient-json';
import { launchIn, notInTheOther, sameDispatch, type Launch } from './same-launch';

const mostNames = 3;

/**
 * Says which other projects of the workspace are of the kernel whose capture is in a folder: an edit of one is not in
 * the other.
 */
export function otherProjects(app: App, name: string, capture: string, read: JsonReader): string[] {
  const own = launchIn(capture, read);
  if (own === undefined) return [];
  const others = openableApps(app.workspaceRoot).filter(({ root }) => root !== app.root);
  const found = [app, ...others].flatMap((other) =>
    other.config.kernels.flatMap((kernel) => {
      const isInApp = other === app;
      const launch = isInApp && kernel.name === name ? undefined : launchIn(other.capture(kernel.name), read);
      const kinship = launch && kinshipOf(own, launch, isInApp);
      return kinship === undefined ? [] : [{ kinship, text: textOf(other, kernel.name, isInApp) }];
    }),
  );
  return [sameDispatch, otherLaunch, otherBuild].flatMap((kinship) => {
    const texts = found.filter((one) => one.kinship === kinship).map(({ text }) => text);
    const more = texts.length > mostNames ? ` and ${texts.length - mostNames} more` : '';
    return texts.length === 0
      ? []
      : [`${name} is ${kinship} ${texts.slice(0, mostNames).join(', ')}${more}: ${notInTheOther}`];
  });
}

const otherLaunch = 'another launch of the kernel of';
const otherBuild = 'another build of the kernel of';

/** Other apps may have kernels of the same name that have nothing in common. */
function kinshipOf(own: Launch, other: Launch, isInApp: boolean): string | undefined {
  if (other.run === own.run) return sameDispatch;
  if (other.code === own.code) return otherLaunch;
  return isInApp && other.symbol === own.symbol ? otherBuild : undefined;
}

function textOf(app: App, name: string, isInApp: boolean): string {
  const root = app.reproducer(name);
  const edit = editedSources(root).length > 0 ? ', edited' : '';
  return `${name}${isInApp ? '' : ` of ${app.config.name}`} (${relative(app.workspaceRoot, root)}${edit})`;
}
