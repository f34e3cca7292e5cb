import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { kernloopJsonSchema } from '../app/kernloop-json';
import { captureFile, captureJsonSchema } from '../archive/capture-files';
import { absent, chart, paragraphs, tableOf, type Cell } from '../page/parts';
import { breakable, commandCode, markup, shortened, type Html, type Piece } from '../page/html';
import type { Page } from '../page/page';
import { profileSchema, type Profile } from '../profile/profile-json';
import { keptPaths } from '../reproducer/kept-results';
import { kernelJsonSchema, type KernelJson } from '../reproducer/kernel-json';
import { reproducersIn } from '../reproducer/reproducers-in';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { kernelFile, kernloopFile } from '../support/project-file-names';
import { counted } from '../support/format';
import { readJson } from '../support/schema';
import { ourProgram } from '../support/typed-command';
import { timeWords } from '../device/emulated-driver';
import { tunePaths } from '../tune/paths';
import { tuneResultSchema } from '../tune/result';
import { reportSchema } from '../validate/report-json';
import { changedSince } from './changed-since';
import { commandOn } from './commands';
import { readKept } from './kept';
import { readLeft } from './left';
import { placeNames } from './place-names';
import { leadClass, notJudged, verdictWord, verdictOf } from './verdicts';

interface Found {
  readonly root: string;
  readonly config: KernelJson;
}

/** All reproducers of a workspace in one table, and the time of its apps by kernel. */
export async function workspacePage(root: string): Promise<Page> {
  const { found, unreadable } = openAll(root);
  const verdicts = found.map(({ root: at }) => {
    const report = readLeft(join(at, 'report.json'), reportSchema, '', '').value;
    return report ? verdictOf(report) : notJudged;
  });
  const changes = found.map(({ root: at }) => changedSince(at));
  const words = verdicts.map((verdict, index) => (changes[index] ? `${verdict} before a change` : verdict));
  const counts = [...new Set(words)].map((one) => `${words.filter((each) => each === one).length} ${one}`);
  return {
    title: 'Kernels of this workspace',
    lead: markup`<p class="${leadClass(verdicts.map((verdict, index) => (changes[index] ? notJudged : verdict)))}">${counted(found.length, 'reproducer')}: ${counts.join(', ') || 'none yet'}.</p>
      <p class="muted">Commands on this page are typed in the root of the workspace.</p>`,
    sections: [
      {
        id: 'kernels',
        title: 'Kernels',
        body: markup`${paragraphs(unreadable)}${kernels(root, found, verdicts, changes)}`,
      },
      { id: 'apps', title: 'Apps', body: await apps(root, found) },
    ],
  };
}

/** Reproducers of the workspace, and what is wrong with the others. */
function openAll(root: string): { found: Found[]; unreadable: string[] } {
  const unreadable: string[] = [];
  const found = reproducersIn(root).flatMap((at): Found[] => {
    try {
      return [{ root: at, config: readJson(join(at, kernelFile), kernelJsonSchema, 'CONFIG_MISSING', '') }];
    } catch (error) {
      if (!(error instanceof KernloopError)) throw error;
      unreadable.push(`Left out: ${error.what}`);
      return [];
    }
  });
  return { found, unreadable };
}

function kernels(
  root: string,
  found: readonly Found[],
  verdicts: readonly string[],
  changes: readonly (string | null)[],
): Html {
  if (found.length === 0)
    return absent(
      'There is no reproducer in kernels/; this makes one:',
      commandText([...ourProgram(), 'extract', '--app', 'APP']),
    );
  return tableOf(
    'Reproducers',
    ['kernel', 'app', 'language and device', 'verdict', 'bytes captured', 'speed', 'tuned', 'what the verdict says'],
    found.map((one, index) => rowOf(root, one, verdicts[index] ?? '', changes[index] ?? null)),
  );
}

