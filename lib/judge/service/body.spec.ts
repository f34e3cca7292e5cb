import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { Bodies } from './body';
import { limits } from './wire';

const piece = Buffer.alloc(8 * 1024 * 1024, ' ');
const one = limits.bodyBytes / piece.length;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A request whose body has come so far, and goes on until `end`. */
async function begun(bodies: Bodies, group: string, pieces: number) {
  const stream = new PassThrough({ highWaterMark: 2 * limits.bodyBytes });
  const request = Object.assign(stream, { headers: {} }) as unknown as IncomingMessage;
  const read = bodies.read(request, group).then(
    (text) => text.length,
    (error: { status?: number }) => error.status,
  );
  for (let count = 0; count < pieces; count += 1) stream.write(piece);
  await turn();
  await turn();
  return { read, end: () => stream.end() };
}

describe('bodies of requests', () => {
  it('of one sender keep no other one out, who has a share', async () => {
    const bodies = new Bodies(2);
    const held = [];
    for (let count = 0; count < limits.bodiesBytes / limits.bodyBytes; count += 1)
      held.push(await begun(bodies, 'alice', one));
    expect(await (await begun(bodies, 'alice', 1)).read).toBe(429);
    const bob = await begun(bodies, 'bob', one);
    bob.end();
    expect(await bob.read).toBe(limits.bodyBytes);
    for (const { end } of held) end();
    expect(await Promise.all(held.map(({ read }) => read))).toEqual(held.map(() => limits.bodyBytes));
    const again = await begun(bodies, 'alice', one);
    again.end();
    expect(await again.read).toBe(limits.bodyBytes);
  });

  it('of one sender alone are bounded', async () => {
    const bodies = new Bodies(1);
    const held = [];
    for (let count = 0; count < limits.bodiesBytes / limits.bodyBytes; count += 1)
      held.push(await begun(bodies, '', one));
    expect(await (await begun(bodies, '', 1)).read).toBe(429);
    for (const { end } of held) end();
    await Promise.all(held.map(({ read }) => read));
  });
});
