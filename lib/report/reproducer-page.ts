import { join } from 'node:path';
import { captureFile, captureJsonSchema } from '../archive/capture-files';
import { markup } from '../page/html';
import type { Page } from '../page/page';
import type { Reproducer } from '../reproducer/reproducer';
import { reportSchema } from '../validate/report-json';
import { autotunedBody } from './autotuned';
import { capturedBody, observedSchema, occupancyBody } from './captured';
import { differencesBody } from './differences';
import { explainedBody } from './explained';
import { readLeft } from './left';
import { profiledBody } from './profiled';
import { hotSpotsBody } from './source';
import { timingBody } from './timing';
import { tracesBody } from './traced';
import { tunedBody } from './tuned';
import { verdictLead, verdictsBody } from './verdicts';

/** Page of one reproducer with all results, the answer first. */
export async function reproducerPage(reproducer: Reproducer): Promise<Page> {
  const { root, config } = reproducer;
  const capture = readLeft(captureFile(reproducer.capture), captureJsonSchema, 'What was captured', 'kernloop capture');
  const observed = readLeft(
    join(reproducer.capture, 'observed.json'),
    observedSchema,
    'When it was captured',
    'kernloop capture',
  );
  const report = readLeft(reproducer.report, reportSchema, 'Whether the variant is right', 'kernloop validate');
  const current = report.value?.code_object_sha256 ?? null;
  return {
    title: `${config.app.name}: ${config.demangled}`,
    lead: markup`${verdictLead(report)}`,
    sections: [
      { id: 'differences', title: 'Differences', body: await differencesBody(reproducer, report, capture) },
      { id: 'verdicts', title: 'Verdicts', body: await verdictsBody(root, report) },
      { id: 'timing', title: 'Time and counters', body: await timingBody(root, current) },
      { id: 'limits', title: 'What limits it', body: explainedBody(root, current) },
      { id: 'source', title: 'Hot spots', body: hotSpotsBody(root, current) },
      { id: 'occupancy', title: 'Occupancy and roofline', body: occupancyBody(reproducer) },
      {
        id: 'tune',
        title: 'Configurations',
        body: markup`${await tunedBody(root)}${await autotunedBody(reproducer.capture)}`,
      },
      { id: 'pgo', title: 'Profile of blocks', body: await profiledBody(reproducer) },
      { id: 'traces', title: 'Traces', body: tracesBody(root) },
      { id: 'captured', title: 'What was captured', body: await capturedBody(reproducer, capture, observed) },
    ],
  };
}
