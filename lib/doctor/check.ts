/** One thing that a machine has or lacks. */
export interface Check {
  name: string;
  /** "missing": a stage that this machine is otherwise able to run cannot. */
  state: 'ok' | 'missing' | 'optional';
  detail: string;
  hint: string;
}
