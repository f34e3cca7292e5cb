import type { Tree } from 'nx/src/devkit-exports';
import { applyEdits, modify, parse, stripComments, type ParseError } from 'jsonc-parser';
import { z } from 'zod';
import { KernloopError } from '../../lib/support/error';

/** Patterns of compiler messages: clang and gcc, then nvcc and NVRTC. */
const compilers = [
  {
    regexp: String.raw`^([^\s:(][^:]*):(\d+):(\d+): (?:fatal )?(error|warning|note): (.*)$`,
    ...{ file: 1, line: 2, column: 3, severity: 4, message: 5 },
  },
  {
    regexp: String.raw`^([^\s:(][^:(]*)\((\d+)\): (?:catastrophic )?(error|warning)(?: #[\w-]+)?: (.*)$`,
    ...{ file: 1, line: 2, severity: 3, message: 4 },
  },
];

/** The last two lines of validate. A PASS has no position: it leaves the list of problems empty. */
const verdicts = [
  { word: 'FAIL', severity: 'error' },
  { word: 'VACUOUS', severity: 'warning' },
].map(({ word, severity }) => ({
  severity,
  pattern: [
    { regexp: String.raw`^(?:edited )?at (.+?):(\d+)(?:, and \d+ more places?)?$`, file: 1, line: 2 },
    { regexp: String.raw`^Result: (${word} \(.*\))$`, message: 1 },
  ],
}));

const places = { source: 'kernloop', fileLocation: ['autoDetect', '${workspaceFolder}'] };
const ofCompilers = compilers.map((pattern) => ({ owner: 'kernloop', ...places, pattern }));
const ofVerdicts = verdicts.map((matcher) => ({ owner: 'kernloop', ...places, ...matcher }));

/** A task for the app or reproducer of the open file: verbs search its project file upward. */
const task = (label: string, verb: string, option: string, more: object): object => ({
  label: `kernloop: ${label}`,
  type: 'process',
  command: 'npx',
  args: ['kernloop', verb, option, '${fileDirname}'],
  ...more,
});

export const tasks: readonly object[] = [
  task('extract the kernels of this app', 'extract', '--app', { problemMatcher: ofCompilers }),
  task('recompile this reproducer', 'recompile', '--reproducer', {
    group: 'build',
    problemMatcher: ofCompilers,
  }),
  task('validate this reproducer', 'validate', '--reproducer', {
    group: { kind: 'test', isDefault: true },
    dependsOn: 'kernloop: recompile this reproducer',
    problemMatcher: ofVerdicts,
  }),
];

/** Schemas for files without `$schema`: older ones, and those that stages write. */
export const schemas = (folder: string): readonly { fileMatch: string[]; url: string }[] =>
  [
    ['kernloop.json', 'kernloop'],
    ['kernels/*/*/kernel.json', 'kernel'],
    ['kernels/*/*/report.json', 'report'],
    ['kernels/*/*/capture/selfcheck.json', 'selfcheck'],
    ['.kernloop/profile.json', 'profile'],
  ].map(([file = '', name = '']) => ({ fileMatch: [file], url: `${folder}/${name}.schema.json` }));

/** Adds missing entries to the lists in .vscode. Everything else in these files stays, including comments. */
export function setUpEditor(tree: Tree): string[] {
  const added = [
    addTo(tree, '.vscode/settings.json', {}, 'json.schemas', schemas('./node_modules/kernloop/schemas'), 'url'),
    addTo(tree, '.vscode/tasks.json', { version: '2.0.0' }, 'tasks', tasks, 'label'),
  ];
  return added.flatMap((what) => what ?? []);
}

const listSchema = z.array(z.looseObject({}));

function addTo(
  tree: Tree,
  path: string,
  initial: object,
  list: string,
  wanted: readonly object[],
  key: string,
): string | undefined {
  const found = tree.read(path, 'utf-8')?.replace(/^\uFEFF/, '') ?? '';
  // VS Code treats an empty file, and one with only comments, as an empty object.
  const isEmpty = stripComments(found).trim() === '';
  const before = isEmpty ? `${found}${JSON.stringify(initial, null, 2)}\n` : found;
  const present = listIn(path, before, list);
  const keyOf = (entry: object): unknown => (entry as Record<string, unknown>)[key];
  const missing = wanted.filter((entry) => !present.some((there) => keyOf(there) === keyOf(entry)));
  if (missing.length === 0) return undefined;
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: before.includes('\r\n') ? '\r\n' : '\n' };
  const at = missing.map((entry, index) => ({ entry, place: [list, present.length + index] }));
  const start = present.length > 0 ? before : applyEdits(before, modify(before, [list], [], { formattingOptions }));
  tree.write(
    path,
    at.reduce(
      (text, { entry, place }) =>
        applyEdits(text, modify(text, place, entry, { formattingOptions, isArrayInsertion: true })),
      start,
    ),
  );
  return `${path}: ${missing.length} added to ${list}`;
}

/** The list's entries; empty if the list does not exist yet. */
function listIn(path: string, text: string, list: string): readonly object[] {
  const errors: ParseError[] = [];
  const root: unknown = parse(text, errors, { allowTrailingComma: true });
  const checked = z.looseObject({ [list]: listSchema.optional() }).safeParse(root);
  if (errors.length === 0 && checked.success) return (checked.data[list] as object[] | undefined) ?? [];
  throw new KernloopError(
    'USAGE',
    `${path} is not a JSON object, or its "${list}" is not a list`,
    'correct it; nothing was changed',
  );
}
