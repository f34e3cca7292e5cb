import { sha256 } from '../support/files';
import { givenEnvironment } from '../support/exec';
import { KnownAnswers } from '../support/known-answers';
import { version } from '../support/version';
import type { Environment } from '../support/environment';
import { hipccInputs, type HipccInputs } from './hipcc-inputs';
import { fillTemplate, shapeOf, templateOf } from './hipcc-words';

interface HipccQuestion {
  /** Absolute path. */
  hipcc: string;
  args: readonly string[];
  /** Variables added to this process's. */
  env: Environment;
}

/**
 * Cached answer of hipcc, which starts Perl and clang several times for each. All commands of a user share it, for any
 * paths in the arguments, until something that it depends on changes. Answers of other compilers are not cached.
 */
export class HipccAnswer {
  private readonly answers: KnownAnswers;
  private readonly asked: Asked | null;

  /** `env` decides whose cache is used. */
  constructor(
    private readonly question: HipccQuestion,
    env: Environment,
  ) {
    this.answers = KnownAnswers.of(env);
    this.asked = this.answers.isKept ? ask(question) : null;
  }

  /** Whether the answer can be cached. */
  get isKept(): boolean {
    return this.asked !== null;
  }

  known(): readonly string[] | undefined {
    const template = this.asked === null ? undefined : this.answers.of(this.asked.key);
    return template && fillTemplate(template, this.question.args);
  }

  /** Does not cache an answer if an input changed during the question or shortly before. */
  remember(answer: readonly string[]): void {
    const now = this.asked && ask(this.question);
    const template = templateOf(answer, this.question.args);
    if (template && now?.key === this.asked?.key && now?.inputs.isSettled) this.answers.add(now.key, template);
  }

  /** Whether hipcc may start the program: an answer must not name another. */
  mayStart(real: string): boolean {
    return this.asked?.inputs.clangs.has(real) ?? false;
  }
}

interface Asked {
  key: string;
  inputs: HipccInputs;
}

function ask({ hipcc, args, env }: HipccQuestion): Asked | null {
  const given = givenEnvironment(env);
  const inputs = args.some((word) => readByHipcc.test(word)) ? null : hipccInputs(hipcc, given);
  if (inputs === null) return null;
  const variables = Object.entries(given).filter(([name, value]) => value !== undefined && !ofNoCompiler.test(name));
  const said = ['kernloop.hipcc/2', version, hipcc, args.map(shapeOf), variables.sort(), inputs.lines];
  return { key: sha256(JSON.stringify(said)), inputs };
}

/** Response files and libraries, which hipcc unpacks, and options for other installations. */
const readByHipcc = /^(-Wl,)?@|\.(a|lo)$|^--(rocm|hip)-path|\n/;

/** Variables that change between tasks, terminals and jobs; all others are part of the key. */
const ofNoCompiler =
  /^(_|PWD|OLDPWD|SHLVL|TERM|COLUMNS|LINES|WINDOWID|TMUX\w*|XDG_SESSION_ID|(NX|LERNA|NODE|npm|SSH|SLURM|KERNLOOP|JEST|GITHUB|VSCODE)_\w+)$/;
