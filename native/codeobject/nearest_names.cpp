#include <algorithm>
#include <numeric>

#include "codeobject/code_object.h"

namespace kernloop::codeobject {

namespace {

// Levenshtein, on the first few hundred characters: enough to order suggestions.
size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 256), b = b.substr(0, 256);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       size_t count) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) ranked.emplace_back(edit_distance(name, candidate), candidate);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < ranked.size() && i < count; ++i) names.push_back(ranked[i].second);
  return names;
}

}  // namespace kernloop::codeobject
