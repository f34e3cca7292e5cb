// The judge of one process of a test program: reads its output as it comes, and says of each case what came of it. No files, no processes.

/** Outcomes of a case. Only the first is good. */
export const outcomes = ['right', 'wrong', 'refused', 'late', 'skipped', 'ended'];

const own = /kernloop softgpu: (.*)/;

/** Messages that stop nothing and refuse nothing: notes, findings of the checker, and the line that follows each fault. */
const notes = [
  /^from now on every HIP call/,
  /hardware goes on, and so does this/,
  /^check: /,
  /^the queue has no error callback/,
];

/**
 * What a message of the software GPU means for the case that runs: `stops` if a kernel or a packet was not executed to its end, or not at all, so that the
 * results after it mean nothing, whatever the suite says of them. All other messages are of calls that returned an error.
 */
export function meaningOf(message) {
  if (notes.some((pattern) => pattern.test(message))) return undefined;
  if (
    /^un(?:known|supported) instruction in kernel|^code object: |^packet \d+: |^barrier(?:-value)? packet: /.test(
      message,
    )
  )
    return { outcome: 'refused', stops: true, why: refusal(message) };
  if (/^instruction limit reached|^cancelled/.test(message))
    return { outcome: 'late', stops: true, why: shortened(message) };
  if (/^[^:]*? in kernel /.test(message)) return { outcome: 'wrong', stops: true, why: shortened(message) };
  if (/^internal error/.test(message)) return { outcome: 'wrong', stops: true, why: shortened(message) };
  return { outcome: 'refused', stops: false, why: shortened(message) };
}

const shortened = (text, most = 300) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** The instruction or the packet, and the reason; without the place, which differs from case to case. */
function refusal(message) {
  const instruction = /, instruction `([^`]*)`/.exec(message)?.[1];
  const detail = /, workgroup \([^)]*\), wave \d+(?:, lane \d+)?(?:: (.*))?$/.exec(message)?.[1];
  if (instruction === undefined) return shortened(message.replace(/^packet \d+: /, 'packet: '));
  return shortened(`${message.split(' in kernel')[0]} \`${instruction}\`${detail ? `: ${detail}` : ''}`);
}

/** Outcome of a case, from the suite's own words on it, if any, and the software GPU's output while it ran. */
function decided(says, why, messages) {
  const meanings = messages.map(meaningOf).filter(Boolean);
  const stopping = meanings.find(({ stops }) => stops);
  if (stopping) return { outcome: stopping.outcome, why: stopping.why };
  if (says === 'right') return { outcome: 'right' };
  if (says === 'skipped') return { outcome: 'skipped', why };
  const other = meanings[0];
  if (other) return { outcome: other.outcome, why: `${other.why}; the suite: ${why}` };
  return { outcome: says, why };
}

/**
 * Reads the output of one process. `words` are the kind's (programs.mjs): `begins(line)` gives the name of a case, `ends(line)` what the suite
 * says of one, `explains(line)` whether what follows tells why a case is wrong.
 */
export class Transcript {
  #rest = '';
  #messages = [];
  #why = [];
  #explaining = 0;
  #last = '';
  #begun = 0;
  #judged = true;
  #previous = '';
  /** The case that runs, if one does. */
  current;
  /** Whether a kernel or a packet was stopped: nothing runs any more in this process. */
  stopped = false;

  constructor(words) {
    this.words = words;
  }

  get begun() {
    return this.#begun;
  }

  /** The cases that have ended with this text: { case, outcome, why }. */
  feed(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    const records = lines.map((line) => this.#line(line)).filter(Boolean);
    if (this.#rest !== '') this.#begin(this.#rest);
    return records;
  }

  #begin(line) {
    const name = this.words.begins(line);
    if (name === undefined || name === this.current) return false;
    this.current = name;
    this.#begun += 1;
    this.#judged = !this.stopped;
    // Messages before the first case are of the start of the process: the first case has them.
    if (this.#begun > 1) this.#messages = [];
    this.#why = [];
    return true;
  }

  #line(line) {
    const message = own.exec(line)?.[1];
    if (message !== undefined) {
      // Text of the suite may share the line.
      line = line.slice(0, line.indexOf('kernloop softgpu: '));
      this.#begin(line);
      this.#messages.push(message);
      const meaning = meaningOf(message);
      const isBetween = meaning?.stops && !this.stopped && this.current === undefined && this.#begun > 0;
      if (meaning?.stops) this.stopped = true;
      if (isBetween) return { case: `(after ${this.#previous})`, outcome: meaning.outcome, why: meaning.why };
    }
    if (line.trim() === '') return undefined;
    this.#begin(line);
    const end = this.words.ends(line, this.current);
    if (end && this.current !== undefined) return this.#end(end.says, end.why);
    if (this.words.explains(line)) this.#explaining = 4;
    if (this.#explaining > 0 && this.#why.length < 4) {
      this.#explaining -= 1;
      this.#why.push(line.trim());
    }
    this.#last = line.trim();
    return undefined;
  }

  #end(says, why) {
    const told =
      why ?? (shortened(this.#why.join(' | ')) || `the suite gave no reason; its last line: ${shortened(this.#last)}`);
    // Nothing runs for a case that begins after the stop: another process has to run it.
    const record = this.#judged ? { case: this.current, ...decided(says, told, this.#messages) } : undefined;
    this.#previous = this.current;
    this.current = undefined;
    this.#messages = [];
    this.#why = [];
    this.#explaining = 0;
    return record;
  }

  /**
   * The end of the process: the record of the case that ran, or of the process itself if it is worth one. `late` is the limit for which this
   * script killed it; if it is `killed` without one, the time of the run or of its turn was over.
   */
  close({ code, signal, late, killed = false }) {
    const records = this.#rest === '' ? [] : this.feed('\n');
    const how = signal ? `ended by ${signal}` : `exit code ${code}`;
    // Another process runs the case that was cut short.
    if (killed && !late) return records;
    if (this.current !== undefined) {
      const why = late ?? `${how} in the middle of the case; last line: ${shortened(this.#last)}`;
      const record = this.#end(late ? 'late' : 'ended', why);
      if (record) records.push(record);
    } else if (this.#begun === 0) {
      const why = late ?? `no case began: ${how}; last line: ${shortened(this.#last)}`;
      records.push({ case: startOfProcess, ...decided(late ? 'late' : 'ended', why, this.#messages) });
    } else if (late) {
      records.push({ case: endOfProcess, outcome: 'late', why: `${late}, after the last case that began` });
    } else if (!this.stopped && (signal || (code !== 0 && code !== 1))) {
      records.push({
        case: endOfProcess,
        ...decided('ended', `${how} after the last case; last line: ${shortened(this.#last)}`, this.#messages),
      });
    }
    return records;
  }
}

export const startOfProcess = '(start of the process)';
export const endOfProcess = '(end of the process)';
