# Lanes of every counter against a count by hand, and the bounds of uniformity; one row a run.
import json, subprocess, sys
title, launches, period, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
import glob
files = glob.glob(folder + '/*.profraw')
def picked(block): return period == 1 or ((block * 0x9E3779B1 & 0xffffffff) >> 16) % period == 0
lanes = inside = rounds = even = looping = waves = 0
for block in range(4):
    if not picked(block): continue
    waves += 8
    for t in range(256):
        i = block * 256 + t; lanes += 1
        if i >= 997: continue
        inside += 1; rounds += i % 7; looping += i % 7 > 0; even += i % 64 < 24
known = {k * launches for k in (lanes, inside, rounds, even, looping, inside - even, lanes - inside, inside - looping)}
ok = len(files) == 1
said = ''
if ok:
    events = [json.loads(l) for l in subprocess.run([sys.argv[5], 'show', '--input', files[0]], capture_output=True, text=True).stdout.splitlines()]
    counters = events[0].get('counters', []) if events else []
    got = [c['lanes'] for c in counters]
    ok = bool(got) and all(g in known for g in got) and rounds * launches in got
    ok = ok and all(c['waves'] * 32 >= c['lanes'] for c in counters)
    # The first block of the kernel is entered by whole warps, each once.
    exact = any(c['lanes'] == lanes * launches and c['waves'] == waves * launches for c in counters)
    said = 'lanes %s waves %s uniform %s pattern %s' % (got, [c.get('waves') for c in counters], [c.get('uniform') for c in counters], events[0].get('pattern'))
    said += '' if exact else ' (no counter of the whole kernel)'
print('%-28s %-5s %s' % (title, 'ok' if ok else 'FAIL', said or 'files: %s' % files))
sys.exit(0 if ok else 1)
