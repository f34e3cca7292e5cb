// Licence notices of what a package holds of others: packages of npm that esbuild joined into one file, which loses their own licence files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, StepError } from '../console.mjs';

/** The folder and name of the npm package that a module is of; undefined for a module of ours. */
function packageOf(module) {
  const at = module.lastIndexOf('node_modules/');
  if (at < 0) return undefined;
  const words = module.slice(at + 'node_modules/'.length).split('/');
  const name = words.slice(0, words[0].startsWith('@') ? 2 : 1).join('/');
  return join(root, module.slice(module.indexOf('node_modules/'), at), 'node_modules', name);
}

const isLicence = (file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file);

/** The notice of one package; an error where it has no licence text: nothing is shipped without one. */
function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = existsSync(folder) ? readdirSync(folder).filter(isLicence).sort() : [];
  if (files.length === 0)
    throw new StepError(
      `${name} is joined into the package, and its folder has no licence text`,
      'keep it a dependency',
    );
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { name, text: `## ${name} ${version}\n\n${license}\n\n\`\`\`text\n${texts.join('\n\n')}\n\`\`\`\n` };
}

/** `modules`: the inputs of esbuild's metafiles, relative to the checkout. */
export function notices(modules) {
  const folders = [...new Set(modules.map(packageOf).filter((folder) => folder !== undefined))];
  const parts = folders.map(notice).sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = '# Third-party notices\n\nPackages whose code is part of the JavaScript files in `dist/`.\n';
  return [head, ...new Set(parts.map(({ text }) => text))].join('\n');
}
