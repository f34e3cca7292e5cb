import type { TuneOptions } from './options';

/** Default number of derived inputs for the best configuration. */
const inputsOfBest = 4;
/** Wave-instructions up to which the best is judged by derived inputs: each input costs two more replays. */
const mostInstructions = 2_000_000;

/**
 * Number of derived inputs that the best configuration must pass before it is called better; null if its replay is too
 * long. 0 if the user's options already decide it, or on hardware (costly) and with HIP launches (which do not show
 * what is read).
 */
export function inputsForBest(
  judging: object,
  { launch }: Pick<TuneOptions, 'launch'>,
  waveInstructions: number | null,
): number | null {
  if (('inputs' in judging && judging.inputs !== undefined) || launch === 'hip' || waveInstructions === null) return 0;
  return waveInstructions > mostInstructions ? null : inputsOfBest;
}
