import type { CreateNodesContext, CreateNodesResult, CreateNodesResultArray, Tree } from '@nx/devkit';

/**
 * Functions of Nx that the plugin uses while it runs. @nx/devkit would load 220 more modules (0.25 s in every command)
 * for two functions that Nx has loaded already in a plugin's process: they come from there, and from the devkit if
 * another version of Nx has moved them.
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

/** Like `createNodesFromFiles` of @nx/devkit, which is loaded only to report errors in some of the files. */
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
