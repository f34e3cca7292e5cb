import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kernloopJsonSchema } from '../app/kernloop-json';
import type { Deps } from '../deps/deps';
import type { Reproducer } from '../reproducer/reproducer';
import { kernloopFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import { parseAddress } from './address';
import { authorizationFor } from './authorization';
import { HttpStore } from './http-store';

/** Variable that names the server if no flag does. */
export const remoteVariable = 'KERNLOOP_REMOTE';

/**
 * The server that a flag names, else KERNLOOP_REMOTE, else "store" in kernloop.json of the reproducer's app; undefined
 * if none does.
 */
export async function remoteStore(
  named: string | undefined,
  reproducer: Pick<Reproducer, 'workspaceRoot' | 'config'> | undefined,
  deps: Deps,
): Promise<HttpStore | undefined> {
  const declared = reproducer && declaredStore(reproducer);
  const variable = deps.env[remoteVariable] || undefined;
  const text = named ?? variable ?? declared?.url;
  if (text === undefined) return undefined;
  const where =
    named !== undefined ? '--remote' : variable !== undefined ? remoteVariable : `"store" of ${kernloopFile}`;
  const address = parseAddress(text, where);
  const isDeclared = declared !== undefined && parseAddress(declared.url, where).url === address.url;
  // The credential helper is used only for the server that it was declared for.
  const helper = isDeclared ? declared.credentialHelper : undefined;
  return new HttpStore(address, await authorizationFor(address, helper, deps), deps.signal);
}

function declaredStore({ workspaceRoot, config }: Pick<Reproducer, 'workspaceRoot' | 'config'>) {
  const file = join(workspaceRoot, config.app.root, kernloopFile);
  if (!existsSync(file)) return undefined;
  return readJson(file, kernloopJsonSchema, 'CONFIG_MISSING', 'restore the file').store;
}
