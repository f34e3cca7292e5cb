import { readNxJson } from 'nx/src/config/nx-json';
import { createTaskHasher } from 'nx/src/hasher/create-task-hasher';
import { buildProjectGraphAndSourceMapsWithoutDaemon } from 'nx/src/project-graph/project-graph';
import { runPreTasksExecution } from 'nx/src/project-graph/plugins/tasks-execution-hooks';
import { createTaskGraph } from 'nx/src/tasks-runner/create-task-graph';
import { setWorkspaceRoot } from 'nx/src/utils/workspace-root';
import type { Environment } from '../../../lib/support/environment';

/** Everything runs in this process, without state of an earlier command. */
const nxSettings = { NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NX_CACHE_PROJECT_GRAPH: 'false' };

/** Hashes by task, such as `app:capture-saxpy`. */
export type TaskHashes = Readonly<Record<string, string>>;

/**
 * An Nx command up to the hashes of its tasks: the graph, the plugin's work before the tasks, and Nx's own hasher.
 * Variables that the plugin sets stay set in this process. Returns a function that computes the hashes of all cached
 * tasks of the workspace.
 */
export async function nxCommand(
  workspaceRoot: string,
  argv: readonly string[],
): Promise<(env?: Environment) => Promise<TaskHashes>> {
  Object.assign(process.env, nxSettings);
  setWorkspaceRoot(workspaceRoot);
  const { projectGraph } = await buildProjectGraphAndSourceMapsWithoutDaemon();
  const nxJsonConfiguration = readNxJson(workspaceRoot);
  await runPreTasksExecution({ id: 'hashes', workspaceRoot, nxJsonConfiguration, argv: [...argv] });
  const targets = Object.values(projectGraph.nodes).flatMap(({ data }) => Object.keys(data.targets ?? {}));
  const graph = createTaskGraph(
    projectGraph,
    {},
    Object.keys(projectGraph.nodes),
    [...new Set(targets)],
    undefined,
    {},
  );
  const tasks = Object.values(graph.tasks).filter(({ cache }) => cache);
  const hasher = createTaskHasher(projectGraph, nxJsonConfiguration, {});
  return async (env = process.env) => {
    const hashes = await hasher.hashTasks(tasks, graph, Object.fromEntries(tasks.map(({ id }) => [id, { ...env }])));
    return Object.fromEntries(tasks.map(({ id }, index) => [id, hashes[index]?.value ?? '']));
  };
}
