// The kernels of kernels.hip, wave by wave. Blocks are numbered in the order of their code, an edge that LLVM split
// behind the block it leaves.
#include <array>

#include "oracle.h"

namespace kernloop::pgo_pass {

namespace {

using Lanes = std::array<unsigned, 64>;  // a variable of each lane

void tail(HostWave& w) {
  const Mask all = w.all();
  const Mask inside = w.where(all, [&](unsigned l) { return w.index(l) < w.launch.n; });
  w.at(0, all, all);
  w.at(1, inside, all);
  w.at(2, all, all);
}

void earlyExits(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask first = w.where(all, [&](unsigned l) { return w.index(l) < w.launch.n; });
  w.at(1, first, all);
  const Mask second = w.where(first, [&](unsigned l) { return w.index(l) % 3 != 0; });
  w.at(2, second, first);
  const Mask third = w.where(second, [&](unsigned l) { return w.index(l) % 8 >= 5; });
  w.at(3, third, second);
  w.at(4, all, all);
}

void ownTrips(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  Mask round = all;
  for (unsigned k = 0; round != 0; ++k) {
    w.at(1, round, round);  // all lanes that ended a round begin the next one
    const Mask inside = w.where(round, [&](unsigned l) { return k < w.index(l) % 7 + w.launch.count; });
    w.at(2, inside, round);
    round = inside;
  }
  w.at(3, all, all);
}

void hotAndCold(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask inside = w.where(all, [&](unsigned l) { return w.index(l) < w.launch.n; });
  Mask before = all;
  for (unsigned k = 0; k == 0 || k < w.launch.count; ++k) {
    w.at(1, inside, before);
    const Mask hot = w.where(inside, [&](unsigned l) { return (w.index(l) + k) % 16 != 0; });
    w.at(2, hot, inside);
    w.at(3, inside & ~hot, inside);
    w.at(4, inside, before);
    before = inside;
  }
  w.at(5, inside, all);
  w.at(6, all, all);
}

void nested(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask even = w.where(all, [&](unsigned l) { return w.index(l) % 2 == 0; });
  const Mask third = w.where(even, [&](unsigned l) { return w.index(l) % 3 == 0; });
  w.at(1, even, all);
  w.at(2, third, even);
  w.at(3, even & ~third, even);
  w.at(4, even, all);
  w.at(5, all & ~even, all);
  w.at(6, all, all);
}

void selects(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const auto a = [&](unsigned l) { return w.index(l) % 5 < 2; };
  const auto b = [&](unsigned) { return w.workgroup[0] % 3 == 0; };
  w.select(0, all, a);
  w.select(1, all, b);
  const Mask inside = w.where(all, [&](unsigned l) { return w.index(l) % 16 < 9; });
  w.at(1, inside, all);
  w.select(2, inside, [&](unsigned l) { return input(w.index(l) + 1) % 4 == 1; });
  w.at(2, all, all);
}

void manyWays(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const auto way = [&](unsigned value) { return w.where(all, [&](unsigned l) { return w.index(l) % 6 == value; }); };
  w.at(1, way(0), all);
  w.at(2, way(1), all);
  w.at(3, way(3), all);
  w.at(4, way(4), all);
  w.at(5, way(2) | way(5), all);
  w.at(6, all, all);
}

void reduction(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  for (unsigned half = 64; half != 0; half /= 2) {
    w.at(1, all, all);
    const Mask lower = w.where(all, [&](unsigned l) { return w.thread(l) < half; });
    const Mask both = w.where(lower, [&](unsigned l) { return w.thread(l) + half < w.launch.block; });
    w.at(2, all & ~lower, all);
    w.at(3, lower, all);
    w.at(4, both, lower);
    w.at(5, all, all);
  }
  w.at(6, all, all);
  w.at(7, w.where(all, [&](unsigned l) { return w.thread(l) == 0; }), all);
  w.at(8, all, all);
}

void appending(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask third = w.where(all, [&](unsigned l) { return w.index(l) % 3 == 1; });
  w.at(1, third, all);
  w.at(2, w.where(third, [&](unsigned l) { return w.index(l) % 9 == 1; }), third);
  w.at(3, third, all);
  w.at(4, all, all);
}

void inlined(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  w.at(1, w.where(all, [&](unsigned l) { return w.index(l) % 4 == 3; }), all);
  w.at(2, all, all);
  const Mask even = w.where(all, [&](unsigned l) { return w.index(l) % 2 == 0; });
  w.at(3, even, all);
  w.at(4, w.where(even, [&](unsigned l) { return (w.index(l) + 1) % 4 == 3; }), even);
  w.at(5, even, all);
  w.at(6, all, all);
}

void called(HostWave& w, Mask active, const Lanes& x) {
  w.at(0, active, active);  // no block of the function precedes its entry
  w.at(1, w.where(active, [&](unsigned l) { return x[l] % 5 == 0; }), active);
  w.at(2, active, active);
  Mask round = active;
  for (unsigned k = 0; round != 0; ++k) {
    w.at(3, round, round);
    const Mask inside = w.where(round, [&](unsigned l) { return k < x[l] % 3; });
    w.at(4, inside, round);
    round = inside;
  }
  w.at(5, active, active);
}

void calling(HostWave& w) {
  const std::string callee = "_Z6calledjPKjPj";
  const Mask all = w.all();
  Lanes x;
  for (unsigned l = 0; l < 64; ++l) x[l] = w.index(l);
  w.at(0, all, all);
  w.in(callee);
  called(w, all, x);
  w.in("calling");
  const Mask some = w.where(all, [&](unsigned l) { return w.index(l) % 4 == 1; });
  w.at(1, some, all);
  for (unsigned& value : x) value += 2;
  w.in(callee);
  if (some != 0) called(w, some, x);
  w.in("calling");
  w.at(2, all, all);
}

void loops(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  Lanes x;
  for (unsigned l = 0; l < 64; ++l) x[l] = w.index(l);
  Mask round = all, before = all, left = 0;
  for (unsigned k = 0; round != 0;) {
    w.at(1, round, before);
    if (k >= w.launch.count) break;
    w.at(2, round, round);
    ++k;
    const Mask skipping = w.where(round, [&](unsigned l) { return (x[l] + k) % 5 == 2; });
    w.at(3, skipping, round);
    const Mask staying = round & ~skipping;
    Mask inner = staying, inner_before = round;
    for (unsigned j = 0; inner != 0; ++j) {
      w.at(4, inner, inner_before);
      const Mask inside = w.where(inner, [&](unsigned l) { return j < (w.index(l) + k) % 3; });
      w.at(5, inside, inner);
      for (unsigned l = 0; l < 64; ++l)
        if ((inside >> l & 1) != 0) x[l] += input(j);
      inner = inner_before = inside;
    }
    w.at(6, staying, round);
    const Mask leaving = w.where(staying, [&](unsigned l) { return (w.index(l) ^ k) % 11 == 7; });
    w.at(7, leaving, staying);
    w.at(8, staying & ~leaving, staying);
    for (unsigned l = 0; l < 64; ++l)
      if ((staying & ~leaving) >> l & 1) x[l] = w.index(l) + k * 3;
    w.at(9, staying, round);
    left |= leaving;
    before = round;
    round &= ~leaving;
  }
  w.at(10, left, all);  // after the loop, for all lanes that broke out of it
  w.at(11, all, all);
}

void search(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  Mask round = all, by_first = 0, by_second = 0;
  for (unsigned k = 0; round != 0 && (k == 0 || k < w.launch.count); ++k) {
    w.at(1, round, round);
    const Mask first = w.where(round, [&](unsigned l) { return w.index(l) % 13 == k; });
    by_first |= first;
    w.at(3, round & ~first, round);
    const Mask second = w.where(round & ~first, [&](unsigned l) { return (w.index(l) * 7 + k) % 17 == 3; });
    by_second |= second;
    w.at(5, round & ~first & ~second, round & ~first);
    round &= ~first & ~second;
  }
  // After the loop all lanes that left it by one exit are together, and compared with those that entered it.
  w.at(2, by_first, all);
  w.at(4, by_second, all);
  w.at(6, round, all);
  w.at(7, all, all);
}

void either(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask fourth = w.where(all, [&](unsigned l) { return w.index(l) % 4 == 0; });
  w.at(1, all & ~fourth, all);
  const Mask other =
      w.where(all & ~fourth, [&](unsigned l) { return input(w.index(l)) % 2 == 0 && w.index(l) % 6 == 3; });
  w.at(2, fourth | other, all);
  w.at(3, all, all);
  w.at(4, w.where(all, [&](unsigned l) { return w.index(l) % 2 == 1 && w.index(l) % 3 == 2; }), all);
  w.at(5, all, all);
}

void byWorkgroup(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const bool first = w.workgroup[0] % 3 == 1;
  w.at(1, first ? all : 0, all);
  w.at(2, first && w.workgroup[1] == 1 ? all : 0, all);
  w.at(3, first ? 0 : all, all);
  w.at(4, all, all);
  const unsigned rounds = w.launch.count + w.workgroup[2];
  for (unsigned k = 0; k <= rounds; ++k) {
    w.at(5, all, all);
    w.at(6, k < rounds ? all : 0, all);
  }
  w.at(7, all, all);
}

void wide(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  for (unsigned k = 0; k <= w.launch.count; ++k) {
    w.at(1, all, all);
    if (k == w.launch.count) break;
    w.at(2, all, all);
    Mask others = all;
    for (unsigned way = 0; way < 16; ++way) {
      const Mask taken = w.where(all, [&](unsigned l) { return (w.index(l) + 3 * k) % 19 == way; });
      w.at(3 + way, taken, all);
      others &= ~taken;
    }
    w.at(19, others, all);
    w.at(20, all, all);
  }
  w.at(21, all, all);
}

void throughPointer(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask some = w.where(all, [&](unsigned l) { return w.index(l) % 5 != 0; });
  w.at(1, some, all);
  w.at(2, all, all);
  const auto is_even = [&](unsigned l) { return input(w.index(l)) % 2 == 0; };
  w.select(0, some, is_even);
  const Mask even = w.where(some, is_even), odd = some & ~even;
  if (even != 0) {
    w.in("_Z4evenjPj");
    w.at(0, even, even);
    w.at(1, w.where(even, [&](unsigned l) { return w.index(l) % 8 == 2; }), even);
    w.at(2, even, even);
  }
  if (odd != 0) {
    w.in("_Z3oddjPj");
    w.at(0, odd, odd);
    Mask round = odd;
    for (unsigned k = 0; round != 0; ++k) {
      w.at(1, round, round);
      const Mask inside = w.where(round, [&](unsigned l) { return k < w.index(l) % 4; });
      w.at(2, inside, round);
      round = inside;
    }
    w.at(3, odd, odd);
  }
}

void tangled(HostWave& w) {
  for (unsigned l = 0; l < 64; ++l) {
    if ((w.all() >> l & 1) == 0) continue;
    const unsigned i = w.index(l);
    unsigned k = i % 5;
    bool at_top = i % 2 == 0;
    w.laneAt(0);
    while (true) {
      if (at_top) {
        w.laneAt(1);
        k += 2;
      }
      w.laneAt(2);
      if (k >= w.launch.count + i % 3) break;
      w.laneAt(3);
      ++k;
      at_top = true;
    }
    w.laneAt(4);
  }
}

void selectsInLoop(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  for (unsigned k = 0;;) {
    w.at(1, all, all);
    w.select(0, all, [&](unsigned l) { return input(w.index(l) + k) % 3 == 0; });
    w.select(1, all, [&](unsigned) { return (w.workgroup[0] + k) % 4 == 1; });
    ++k;
    w.at(2, k < w.launch.count ? all : 0, all);
    if (k >= w.launch.count) break;
  }
  w.at(3, all, all);
}

void ownRounds(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  Mask round = all;
  for (unsigned k = 1; round != 0; ++k) {
    w.at(1, round, round);
    const Mask more = w.where(round, [&](unsigned l) { return k < w.index(l) % 6; });
    w.at(2, more, round);
    round = more;
  }
  w.at(3, all, all);
}

void retrying(HostWave& w) {
  for (unsigned l = 0; l < 64; ++l) {
    if ((w.all() >> l & 1) == 0) continue;
    const unsigned i = w.index(l);
    w.laneAt(0);
    for (unsigned k = 0; k <= w.launch.count + i % 4;) {
      // The last round that reaches the second half.
      bool again = true;
      while (again) {
        w.laneAt(1);
        k += 1 + input(i + k) % 2;
        again = (i + k) % 3 == 0;
        w.laneAt(again ? 2 : 3);
      }
    }
    w.laneAt(4);
  }
}

void roundsOfRounds(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  Lanes k{};
  Mask outer = all, before = all;
  while (outer != 0) {
    w.at(1, outer, before);
    for (Mask inner = outer; inner != 0;) {
      w.at(2, inner, inner);
      for (unsigned l = 0; l < 64; ++l)
        if ((inner >> l & 1) != 0) ++k[l];
      const Mask more = w.where(inner, [&](unsigned l) { return (w.index(l) + k[l]) % 4 != 0; });
      w.at(3, more, inner);
      inner = more;
    }
    w.at(4, outer, before);
    before = outer;
    outer = w.where(outer, [&](unsigned l) { return k[l] < w.launch.count; });
  }
  w.at(5, all, all);
}

void spilling(HostWave& w) {
  const Mask all = w.all();
  w.at(0, all, all);
  const Mask inside = w.where(all, [&](unsigned l) { return w.index(l) < w.launch.n; });
  w.at(1, inside, all);
  for (unsigned k = 0; k == 0 || k < w.launch.count; ++k) {
    w.at(2, inside, inside);
    const Mask hot = w.where(inside, [&](unsigned l) { return (w.index(l) + k) % 16 != 0; });
    w.at(3, hot, inside);
    w.at(4, inside & ~hot, inside);
    w.at(5, inside, inside);
  }
  w.at(6, inside, all);
  w.at(7, all, all);
}

}  // namespace

const std::vector<Oracle>& oracles() {
  static const std::vector<Oracle> list = {
      {"tail", tail},
      {"early_exits", earlyExits},
      {"own_trips", ownTrips},
      {"hot_and_cold", hotAndCold},
      {"nested", nested},
      {"selects", selects},
      {"many_ways", manyWays},
      {"reduction", reduction},
      {"appending", appending},
      {"inlined", inlined},
      {"calling", calling},
      {"loops", loops},
      {"search", search},
      {"either", either},
      {"by_workgroup", byWorkgroup},
      {"wide", wide},
      {"through_pointer", throughPointer},
      {"tangled", tangled},
      {"selects_in_loop", selectsInLoop},
      {"own_rounds", ownRounds},
      {"spilling", spilling},
      {"retrying", retrying},
      {"rounds_of_rounds", roundsOfRounds},
  };
  return list;
}

}  // namespace kernloop::pgo_pass
