// Input of the kernels, the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.h"

struct Data {
  static constexpr int kSteps = 256, kVariables = 4, kDepth = 16;
  std::vector<Step> program;
  std::vector<float> variables, results;
  std::vector<Node> nodes;
  std::vector<float> xs, ys;
  std::vector<int> leaves;
  std::vector<int> starts, columns;
  std::vector<float> values, x, y;
  unsigned mask = 1;
  std::vector<unsigned> keys, stored, wanted, found;

  explicit Data(int count) : variables(kVariables * count), results(count) {
    for (int i = 0; i < kSteps; ++i) {
      const int operation = below(100) < 85 ? 3 : below(16);
      program.push_back({operation, below(kVariables)});
    }
    for (float& v : variables) v = unit() - 0.5f;
    make_nodes();
    for (int i = 0; i < count; ++i) {
      xs.push_back(2 * unit() - 1);
      ys.push_back(2 * unit() - 1);
    }
    leaves.resize(count);
    starts.push_back(0);
    for (int row = 0; row < count; ++row) starts.push_back(starts.back() + (below(10) < 9 ? 1 + below(2) : below(6)));
    for (int k = 0; k < starts.back(); ++k) {
      columns.push_back(below(count));
      values.push_back(unit());
    }
    for (int row = 0; row < count; ++row) x.push_back(unit());
    y.resize(count);
    make_table(count);
  }

 private:
  unsigned state_ = 12345;
  unsigned random() { return (state_ = state_ * 1664525u + 1013904223u) >> 8; }
  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  float unit() { return static_cast<float>(random() & 0xffff) / 65536.0f; }

  void make_nodes() {
    const int inner = (1 << kDepth) - 1;
    const auto child = [&](int at) { return at < inner ? at : ~(at - inner); };
    for (int i = 0; i < inner; ++i)
      nodes.push_back({2 * unit() - 1, 2 * unit() - 1, unit() - 0.5f, child(2 * i + 1), child(2 * i + 2)});
  }

  void make_table(int count) {
    while (mask < 2u * static_cast<unsigned>(count)) mask = 2 * mask + 1;
    keys.resize(mask + 1);
    stored.resize(mask + 1);
    for (int i = 0; i < count; ++i) {
      const unsigned key = (random() << 8) + random() + 1;
      unsigned slot = (key * 2654435761u) & mask;
      while (keys[slot] != 0) slot = (slot + 1) & mask;
      keys[slot] = key;
      stored[slot] = static_cast<unsigned>(i);
      // One in four is not there.
      wanted.push_back(below(4) == 0 ? key + 1 : key);
    }
    found.resize(count);
  }
};
