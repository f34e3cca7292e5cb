/**
 * Digest of inputs that no file holds, for the tasks of the Nx command that started last in a workspace
 * (plugins/kernel/task-values.ts).
 */
export const commandFile = '.kernloop/inputs/command';

/** The same digest, for the tasks of that command. */
export const commandVariable = 'KERNLOOP_COMMAND_INPUTS';

/** Time at which its values were written, in nanoseconds: see `markBegin`. */
export const beganVariable = 'KERNLOOP_COMMAND_BEGAN';
