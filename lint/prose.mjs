// `npm run lint:prose`: a plugin of remark that measures the sentences of README and docs/, and finds turns that a reader
// has to read twice (CONTRIBUTING.md). A task page, in docs/ itself, has a limit; `long` in prose-pages.json is a list
// of older pages with their own, which may only go down. Code, tables, headings and HTML are not measured; turns are also looked for in tables.
import { readFileSync } from 'node:fs';

/** Most words of a sentence. Code counts as one word. */
const mostWords = 35;

/** Most words of a page that shows how to do something, with its commands; a reference may have more. */
const mostWordsOfPage = 1200;
const isTask = (page) => /^docs\/[^/]+\.md$/.test(page) && !reference.includes(page);

/** Turns of phrase, each with what to write in its place. */
const turns = [
  [/\bof what\b/i, 'name the thing: "of the output", not "of what is written"'],
  [/\bof which\b/i, 'begin a new sentence with the noun'],
  [/\b(that|those) which\b/i, 'name the thing again'],
  [/\bso (ends?|do|does|did|is|are)\b/i, 'put the subject before the verb: "it ends in the same way"'],
  [/\b(is|are|was|were) told\b/i, 'say who reports it: "the result names", "the message says"'],
  [/\b(says|say|said) so\b/i, 'name the message, or the word that it shows'],
  [/\b(lies|lie|lay)\b/i, 'use "is", or the place as the subject: "the folder holds"'],
  [/\b(stands|stand|stood)\b(?!( in)? for\b)(?!-in\b)/i, 'use "is" or "has"'],
  [/\b(is|are|was|were) none\b/i, 'use "is not", or "no" and the noun'],
  [/\b(is|are) no (times?|numbers?)\b/i, 'say what they are: "are counts"'],
  [/\bby hand\b|\bby (itself|themselves)\b/i, 'name who does it, or use "alone" or "automatically"'],
  [/\b(is|are) (not )?held (against|off)\b/i, 'use "compared with", "counted as a fault" or "prevented"'],
  [/\bbut for\b/i, 'use "except"'],
];

/** A heading names a thing or a task: "Replays", not "What is replayed". */
const halfSentence = /^(What (is|are)|Of)\b/;

const { generated, reference, long } = JSON.parse(readFileSync(new URL('prose-pages.json', import.meta.url), 'utf8'));

/** The words that a reader sees; a code span becomes one word, an image or a tag none. */
function textOf(node) {
  if (node.type === 'inlineCode') return 'Code';
  if (node.type === 'break') return ' ';
  return node.children?.map(textOf).join('') ?? (node.type === 'text' ? node.value : '');
}

/** A full stop ends a sentence if no small letter follows: "e.g. this" goes on. */
const sentencesOf = (text) => text.split(/(?<=[.!?:]["')”]?)\s+(?=[^\sa-z])| · /);

const wordsOf = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Without the plugin for tables, a table is a paragraph whose lines begin with a bar. */
const isTable = (node, text) => node.type === 'paragraph' && text.startsWith('|');

function* faultsOf(node) {
  if (node.type !== 'paragraph' && node.type !== 'heading') {
    for (const child of node.children ?? []) yield* faultsOf(child);
    return;
  }
  const text = textOf(node);
  if (node.type === 'heading' && halfSentence.test(text)) yield [node, `heading "${text}": name the thing or the task`];
  for (const [turn, instead] of turns) {
    const [found] = turn.exec(text) ?? [];
    if (found !== undefined) yield [node, `"${found}": ${instead}`];
  }
  if (node.type === 'heading' || isTable(node, text)) return;
  for (const sentence of sentencesOf(text.replaceAll(/\s+/g, ' '))) {
    const words = wordsOf(sentence);
    if (words.length > mostWords)
      yield [node, `${words.length} words, at most ${mostWords}: "${words.slice(0, 6).join(' ')} …"`];
  }
}

export default function prose() {
  return (tree, file) => {
    const page = file.path.replace(/^\.\//, '');
    if (generated.includes(page)) return;
    for (const [node, reason] of faultsOf(tree)) file.message(reason, node);
    if (!isTask(page)) return;
    const words = String(file.value).split(/\s+/).filter(Boolean).length;
    const most = long[page] ?? mostWordsOfPage;
    if (words > most)
      file.message(
        `page of ${words} words, at most ${most}: move what readers look up to docs/reference, or cut words`,
      );
  };
}
