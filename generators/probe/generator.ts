import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinPathFragments, logger, type Tree } from 'nx/src/devkit-exports';
import { parseProbeSet } from '../../lib/probe/probe-set';
import { KernloopError } from '../../lib/support/error';
import { kernelFile } from '../../lib/support/project-file-names';
import { packageRoot } from '../../lib/support/version';
import { withHint } from '../terminal';
import { probeOptionsSchema, type ProbeOptions } from './options';

const template = join(packageRoot, 'generators', 'probe', 'files', 'probe.toml.template');

/** Writes a probe.toml to start from: it works unchanged, and describes the other possibilities. */
export default function probe(tree: Tree, given: ProbeOptions): Promise<void> {
  return withHint(() => Promise.resolve(generateProbe(tree, given)));
}

export function generateProbe(tree: Tree, given: ProbeOptions): void {
  const { reproducer, name, level } = probeOptionsSchema.parse(given);
  if (!tree.exists(joinPathFragments(reproducer, kernelFile))) {
    throw new KernloopError(
      'CONFIG_MISSING',
      `${reproducer} is no reproducer: it has no ${kernelFile}`,
      'name a folder like kernels/<app>/<kernel>; `kernloop extract` makes one',
    );
  }
  const path = joinPathFragments(reproducer, `${name}.toml`);
  if (tree.exists(path)) {
    throw new KernloopError('TARGET_EXISTS', `${path} is there already`, 'give it another name with --name');
  }
  const text = readFileSync(template, 'utf8').replaceAll('<%= name %>', name).replaceAll('<%= level %>', level);
  parseProbeSet(text, path);
  tree.write(path, text);
  logger.info(`${path}: try it with \`kernloop trace run ${reproducer} --probe ${name}.toml\``);
}
