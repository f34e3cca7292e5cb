import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { stages, type StageName } from '../../lib/stages/registry';
import type { Stage } from '../../lib/stage/stage';
import { asKernloopError, errorText } from '../../lib/support/error';
import { exitCodes } from '../../lib/support/error-codes';
import type { ReportEvent } from '../../lib/support/report-events';
import { wordsOf, type Bounds } from './arguments';
import { excerptOf, lastLines, sizeOf } from './bounded';
import type { Results } from './results';
import type { RunVerb } from './run-verb';
import { isJudging, outcomeOf } from './tools';
import { eventIn, textsIn, type InToolWords } from './words';

/** Number of output lines of programs in an error, which explain a failed stage. */
const outputLines = 40;

export interface CallPlace {
  readonly bounds: Bounds;
  readonly results: Results;
  readonly maxBytes: number;
  readonly run: RunVerb;
  readonly words: InToolWords;
}

/** Runs a stage for a client. A failed verdict is a result; work that could not be done is an error of the tool. */
export async function callStage(
  name: StageName,
  given: Readonly<Record<string, unknown>>,
  place: CallPlace,
  onEvent: (event: ReportEvent) => void,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const stage: Stage = stages[name];
  const said = new Said();
  try {
    const words = wordsOf(stage, given, place.bounds);
    const { exitCode, result } = await place.run(
      name,
      words,
      (event) => {
        const told = eventIn(place.words, event);
        said.take(told);
        onEvent(told);
      },
      signal,
    );
    return resultOf(stage, exitCode, textsIn(result, 'hint', place.words), said, place);
  } catch (thrown) {
    const known = asKernloopError(thrown);
    const { code } = known;
    const [message, hint] = [place.words(known.what), place.words(known.hint)];
    // The verb has printed the error as well, in words of the command line.
    const printed = linesOf(known).map((line) => line.trim());
    const context = said.context().filter((line) => !printed.includes(line.trim()));
    const lines = [...linesOf({ code, what: message, hint }), ...context];
    return {
      isError: true,
      content: [{ type: 'text', text: firstLines(lines, place.maxBytes) }],
      structuredContent: {
        exit_code: known.exitCode,
        outcome: outcomeOf(known.exitCode, stage),
        error: { code, message, hint },
      },
    };
  }
}

const linesOf = (error: Parameters<typeof errorText>[0]): string[] => errorText(error, '').trimEnd().split('\n');

/** Half of the size limit is for the result, half for the messages. */
function resultOf(
  stage: Stage,
  exitCode: number,
  result: unknown,
  said: Said,
  { results, maxBytes }: CallPlace,
): CallToolResult {
  const { name } = stage;
  const head = { exit_code: exitCode, outcome: outcomeOf(exitCode, stage) };
  // Without a verdict, success says nothing that the lines do not say.
  const isPlain = exitCode === exitCodes.pass && !isJudging(stage) && said.lines().length > 0;
  const ending = isPlain ? [] : [`exit code ${exitCode} (${head.outcome})`];
  const text = lastLines([...said.lines(), ...ending], maxBytes / 2);
  if (sizeOf(result) <= maxBytes / 2) {
    return { content: [{ type: 'text', text }], structuredContent: { ...head, result } };
  }
  const { uri, content } = results.keep(name, result);
  const rest = { uri, bytes: content.length };
  const excerpt = excerptOf(result, maxBytes / 2);
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: `The result has ${rest.bytes} bytes: this is an excerpt. The whole is ${uri}` },
      { type: 'resource_link', uri, name: `${name}: whole result`, mimeType: 'application/json', size: rest.bytes },
    ],
    structuredContent: { ...head, excerpt, rest },
  };
}

/** Messages of the stage for people, and the end of its programs' output. */
class Said {
  private readonly told: string[] = [];
  private output = '';

  take(event: ReportEvent): void {
    if (event.event === 'output') this.output = (this.output + event.text).slice(-16 * 1024);
    else if (event.event === 'warning') this.told.push(`warning: ${event.text}`);
    else if (event.event !== 'progress') this.told.push(event.text);
  }

  lines(): readonly string[] {
    return this.told;
  }

  context(): string[] {
    return [...this.told.slice(-outputLines), ...this.output.trimEnd().split('\n').slice(-outputLines)].filter(Boolean);
  }
}

function firstLines(lines: readonly string[], maxBytes: number): string {
  return Buffer.from(lines.join('\n')).subarray(0, maxBytes).toString('utf8');
}
