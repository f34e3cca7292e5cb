import { existsSync } from 'node:fs';
import type { App } from './app';

/** The first of `name-2`, `name-3`, … that kernloop.json does not declare and no folder of a project has. */
export function freeName(app: App, name: string): string {
  const isUsed = (other: string): boolean =>
    app.config.kernels.some((kernel) => kernel.name === other) || existsSync(app.reproducer(other));
  let number = 2;
  while (isUsed(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}
