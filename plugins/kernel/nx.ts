import type { CreateNodesContext, CreateNodesResult, CreateNodesResultArray, Tree } from '@nx/devkit';

/**
 * What the plugin takes of Nx while it runs. @nx/devkit would load 220 more modules (0.25 s in every command) for two functions that the
 * process a plugin runs in has loaded already: so they come from there, and from the devkit where another Nx keeps them elsewhere.
 */
export async function filesIn(workspaceRoot: string, patterns: readonly string[]): Promise<string[]> {
  try {
    const { globWithWorkspaceContext } = await import('nx/src/utils/workspace-context.js');
    return await globWithWorkspaceContext(workspaceRoot, [...patterns]);
  } catch (error) {
    if (!isNotThere(error)) throw error;
    const { globAsync } = await import('nx/src/devkit-exports');
    const unchanged: Pick<Tree, 'root' | 'listChanges'> = { root: workspaceRoot, listChanges: () => [] };
    return globAsync(unchanged as Tree, [...patterns]);
  }
}

/** As `createNodesFromFiles` of @nx/devkit, which is asked only to say what is wrong with some of the files. */
export async function nodesFromFiles<T>(
  projectsOf: (file: string) => CreateNodesResult,
  files: readonly string[],
  options: T | undefined,
  context: CreateNodesContext,
): Promise<CreateNodesResultArray> {
  try {
    return files.map((file): [string, CreateNodesResult] => [file, projectsOf(file)]);
  } catch {
    const { createNodesFromFiles } = await import('nx/src/devkit-exports');
    return createNodesFromFiles(projectsOf, files, options, context);
  }
}

function isNotThere(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
}