function rowOf(root: string, { root: at, config }: Found, verdict: string, changed: string | null): Cell[] {
  const page = join(at, 'build', 'report.html');
  const report = readLeft(join(at, 'report.json'), reportSchema, '', '').value;
  const capture = readLeft(captureFile(join(at, 'capture')), captureJsonSchema, '', '').value;
  const compared = readKept(keptPaths(at).compare, '', '').value;
  // A measurement of other code than the verdict's does not belong in this row.
  const isCurrent = compared?.codeObject === report?.code_object_sha256;
  const speed = (isCurrent ? compared?.result.speed : null) ?? null;
  const tuned = readLeft(tunePaths(at).result, tuneResultSchema, '', '').value;
  const best = tuned?.candidates.find(({ key }) => key === tuned.best);
  // Link relative to the folder of the page; each part is a folder name.
  const link = ['..', ...relative(root, page).split('/')].map((part) => encodeURIComponent(part)).join('/');
  const name = breakable(config.demangled);
  return [
    {
      shown: roomy(existsSync(page) ? markup`<a href="${link}">${name}</a>` : name),
      sort: config.demangled,
    },
    config.app.name,
    `${config.language} on ${config.device.kind}`,
    report
      ? {
          shown: markup`${verdictWord(verdict)}${changed === null ? '' : markup`<br>since then: ${changed}`}`,
          sort: verdict,
        }
      : verdict,
    capture ? capture.regions.reduce((sum, { size }) => sum + size, 0) : { shown: 'no capture', sort: -1 },
    speed ? `${speed.verdict} (${speed.ratio.toPrecision(3)} ×)` : '',
    best?.ratio === undefined || best.ratio === null ? '' : { shown: `${best.ratio.toFixed(3)} ×`, sort: best.ratio },
    report
      ? roomy(shortened(placeNames(config, capture).inText(report.summary).replaceAll('`', ''), 200))
      : commandCode(commandOn({ root: at, workspaceRoot: root })('validate')),
  ];
}

/** Text that keeps room beside many short columns. */
const roomy = (text: Piece): Html => markup`<span class="roomy">${text}</span>`;

const mostKernels = 40;

async function apps(root: string, found: readonly Found[]): Promise<Html> {
  const roots = [...new Set(found.map(({ config }) => config.app.root))].filter((one) =>
    existsSync(join(root, one, kernloopFile)),
  );
  if (roots.length === 0) return absent('No app of these reproducers is in this workspace.');
  const bodies: Html[] = [];
  for (const one of roots) {
    const app = readLeft(join(root, one, kernloopFile), kernloopJsonSchema, '', '').value?.name ?? one;
    const left = readLeft(
      join(root, one, '.kernloop', 'profile.json'),
      profileSchema,
      `Where the work of ${app} goes`,
      commandText([...ourProgram(), 'profile', one]),
    );
    bodies.push(
      markup`<h3>${app}</h3>
        ${left.value ? await shares(left.value) : left.why}`,
    );
  }
  return markup`${bodies}`;
}

async function shares(profile: Profile): Promise<Html> {
  const unit =
    profile.work === 'duration_ns' ? `${timeWords(profile.device)}, ns` : 'wave-instructions, which are not times';
  const top = profile.kernels.slice(0, mostKernels);
  const picture = await chart(
    {
      width: 560,
      height: { step: 18 },
      // Numbered, because two names that are cut short to the same label would share one bar.
      data: { values: top.map(({ name, share }, index) => ({ name: `${index + 1}: ${name.slice(0, 80)}`, share })) },
      mark: 'bar',
      encoding: {
        x: { field: 'share', type: 'quantitative', title: 'share of the work', axis: { format: '%' } },
        y: { field: 'name', type: 'nominal', title: null, sort: null },
      },
    },
    `Shares of the ${top.length} kernels with the most work, in ${unit}, on ${profile.device.identity}.`,
  );
  return markup`${picture}${tableOf(
    `Kernels of ${profile.app}, in ${unit}`,
    ['kernel', 'dispatches', 'share', 'total', 'median', 'least', 'most'],
    profile.kernels.map((one): Cell[] => [
      one.name,
      one.dispatches,
      { shown: `${(100 * one.share).toFixed(1)} %`, sort: one.share },
      one.total,
      one.median,
      one.min,
      one.max,
    ]),
  )}`;
}
