import { writeFileSync } from 'node:fs';
import { packets, eventsPacket, rankPacket } from '../timeline/testing/proto-file';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { reportOptionsSchema } from './options';
import { report } from './report';
import { Chromium, type Scheme } from './testing/browser';
import { probeDeps, writeProbeTrace } from './testing/probes';
import {
  hostile,
  judged,
  keepCompared,
  keepHotSpots,
  reproducerOf,
  writeAutotuned,
  writeProfile,
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
    // A command whose words have no place to break.
    writeProbeTrace(workspace, 'x', `kernels/app/saxpy/trace/dmat/${'long_'.repeat(20)}`);
    await make('reproducer', { reproducer });
    writeProfile(workspace, hostile);
    await make('workspace', { workspace: workspace.root });
    await judged(workspace, reproducer, false);
    keepCompared(reproducer, 'counts', deps);
    await make('passing', { reproducer, output: workspace.path('passing.html') });
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
    const probed = reportOptionsSchema.parse({ trace: writeProbeTrace(workspace, hostile) });
    pages['probes'] = (await report(probed, probeDeps(workspace))).file;
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
  const kinds = ['reproducer', 'passing', 'workspace', 'trace', 'probes'];
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
    await section.getByRole('searchbox').fill('base PASS');
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

  it.each(kinds.flatMap((kind) => [360, 420, 1200].map((width): [string, number] => [kind, width])))(
    '%s, %i pixels wide: everything is within the screen, and nothing scrolls sideways',
    async (kind, width) => {
      const sourceOnScreens = (one: string): boolean => !(width > 640 && /^<div class="wide"/.test(one));
      expect((await chromium().cutOff(file(kind), width)).filter(sourceOnScreens)).toEqual([]);
    },
  );

  it.each(kinds)('%s: no axis has a label twice', async (kind) => {
    const axes = await chromium().axisLabels(file(kind));
    expect(axes.length).toBeGreaterThan(0);
    expect(axes.filter((labels) => new Set(labels).size < labels.length)).toEqual([]);
  });

  it('ends the axis of time with the last event: empty time behind it would look idle', async () => {
    const labels = (await chromium().axisLabels(file('trace')))
      .flat()
      .map((label) => Number(label.replaceAll(',', '')));
    const last = 1300 + 150 * 5 - 1000;
    expect(Math.max(...labels.filter((label) => !Number.isNaN(label)))).toBeLessThanOrEqual(last);
  });

  it.each(kinds.flatMap((kind) => [360, 420].map((width): [string, number] => [kind, width])))(
    '%s, %i pixels wide: each head of a table can be tapped, and covers no other',
    async (kind, width) => {
      const { page } = await chromium().open(file(kind), 'light', width);
      const boxes = await Promise.all((await page.locator('th button:visible').all()).map((one) => one.boundingBox()));
      await page.context().close();
      const known = boxes.filter((box) => box !== null);
      expect(known.length).toBeGreaterThan(0);
      expect(known.filter(({ height, width: own }) => height < 36 || own < 24)).toEqual([]);
      const apart = (a: (typeof known)[number], b: (typeof known)[number]): boolean =>
        a.x + a.width <= b.x + 0.5 ||
        b.x + b.width <= a.x + 0.5 ||
        a.y + a.height <= b.y + 0.5 ||
        b.y + b.height <= a.y + 0.5;
      expect(known.filter((one, index) => known.slice(index + 1).some((other) => !apart(one, other)))).toEqual([]);
    },
  );

  it.each(kinds)('%s, 420 pixels wide: no title of an axis is cut short', async (kind) => {
    const page = await chromium().show(file(kind), 'light', 420);
    const titles = await page.locator('.on-phone .role-axis-title text').allTextContents();
    expect([titles.length > 0, titles.filter((title) => title.endsWith('…'))]).toEqual([true, []]);
  });

  it('says which colour is which event, and rows of lanes differ on a phone', async () => {
    const page = await chromium().show(file('trace'), 'light', 420);
    const plot = page.locator('.on-phone');
    expect(await plot.locator('.role-legend-label text').count()).toBe(5);
    const rows = await plot.locator('.role-axis-label').last().locator('text').allTextContents();
    expect(new Set(rows).size).toBe(rows.length);
  });

  it.each([360, 420])(
    'a line of source has the width of the screen, %i pixels wide, and its figures below it',
    async (width) => {
      const page = await chromium().show(file('reproducer'), 'light', width);
      const row = page.locator('.source > tbody > tr', { has: page.locator('.figure:not(:empty)') }).first();
      const [code, figure] = [row.locator('td.code'), row.locator('.figure')];
      const [box, below] = [await code.boundingBox(), await figure.boundingBox()];
      expect(box?.width).toBeGreaterThan(0.7 * width);
      expect(below?.y).toBeGreaterThanOrEqual((box?.y ?? 0) + (box?.height ?? 0) - 1);
    },
  );

  it('keeps short cells whole beside long ones, and a phone shows several of them in a line', async () => {
    const cells = async (width: number): Promise<{ height: number; top: number }[]> => {
      const page = await chromium().show(file('reproducer'), 'light', width);
      const row = page.getByRole('table', { name: 'Verdicts, the last one first' }).locator('tbody tr').first();
      const boxes = await Promise.all((await row.locator('td').all()).map((cell) => cell.boundingBox()));
      const texts = row.locator('td > *, td:nth-child(3)');
      const heights = await Promise.all((await texts.all()).map(async (one) => (await one.boundingBox())?.height ?? 0));
      return boxes.map((box, index) => ({ height: heights[index] ?? 0, top: box?.y ?? 0 }));
    };
    const wide = await cells(1200);
    // Moment, verdict and digest are one line high; the code is a cell with its padding.
    expect(wide.slice(0, 4).map(({ height }) => height < 45)).toEqual([true, true, true, true]);
    const narrow = await cells(420);
    expect(new Set(narrow.map(({ top }) => Math.round(top))).size).toBeLessThan(narrow.length);
  });

  it.each<[string, Scheme]>([
    ['reproducer', 'light'],
    ['reproducer', 'dark'],
    ['passing', 'light'],
    ['passing', 'dark'],
  ])(
    '%s, %s: its banner tells FAIL from PASS without colour, and by colours of high contrast',
    async (kind, scheme) => {
      const banner = await chromium().banner(file(kind), scheme);
      const isFailed = kind === 'reproducer';
      expect(banner).toMatchObject({ text: isFailed ? 'FAIL' : 'PASS' });
      expect(banner.frame > 3).toBe(isFailed);
      expect(contrast(banner.edge, banner.page)).toBeGreaterThan(4.5);
      if (isFailed) expect(contrast(banner.color, banner.backgroundColor)).toBeGreaterThan(4.5);
    },
  );

  it('has colours of its own for a dark screen', async () => {
    const colours: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const page = await chromium().show(file('workspace'), scheme);
      const picture = await page.locator('body').screenshot();
      colours.push(picture.toString('base64'));
    }
    expect(colours[0]).not.toBe(colours[1]);
  });
});

/** Contrast of two colours by WCAG 2, of 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
