import {
  readJson,
  readNxJson,
  writeJson,
  type GeneratorCallback,
  type NxJsonConfiguration,
  type Tree,
} from 'nx/src/devkit-exports';
import { withOutputsIgnored } from '../../lib/app/ignored-outputs';
import { version } from '../../lib/support/version';
import { editJson } from './edit-json';

const plugin = 'kernloop/plugin';

/** Cache and state of Nx, which nobody commits. */
const ofNx = ['.nx/cache', '.nx/workspace-data'];

export interface SetUp {
  /** Changes made, for people; empty if there were none. */
  done: string[];
  /** Installs packages added to package.json. */
  finish: GeneratorCallback;
}

/** Sets up a workspace once. Existing settings stay: cache, cloud, analytics, versions. */
export function setUpWorkspace(
  tree: Tree,
  { skipPackageJson = false }: { skipPackageJson?: boolean | undefined },
): SetUp {
  const settings = setUpNx(tree);
  const lines = ignoreOutputs(tree);
  const isNamed = skipPackageJson || !addToPackageJson(tree);
  const done = [
    ...settings,
    ...(isNamed ? [] : [`package.json: kernloop ${version} among devDependencies`]),
    ...(lines > 0 ? [`.gitignore: ${lines} lines for what stages write`] : []),
  ];
  return { done, finish: (): void => undefined };
}

function setUpNx(tree: Tree): string[] {
  const isNew = !tree.exists('nx.json');
  const nxJson: NxJsonConfiguration = readNxJson(tree) ?? {};
  const plugins = nxJson.plugins ?? [];
  const names = plugins.map((entry) => (typeof entry === 'string' ? entry : entry.plugin));
  const missing: Partial<NxJsonConfiguration> = {
    ...(names.includes(plugin) ? {} : { plugins: [...plugins, plugin] }),
    // Otherwise Nx shares its cache between clones, while captures are in each clone's own store.
    ...(nxJson.cacheDirectory === undefined ? { cacheDirectory: '.nx/cache' } : {}),
  };
  if (isNew) writeJson(tree, 'nx.json', { $schema: './node_modules/nx/schemas/nx-schema.json', ...missing });
  else editJson(tree, 'nx.json', missing);
  const added = [missing.plugins ? plugin : '', missing.cacheDirectory ? 'cacheDirectory' : ''].filter(Boolean);
  return added.length === 0 ? [] : [`nx.json: ${isNew ? 'made, with' : 'added'} ${added.join(' and ')}`];
}

/**
 * An existing entry for Kernloop in package.json stays, whatever its version or source. Nothing needs installing,
 * because this code runs.
 */
function addToPackageJson(tree: Tree): boolean {
  if (!tree.exists('package.json')) return false;
  const manifest = readJson<Record<string, Record<string, string> | undefined> & { name?: string }>(
    tree,
    'package.json',
  );
  const sections = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const isNamed = manifest.name === 'kernloop' || sections.some((section) => manifest[section]?.['kernloop']);
  if (isNamed) return false;
  writeJson(tree, 'package.json', {
    ...manifest,
    devDependencies: { ...manifest['devDependencies'], kernloop: version },
  });
  return true;
}

function ignoreOutputs(tree: Tree): number {
  const text = tree.read('.gitignore', 'utf-8');
  const { added, text: after } = withOutputsIgnored(text, [...(text === null ? ['node_modules'] : []), ...ofNx]);
  if (added > 0) tree.write('.gitignore', after);
  return added;
}
