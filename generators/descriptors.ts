import type { OptionsSchema } from '../lib/support/options';
import { appOptionsSchema } from './app/options';
import { initOptionsSchema } from './init/options';
import { probeOptionsSchema } from './probe/options';
import { reproducerOptionsSchema } from './reproducer/options';

/** Description of a generator: generators.json, its schema.json and its reference page are generated from it. */
export interface GeneratorDescriptor {
  name: string;
  summary: string;
  aliases?: readonly string[];
  schema: OptionsSchema;
  /** Option that takes the first word after the generator's name. */
  positional: string;
  examples: readonly { command: string; description: string }[];
}

export const generators: readonly GeneratorDescriptor[] = [
  {
    name: 'init',
    summary:
      'Set the workspace up: the plugin and the cache in nx.json, the lines of .gitignore for what stages write. `nx add kernloop` runs it.',
    schema: initOptionsSchema,
    positional: 'directory',
    examples: [
      { command: 'nx g kernloop:init', description: 'Once a workspace; what it says of itself stays' },
      { command: 'nx g kernloop:init --editor=vscode', description: 'Tasks and problem matchers for VS Code, too' },
    ],
  },
  {
    name: 'app',
    summary:
      'Adopt an app: look at its folder, write its kernloop.json, and set the workspace up where that is to be done.',
    aliases: ['application'],
    schema: appOptionsSchema,
    positional: 'directory',
    examples: [
      { command: 'nx g kernloop:app apps/simulation', description: 'By CMake, make or a program that lies there' },
      {
        command: 'nx g kernloop:app apps/simulation --kernel=integrate --command="build/sim --size 64"',
        description: 'A kernel to extract, and arguments of the program',
      },
      { command: 'nx g kernloop:app apps/train --command=train.py --device=cuda', description: 'A Python program' },
    ],
  },
  {
    name: 'reproducer',
    summary: 'Make a reproducer project from an existing capture.',
    schema: reproducerOptionsSchema,
    positional: 'capture',
    examples: [
      {
        command: 'nx g kernloop:reproducer downloads/capture --app=apps/simulation',
        description: 'From a colleague, or from CI',
      },
    ],
  },
  {
    name: 'probe',
    summary: 'Write a probe.toml to begin with, for `kernloop trace run`.',
    schema: probeOptionsSchema,
    positional: 'reproducer',
    examples: [
      {
        command: 'nx g kernloop:probe kernels/pipeline/saxpy --name=loads',
        description: 'Writes kernels/pipeline/saxpy/loads.toml',
      },
    ],
  },
];
