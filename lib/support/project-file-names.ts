/** Of an app, and of a reproducer. */
export const kernloopFile = 'kernloop.json';
export const kernelFile = 'kernel.json';
