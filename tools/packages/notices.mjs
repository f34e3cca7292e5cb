// Licence notices of npm packages that esbuild joined into one file, which loses their own licence files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, StepError } from '../console.mjs';

/** Folder and name of a module's npm package; undefined for a module of ours. */
function packageOf(module) {
  const at = module.lastIndexOf('node_modules/');
  if (at < 0) return undefined;
  const words = module.slice(at + 'node_modules/'.length).split('/');
  const name = words.slice(0, words[0].startsWith('@') ? 2 : 1).join('/');
  return join(root, module.slice(module.indexOf('node_modules/'), at), 'node_modules', name);
}

const isLicence = (file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file);

function read(folder) {
  const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter(isLicence).sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { name, version, license, origin: repository?.url ?? repository, text: texts.join('\n\n') };
}

/**
 * Notice of one package. A package without licence text is an error, because nothing is shipped without one. Packages
 * of one repository may share it.
 */
function notice({ name, version, license, origin, text }, all) {
  const shares = (other) => other.text !== '' && other.license === license && other.origin === origin;
  const licence = text || (origin !== undefined && all.find(shares)?.text);
  if (!licence)
    throw new StepError(
      `${name} is joined into the package, and its folder has no licence text`,
      'leave it to npm (tools/packages/manifests.mjs)',
    );
  return { name, text: `## ${name} ${version}\n\n${license}\n\n\`\`\`text\n${licence}\n\`\`\`\n` };
}

/** `modules`: inputs in esbuild's metafiles, relative to the checkout. */
export function notices(modules) {
  const folders = [...new Set(modules.map(packageOf).filter((folder) => folder !== undefined))];
  const packages = folders.map(read);
  const parts = packages.map((one) => notice(one, packages)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = '# Third-party notices\n\nPackages whose code is part of the JavaScript files in `dist/`.\n';
  return [head, ...new Set(parts.map(({ text }) => text))].join('\n');
}
