import { logger, type GeneratorCallback, type Tree } from 'nx/src/devkit-exports';
import app from '../app/generator';
import { nxCommand, withHint } from '../terminal';
import { initOptionsSchema, type InitOptions } from './options';
import { setUpEditor } from './editor';
import { setUpWorkspace } from './workspace';

/** Sets the workspace up; `nx add kernloop` runs it without options. Running it again changes nothing. */
export default function init(tree: Tree, given: InitOptions): Promise<GeneratorCallback> {
  return withHint(() => {
    const { skipPackageJson, editor, ...forApp } = initOptionsSchema.parse(given);
    const isForApp = Object.values(forApp).some((value) => value !== undefined);
    if (isForApp) {
      // Until 0.1, init adopted an app; it still does.
      const directory = forApp.directory ?? '.';
      logger.warn(`init sets the workspace up; adopting an app is: ${nxCommand(tree, `g kernloop:app ${directory}`)}`);
      if (editor !== undefined) setUpEditor(tree);
      return app(tree, { ...forApp, directory, skipPackageJson });
    }
    const { done, finish } = setUpWorkspace(tree, { skipPackageJson });
    if (editor !== undefined) done.push(...setUpEditor(tree));
    return async (): Promise<void> => {
      await finish();
      logger.info(
        [
          '',
          done.length === 0 ? 'Kernloop: the workspace is set up already.' : `Kernloop: ${done.join('; ')}.`,
          `Next, for the folder of a program: ${nxCommand(tree, 'g kernloop:app <folder>')}`,
        ].join('\n'),
      );
    };
  });
}
