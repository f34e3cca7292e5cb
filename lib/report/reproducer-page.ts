import { join } from 'node:path';
import { captureFile, captureJsonSchema } from '../archive/capture-files';
import { Html, markup } from '../page/html';
import { absent } from '../page/parts';
import type { Page } from '../page/page';
import type { Reproducer } from '../reproducer/reproducer';
import { commandText } from '../support/command-text';
import { ourProgram } from '../support/typed-command';
import { reportSchema } from '../validate/report-json';
import { autotunedBody } from './autotuned';
import { capturedBody, observedSchema, occupancyBody } from './captured';
import { changedSince } from './changed-since';
import { commandOn, type CommandOn } from './commands';
import { differencesBody } from './differences';
import { explainedBody } from './explained';
import { readLeft, type Body } from './left';
import { placeNames } from './place-names';
import { profiledBody } from './profiled';
import { hotSpotsBody } from './source';
import { timingBody } from './timing';
import { tracesBody } from './traced';
import { tunedBody } from './tuned';
import { folded, type Part } from './unmeasured';
import { racesBody, verdictLead, verdictsBody } from './verdicts';

/** Page of one reproducer with all results, the answer first. */
export async function reproducerPage(reproducer: Reproducer): Promise<Page> {
  const { root, config } = reproducer;
  const command = commandOn(reproducer);
  const again = commandText([...ourProgram(), 'extract', config.name, '--app', config.app.root, '--recapture']);
  const capture = readLeft(captureFile(reproducer.capture), captureJsonSchema, 'What was captured', again);
  const observed = readLeft(join(reproducer.capture, 'observed.json'), observedSchema, 'When it was captured', again);
  const report = readLeft(reproducer.report, reportSchema, 'Whether the variant is right', command('validate'));
  const current = report.value?.code_object_sha256 ?? null;
  const names = placeNames(config, capture.value);
  const races = report.value?.races ?? [];
  const parts: Part[] = [
    ...(races.length > 0 ? [{ id: 'races', title: 'Races', body: racesBody(races, names) }] : []),
    { id: 'differences', title: 'Differences', body: await differencesBody(report, names, command) },
    { id: 'verdicts', title: 'Verdicts', body: await verdictsBody(root, report, names, command) },
    { id: 'timing', title: 'Time and counters', body: await timingBody(root, current, command) },
    { id: 'limits', title: 'What limits it', body: explainedBody(root, current, command) },
    { id: 'source', title: 'Hot spots', body: hotSpotsBody(root, current, command) },
    { id: 'occupancy', title: 'Occupancy and roofline', body: occupancyBody(reproducer) },
    { id: 'tune', title: 'Configurations', body: await configurations(reproducer, command, again) },
    { id: 'pgo', title: 'Profile of blocks', body: await profiledBody(reproducer, command) },
    { id: 'traces', title: 'Traces', body: tracesBody(reproducer, command) },
  ];
  return {
    title: `${config.app.name}: ${config.demangled}`,
    lead: markup`${verdictLead(report, reproducer, names, changedSince(root), command)}
      <p class="muted">Commands on this page are typed in the root of the workspace.</p>`,
    sections: folded(parts, {
      id: 'captured',
      title: 'What was captured',
      body: await capturedBody(reproducer, capture, observed, names),
    }),
  };
}

/** Configurations that tune judged, and those that the app's own autotuner tried. */
async function configurations({ root, capture }: Reproducer, command: CommandOn, again: string): Promise<Body> {
  const tuned = await tunedBody(root, command);
  const autotuned = await autotunedBody(capture, again);
  if (autotuned === '' || tuned instanceof Html) return tuned instanceof Html ? markup`${tuned}${autotuned}` : tuned;
  const [tune] = 'commands' in tuned ? tuned.commands : [];
  return markup`${absent('No search was run; this finds the best configuration:', tune)}${autotuned}`;
}
