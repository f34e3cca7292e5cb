import { z } from 'zod';
import { appOptionsSchema } from '../app/options';

const { skipPackageJson, ...appShape } = appOptionsSchema.shape;

/** Until 0.1, `init` adopted an app, too: its options are passed on to `app`. */
const movedToApp = {
  'x-deprecated': 'adopting an app is `nx g kernloop:app` now',
  'x-priority': 'internal',
  hidden: true,
};

export const initOptionsSchema = z.object({
  skipPackageJson,
  editor: z
    .enum(['vscode'])
    .optional()
    .describe('Add tasks, problem matchers and JSON Schemas for this editor, to .vscode/ of the workspace.'),
  directory: appShape.directory.optional().meta({ ...movedToApp, 'x-prompt': undefined }),
  command: appShape.command.meta(movedToApp),
  kernel: appShape.kernel.meta(movedToApp),
  device: appShape.device.meta({ ...movedToApp, 'x-prompt': undefined }),
  name: appShape.name.meta(movedToApp),
  compileCommands: appShape.compileCommands.meta(movedToApp),
});

export type InitOptions = z.input<typeof initOptionsSchema>;
