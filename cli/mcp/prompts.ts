import { ErrorCode, McpError, type GetPromptResult, type Prompt } from '@modelcontextprotocol/sdk/types.js';

interface Ask {
  readonly prompt: Prompt;
  readonly text: (given: Readonly<Record<string, string>>) => string;
}

const asks: readonly Ask[] = [
  {
    prompt: {
      name: 'make-kernel-faster',
      title: 'Make this kernel faster',
      description: 'Take a kernel through the loop: capture it, edit it, judge every edit, and measure what passes.',
      arguments: [
        { name: 'kernel', description: 'Name or folder of the kernel. Left out: the costliest.' },
        { name: 'app', description: 'Folder of the app, if there are several.' },
      ],
    },
    text: ({ kernel, app }) =>
      `Make ${kernel === undefined ? 'the costliest kernel' : `the kernel ${kernel}`}${app === undefined ? '' : ` of the app ${app}`} faster, without changing what it computes.

1. \`kernels\`: what is there. ${kernel === undefined ? 'Choose the kernel by `profile`.' : ''} Call \`declare\` if it is not declared, and \`extract\` if it has no reproducer.
2. \`validate\` with \`variant: "none"\`: stop if the captured code does not pass, and say so.
3. Read the source (\`kernel_variant.*\`) and find out where the work goes: \`replay\` with \`hotSpots\` on the software GPU, \`trace-run\` if that does not explain it.
4. Make one change at a time, in \`kernel_variant.*\` alone. \`validate\` after each. Take back what does not pass; never loosen a tolerance for it. Constants are for \`tune\`.
5. \`replay\` with \`compare\` for what passes. Keep it only if \`speed\` says that it is faster, on a GPU. The software GPU counts instructions: call that fewer instructions, not faster.
6. At the end: the diff, the last verdict with its tolerance and ignored bytes, and the measured ratio with its interval.`,
  },
  {
    prompt: {
      name: 'explain-failure',
      title: 'Explain this failure',
      description: 'Find out why an edit does not pass, or why a call ended with an error, and say what to do.',
      arguments: [
        { name: 'reproducer', description: 'Folder of the kernel: kernels/<app>/<kernel>.', required: true },
        { name: 'error', description: 'Code or message of an error, if it was one.' },
      ],
    },
    text: ({ reproducer, error }) =>
      `Explain why the kernel in ${reproducer} fails${error === undefined ? '' : `: ${error}`}. Change nothing before the cause is known.

1. \`kernels\`: the last verdict, and whether it is about the code that is there now. If it is not, \`validate\` with \`reproducer: "${reproducer}"\`.
2. \`validate\` with \`variant: "none"\`. If the captured code does not pass either, the capture is the cause, not the edit.
3. For an error, do what its \`hint\` says. For a \`fault\`, \`fault\` names the instruction, the lane and the address; \`guard\` finds accesses out of bounds. For a \`fail\`, look at \`regions\` and \`differences\`: one element or many, near or far, in which argument; \`races\` names two accesses that no barrier orders.
4. Compare \`kernel_variant.*\` with the same file in \`pristine/\`: which changed line writes those elements?
5. Say the cause in one sentence with file and line, how you know it, and the smallest change that mends it. A difference within rounding is a question of tolerance: say what the computation needs, and let a person decide.`,
  },
];

export const prompts: readonly Prompt[] = asks.map(({ prompt }) => prompt);

/** The text of a prompt for these arguments. */
export function promptOf(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  const ask = asks.find(({ prompt }) => prompt.name === name);
  if (ask === undefined) throw refused(`there is no prompt ${name}: ${prompts.map((each) => each.name).join(', ')}`);
  const known = ask.prompt.arguments ?? [];
  const unknown = Object.keys(given).find((key) => !known.some((each) => each.name === key));
  if (unknown !== undefined) throw refused(`${name} has no argument ${unknown}`);
  const missing = known.find((each) => each.required === true && !given[each.name]);
  if (missing !== undefined) throw refused(`${name} needs the argument ${missing.name}`);
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return { messages: [{ role: 'user', content: { type: 'text', text: ask.text(filled) } }] };
}

const refused = (what: string): McpError => new McpError(ErrorCode.InvalidParams, what);
