import { otherRuntime, passEnvironmentOn, sameFile, type LaunchObstacle } from '../app/launch';
import type { UnseenProcess } from './app-watch';
import { describeProcess } from './processes';

export interface Unseen {
  app: string;
  /** Of the app while it ran, until an agent came forward. */
  processes: readonly UnseenProcess[];
  /** What its command and program show. */
  obstacles: readonly LaunchObstacle[];
  /** The runtime that was meant; null where the system's is. */
  runtime: string | null;
}

/** Why no agent came forward, where that can be told: what was seen comes before what is only likely. */
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
