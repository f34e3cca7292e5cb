// Makes the package.json of published packages from the repository's: one version, without fields that only a checkout
// needs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../console.mjs';

export const checkout = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
export const { version } = checkout;

/** Platform of the package of native programs (lib/native/native-package.ts looks for it under this name). */
export const platform = `${process.platform}-${process.arch}`;
export const nativeName = `@kernloop/native-${platform}`;

/**
 * Dependencies that stay with npm, because the declarations of our API name their types. The others are bundled into
 * our own files (bundled.mjs).
 */
export const kept = ['zod'];

const pick = (names) =>
  Object.fromEntries(names.filter((name) => name in checkout).map((name) => [name, checkout[name]]));
const origin = ['license', 'repository', 'homepage', 'bugs'];

/**
 * The native package is optional so that a workspace installs on every machine; a stage reports it if it is missing.
 */
export function kernloopManifest() {
  return {
    ...pick(['name', 'version', 'description', 'keywords', ...origin, 'engines', 'bin']),
    exports: withoutSources(checkout.exports),
    ...pick(['executors', 'generators']),
    dependencies: Object.fromEntries(kept.map((name) => [name, checkout.dependencies[name]])),
    optionalDependencies: { [nativeName]: version },
    ...pick(['peerDependencies', 'peerDependenciesMeta']),
  };
}

/** Removes the condition with which a checkout runs its TypeScript. */
function withoutSources(exports) {
  const own = ([condition]) => condition !== '@kernloop/source';
  const plain = (target) =>
    typeof target === 'string' ? target : Object.fromEntries(Object.entries(target).filter(own));
  return Object.fromEntries(Object.entries(exports).map(([name, target]) => [name, plain(target)]));
}

export function nativeManifest() {
  const [os, cpu] = platform.split('-');
  return {
    name: nativeName,
    version,
    description: `The native programs of Kernloop for ${platform}: software GPU, capture agents, recorder, replay, archive tool.`,
    ...pick(origin),
    os: [os],
    cpu: [cpu],
    libc: ['glibc'],
    preferUnplugged: true, // Yarn: programs cannot be started out of a zip file
  };
}
