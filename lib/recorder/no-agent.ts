import { otherRuntime, passEnvironmentOn, sameFile, type LaunchObstacle } from '../app/launch';
import type { UnseenProcess } from './app-watch';
import { describeProcess } from './processes';

export interface Unseen {
  app: string;
  /** Processes of the app seen while it ran, until an agent connected. */
  processes: readonly UnseenProcess[];
  /** Obstacles that its command and program show. */
  obstacles: readonly LaunchObstacle[];
  /** Runtime that the app should have loaded; null for the system's. */
  runtime: string | null;
}

/** Reason why no agent connected, if it can be found: observed causes come before likely ones. */
export function whyNoAgent({ app, processes, obstacles, runtime }: Unseen): LaunchObstacle | undefined {
  const dropped = processes.find(({ environment }) => environment === 'dropped');
  if (dropped) {
    return {
      code: 'APP_ENVIRONMENT_DROPPED',
      what: `${describeProcess(dropped)} of ${app} ran without the environment that the app was started with, so no agent was in it`,
      hint: passEnvironmentOn,
    };
  }
  const hidden = processes.find(({ environment }) => environment === 'hidden');
  if (hidden) {
    return {
      code: 'APP_ENVIRONMENT_DROPPED',
      what: `${describeProcess(hidden)} of ${app} ran as another user: whether the agent's variables reached it cannot be seen`,
      hint: passEnvironmentOn,
    };
  }
  const other = processes.find(
    (process) => process.runtime !== null && runtime !== null && !sameFile(process.runtime, runtime),
  );
  if (other) return otherRuntime(`${describeProcess(other)} of ${app} loaded ${other.runtime}`);
  return obstacles[0];
}
