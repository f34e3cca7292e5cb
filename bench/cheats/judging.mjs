// One process that judges: the class behind `kernloop judge`, from a checkout or an unpacked bundle.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot, root } from '../gpu/host.mjs';

const require = createRequire(import.meta.url);
const isSource = packageRoot === root;
if (isSource) require(join(root, 'bin', 'source.js'));
const lib = (name) => require(join(packageRoot, isSource ? '' : 'dist', 'lib', `${name}.${isSource ? 'ts' : 'js'}`));
const { Judge } = lib('judge/judge');
const { confinement } = lib('judge/confinement');
const { judgeOptionsSchema } = lib('judge/options');
const { defaultDeps } = lib('deps/deps');

const camel = (option) => option.slice(2).replace(/-(.)/g, (_, letter) => letter.toUpperCase());

const lists = ['dtype', 'record', 'inputsKeep', 'inputsRecord'];

/** Options of a verb as the judge's settings: `--inputs-keep NAME` becomes `inputsKeep: 'NAME'`. */
export function settingsOf(options) {
  const settings = {};
  for (let index = 0; index < options.length; index += 1) {
    const value = options[index + 1];
    const name = camel(options[index]);
    if (value === undefined || value.startsWith('--')) settings[name] = true;
    else {
      const given = Number.isNaN(Number(value)) ? value : Number(value);
      settings[name] = lists.includes(name) ? [given] : given;
      index += 1;
    }
  }
  return settings;
}

/** Groups by the options that they are judged with. */
export function byOptions(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const key = JSON.stringify(entry.options);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups].map(([key, group]) => ({ options: JSON.parse(key), group }));
}

/** CPU seconds of this process and of the programs that it has waited for. */
export function cpuSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/**
 * Judges candidates with one set of settings, and gives a judgement of each, in order; one that the judge does not accept
 * has the verdict "refused". `given`: settings of judge.
 */
export const judged = (given, candidates, onDone = () => {}) =>
  judgedBy(
    (deps) => deps,
    given,
    (judge) => verdictsOf(judge, candidates, onDone),
  );

/** Calls `work` with a judge whose dependencies are those that `wrap` makes of the usual ones. */
export async function judgedBy(wrap, given, work) {
  const settings = judgeOptionsSchema.parse({ candidate: ['.'], ...given });
  const deps = wrap(defaultDeps());
  const judge = await Judge.open(settings, await confinement(settings, deps), deps);
  try {
    return await work(judge);
  } finally {
    await judge.close();
  }
}

const verdictsOf = (judge, candidates, onDone) =>
  Promise.all(
    candidates.map(async (candidate) => {
      let id;
      try {
        ({ id } = judge.submit(candidate));
      } catch (error) {
        const { code, what } = error;
        if (code !== 'CANDIDATE_REFUSED') throw error;
        return { verdict: 'refused', summary: `${code}: ${what}`, races: [], diagnostics: [], ratio: null };
      }
      const { judgement } = await judge.verdict(id);
      onDone(judgement);
      return judgement;
    }),
  );
