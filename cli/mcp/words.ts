import { stageNames, stages, verbWords, type StageName } from '../../lib/stages/registry';
import type { Stage } from '../../lib/stage/stage';
import type { ReportEvent } from '../../lib/support/report-events';
import { optionInfos, shortFlags, type OptionInfo } from '../../lib/support/options';

/** Turns text for the command line into the words of a client, who has tools and options in place of verbs and flags. */
export type InToolWords = (text: string) => string;

/** Such a translation for a server that offers these tools. What is no verb and no flag of Kernloop stays as it is. */
export function toolWords(offered: readonly StageName[]): InToolWords {
  return (text) => {
    if (!/-k |--|kernloop /.test(text)) return text;
    // Quoted code is at the odd places.
    const parts = text.split('`');
    if (parts.length % 2 === 0) return text;
    return parts
      .map((part, index) => (index % 2 === 1 ? quoted(part, parts[index - 1] ?? '', offered) : plain(part, offered)))
      .join('');
  };
}

/** The event in the words of a client; output of programs stays as it is. */
export function eventIn(words: InToolWords, event: ReportEvent): ReportEvent {
  return 'text' in event && event.event !== 'output' ? { ...event, text: words(event.text) } : event;
}

/** A value whose texts under this name are in the words of a client; all else is data. */
export function textsIn(value: unknown, name: string, words: InToolWords): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => textsIn(one, name, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      key === name && typeof inner === 'string' ? words(inner) : textsIn(inner, name, words),
    ]),
  );
}

function quoted(code: string, before: string, offered: readonly StageName[]): string {
  const same = `\`${code}\``;
  const [, verb, rest = ''] = commandPattern('^', '$').exec(code) ?? [];
  if (verb !== undefined) {
    const call = callOf(verb, tokensOf(rest), true, offered);
    return call.left === 0 ? call.text : same;
  }
  if (!code.startsWith('-')) return same;
  const { options, used } = optionsOf(everyOption(), undefined, undefined, tokensOf(code), true);
  return options.length > 0 && used === tokensOf(code).length ? named(options, before) : same;
}

/** Text between quoted code. A command after a colon has all words that follow, any other one its flags and paths. */
function plain(text: string, offered: readonly StageName[]): string {
  const found = commandPattern('(?<![\\w-])', '').exec(text);
  if (found === null) return bareFlags(text);
  const [whole, verb = '', rest = ''] = found;
  const before = text.slice(0, found.index);
  const end = found.index + whole.length;
  const tokens = tokensOf(rest);
  const call = callOf(verb, tokens, before.endsWith(': '), offered);
  const left = tokens[tokens.length - call.left];
  const after = left === undefined ? text.slice(end) : ` ${text.slice(end - rest.length + left.index)}`;
  return `${bareFlags(before)}${call.text}${plain(after, offered)}`;
}

const flagPattern = /(?<![\w/-])(?:--[a-z][a-z0-9-]*(?:=[^\s,;)]+)?|-[kv](?= ))/g;

