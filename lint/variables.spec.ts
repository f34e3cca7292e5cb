import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKnownVariable } from '../lib/stages/unknown-variables';

const root = join(__dirname, '..');

const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root })
    .toString()
    .split('\n')
    .filter(Boolean);

/** Files of the product, in which a text of a variable's name alone is one that is read or set. */
const sources = tracked(
  'lib/*.ts',
  'cli/*.ts',
  'executors/*.ts',
  'plugins/*.ts',
  'native/*.cpp',
  'native/*.h',
  'python/src/*.py',
).filter((file) => !/\.spec\.ts$|_test\.cpp$|\/(?:testing|tests?|fuzz)\//.test(file));

const pages = tracked('docs/*.md');

const namesIn = (text: string): string[] =>
  [...text.matchAll(/["'`](KERNLOOP_[A-Z0-9_]+)["'`]/g)].map(([, name]) => name ?? '');

it('finds what is read and what a page names', () => {
  expect(namesIn(`env['KERNLOOP_A'] + getenv("KERNLOOP_B2") + KERNLOOP_MACRO`)).toEqual(['KERNLOOP_A', 'KERNLOOP_B2']);
});

it('every variable that the code reads is in a page', () => {
  const read = new Set(sources.flatMap((file) => namesIn(readFileSync(join(root, file), 'utf8'))));
  expect([...read]).toEqual(expect.arrayContaining(['KERNLOOP_COMPILER', 'KERNLOOP_NVML', 'KERNLOOP_TRITON_DIR']));
  const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');
  const known = (name: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(text) || name.startsWith('KERNLOOP_FAKE_CUDA_') || macros.has(name);
  expect([...read].filter((name) => !known(name)).sort()).toEqual([]);
});

it('every variable that the code reads is known, so that none is called misspelt', () => {
  const read = new Set(sources.flatMap((file) => namesIn(readFileSync(join(root, file), 'utf8'))));
  expect([...read].filter((name) => !isKnownVariable(name) && !macros.has(name))).toEqual([]);
});

it('every variable of a page about them is known', () => {
  const about = ['contributing/variables.md', 'reference/softgpu.md', 'reference/options.md'];
  const text = about.map((page) => readFileSync(join(root, 'docs', page), 'utf8')).join('\n');
  const named = [...text.matchAll(/`(KERNLOOP_[A-Z0-9_]*[A-Z0-9])(?:=\S*)?`/g)].map(([, name]) => name ?? '');
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter((name) => !isKnownVariable(name))).toEqual([]);
});

/** A name of the software GPU's extension in HSA's table of names, and no variable. */
const macros = new Set(['KERNLOOP_EXTENSION_SOFTGPU']);
