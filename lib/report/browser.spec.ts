import { writeFileSync } from 'node:fs';
import { packets, eventsPacket, rankPacket } from '../timeline/testing/proto-file';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { reportOptionsSchema } from './options';
import { report } from './report';
import { Chromium, type Scheme } from './testing/browser';
import {
  hostile,
  judged,
  keepCompared,
  keepHotSpots,
  reproducerOf,
  writeAutotuned,
  writeTune,
} from './testing/reproducer';

jest.setTimeout(600_000);

/** Tests pages in a browser, with real data and with hostile names. */
describe('pages in Chromium', () => {
  const workspace = new TestWorkspace();
  const pages: Record<string, string> = {};
  let browser: Chromium | undefined;

  const make = async (name: string, options: object): Promise<void> => {
    const { file } = await report(reportOptionsSchema.parse(options), fakeDeps({}, workspace.native));
    pages[name] = file;
  };

  beforeAll(async () => {
    const reproducer = reproducerOf(workspace, hostile);
    await judged(workspace, reproducer, false);
    const deps = await judged(workspace, reproducer, true);
    keepCompared(reproducer, 'times', deps);
    keepHotSpots(reproducer, deps);
    writeTune(workspace, 'BLOCK');
    writeAutotuned(workspace, hostile);
    await make('reproducer', { reproducer });
    await make('workspace', { workspace: workspace.root });
    const trace = workspace.path(`trace.kevents`);
    const events = Array.from({ length: 6 }, (_, index) => ({
      id: 1024 + (index % 5),
      unit: index % 3,
      start: BigInt(1000 + 100 * index),
      end: BigInt(1300 + 150 * index),
    }));
    const eventNames = Array.from({ length: 5 }, (_, index) => ({ id: 1024 + index, name: `${hostile}${index}` }));
    writeFileSync(trace, packets(rankPacket(0, 6, { eventNames, deviceName: hostile }), eventsPacket(0, events)));
    await make('trace', { trace });
    browser = await Chromium.start();
  });
  afterAll(async () => {
    await browser?.close();
    workspace.dispose();
  });

  const chromium = (): Chromium => {
    if (!browser) throw new Error('it did not start');
    return browser;
  };
  const kinds = ['reproducer', 'workspace', 'trace'];
  const file = (kind: string): string => pages[kind] ?? '';

  it.each(kinds)(
    '%s: it asks for nothing but itself, complains of nothing, and shows names as they are',
    async (kind) => {
      const { page, complaints, requests } = await chromium().open(file(kind));
      expect(await page.locator('main section').count()).toBeGreaterThan(1);
      expect(await page.locator('svg[role=img]').count()).toBeGreaterThan(0);
      expect(await page.getByText(hostile).count()).toBeGreaterThan(0);
      expect(await page.locator('img').count()).toBe(0);
      // The page has no style and no script but those that its policy names; both took effect.
      expect(await page.locator('th button').count()).toBeGreaterThan(0);
      expect(await page.locator('.skip').boundingBox()).toMatchObject({ x: expect.any(Number) as number });
      expect([requests, complaints]).toEqual([[`file://${file(kind)}`], []]);
      await page.context().close();
    },
  );

  it.each(
    kinds.flatMap((kind): [string, Scheme][] => [
      [kind, 'light'],
      [kind, 'dark'],
    ]),
  )('%s, %s: axe finds nothing wrong with it', async (kind, scheme) => {
    expect(await chromium().violations(file(kind), scheme)).toEqual([]);
  });

  it('sorts by a column, as numbers and the other way round, and filters by words', async () => {
    const { page } = await chromium().open(file('reproducer'));
    const table = page.getByRole('table', { name: 'Candidates, the best first' });
    const column = (): Promise<string[]> => table.locator('tbody tr:visible td:nth-child(2)').allTextContents();
    expect(await column()).toEqual(['256', '128', '64', '12']);
    const head = table.getByRole('columnheader', { name: 'BLOCK' });
    // Sorts by keyboard, like any button.
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect([await column(), await head.getAttribute('aria-sort')]).toEqual([['12', '64', '128', '256'], 'ascending']);
    await page.keyboard.press('Enter');
    expect([await column(), await head.getAttribute('aria-sort')]).toEqual([['256', '128', '64', '12'], 'descending']);
    const section = page.locator('section', { has: table });
    await section.getByRole('searchbox').fill('right BASE');
    expect(await column()).toEqual(['64']);
    expect(await section.getByRole('status').textContent()).toBe('1 of 4 rows');
    await section.getByRole('searchbox').fill('');
    expect(await column()).toHaveLength(4);
    await page.context().close();
  });

  it('unfolds the instructions of a line, and all of them for print', async () => {
    const { page } = await chromium().open(file('reproducer'));
    const instruction = page.getByText(`v_add_f32 ${hostile}`).first();
    expect(await instruction.isVisible()).toBe(false);
    await page.locator('#source ~ * summary, section[aria-labelledby=source] summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('section[aria-labelledby=source] details[open]').count()).toBe(1);
    const all = await page.locator('details').count();
    await page.pdf();
    expect(await page.locator('details[open]').count()).toBe(all);
    await page.context().close();
  });

  it('has colours of its own for a dark screen', async () => {
    const colours = await Promise.all(
      (['light', 'dark'] as const).map(async (scheme) => {
        const { page } = await chromium().open(file('workspace'), scheme);
        const picture = await page.locator('body').screenshot();
        await page.context().close();
        return picture.toString('base64');
      }),
    );
    expect(colours[0]).not.toBe(colours[1]);
  });
});