/** Words of a sentence before a flag of ours. After any other word, a flag is part of another command line. */
const beforeFlag =
  /(?:^|[(;,:]\s*|\b(?:a|add|and|as|by|for|give|hardware|in|leave|name|needs|of|options?|or|pass|raise|see|than|that|the|to|unless|use|what|which|with|without) )$/im;

function bareFlags(text: string): string {
  return text.replaceAll(flagPattern, (flag, at: number) => {
    if (!beforeFlag.test(text.slice(0, at))) return flag;
    if (flag === '--help') return 'the input schema';
    const { options } = optionsOf(everyOption(), undefined, undefined, tokensOf(flag), false);
    // A flag that is only named needs no value, unless it is a "no".
    const told = options.map(({ name, value }) => ({ name, value: /^--no-|=/.test(flag) ? value : undefined }));
    return told.length === 0 ? flag : named(told, text.slice(0, at));
  });
}

interface Given {
  readonly name: string;
  /** Undefined if only the option is named. */
  readonly value: string | undefined;
}

interface Token {
  readonly text: string;
  readonly index: number;
}

const tokensOf = (text: string): Token[] =>
  [...text.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map((found) => ({
    text: found[1] ?? found[2] ?? found[0],
    index: found.index,
  }));

function commandPattern(before: string, after: string): RegExp {
  const verbs = stageNames.map((name) => verbWords(name).join(' ')).sort((a, b) => b.length - a.length);
  const word = `'[^']*'|"[^"]*"|[^\\s;,()'"]+`;
  return new RegExp(`${before}(?:npx )?kernloop (${verbs.join('|')})(?![\\w-])((?: +(?:${word}))*)${after}`);
}

/** A command as a tool with options, and how many of its words are left: they are no part of it. */
function callOf(
  verb: string,
  tokens: readonly Token[],
  isWhole: boolean,
  offered: readonly StageName[],
): { text: string; left: number } {
  const name = stageNames.find((each) => verbWords(each).join(' ') === verb) ?? 'doctor';
  const tool = `tool \`${name}\`${offered.includes(name) ? '' : ' (not offered here: `kernloop mcp --tools all`)'}`;
  if (tokens[0]?.text === '--help') return { text: `the input schema of ${tool}`, left: tokens.length - 1 };
  const stage: Stage = stages[name];
  const { options, used } = optionsOf(optionInfos(stage.options), stage.positional, stage.trailing, tokens, isWhole);
  const given = options.length === 0 ? '' : ` with ${list(options)}`;
  return { text: `${tool}${given}`, left: tokens.length - used };
}

/** The options at the start of these words, and how many words they are. */
function optionsOf(
  infos: readonly OptionInfo[],
  positional: string | undefined,
  trailing: string | undefined,
  tokens: readonly Token[],
  isWhole: boolean,
): { options: Given[]; used: number } {
  const options: Given[] = [];
  let used = 0;
  while (used < tokens.length) {
    const word = tokens[used]?.text ?? '';
    if (word === '--' && isWhole && used + 1 < tokens.length) {
      options.push({
        name: trailing ?? 'command',
        value: JSON.stringify(tokens.slice(used + 1).map((token) => token.text)),
      });
      return { options, used: tokens.length };
    }
    const [, flag = word, own] = /^(--[\w-]+)=(.*)$/.exec(word) ?? [];
    const info = infos.find((each) => [each.flag, `--no-${each.flag.slice(2)}`, shortFlags[each.name]].includes(flag));
    if (info !== undefined) {
      const takesNext = info.type !== 'boolean' && own === undefined;
      const value = info.type === 'boolean' ? String(!flag.startsWith('--no-')) : (own ?? tokens[used + 1]?.text);
      options.push({ name: info.name, value: value === undefined ? undefined : shown(info, value) });
      used += takesNext && used + 1 < tokens.length ? 2 : 1;
    } else if (!word.startsWith('-') && positional !== undefined && (isWhole || word.includes('/'))) {
      const place = infos.find(({ name }) => name === positional);
      options.push({ name: positional, value: place === undefined ? word : shown(place, word) });
      used += 1;
    } else break;
  }
  return { options, used };
}

const shown = ({ type }: OptionInfo, value: string): string => (type === 'array' ? JSON.stringify([value]) : value);

const list = (options: readonly Given[]): string =>
  options.map(({ name, value }) => `\`${name}${value === undefined ? '' : `: ${value}`}\``).join(', ');

/** Options after text that may have called them so already. */
const named = (options: readonly Given[], before: string): string =>
  `${/\boptions? $/i.test(before) ? '' : 'option '}${list(options)}`;

let known: readonly OptionInfo[] | undefined;

/** Options of all stages. An option has the same name wherever its flag is the same. */
function everyOption(): readonly OptionInfo[] {
  known ??= stageNames.flatMap((name) => {
    const stage: Stage = stages[name];
    return optionInfos(stage.options);
  });
  return known;
}
