#include <algorithm>
#include <cstring>

#include "replay/core/memory/overwritten_search.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

// Aligned words: other values point nowhere.
std::vector<uint64_t> pointers_in(const Buffer& kernarg) {
  std::vector<uint64_t> words(kernarg.size() / 8);
  std::memcpy(words.data(), kernarg.data(), words.size() * 8);
  return words;
}

// If a launch does not end by itself, the results so far are in the file.
class SearchOverwritten final : public Step {
 public:
  explicit SearchOverwritten(Run& run) : run_(run) {}

  Result<bool> launch_again(Judgement&) override {
    // A kernel may wait forever for a lock that begins with another value.
    double& limit = run_.program.launch.limit_seconds;
    const double enough = std::max(1.0, 20 * run_.last.seconds);
    limit = limit > 0 ? std::min(limit, enough) : enough;
    const auto launch_with = [this](Fill fill) -> Result<bool> {
      if (auto restored = run_.restore(fill); !restored) return restored.error();
      return run_.launch(run_.options.iterations, false);
    };
    auto found =
        search_overwritten({run_.device, run_.cache, run_.targets, run_.varying,
                            pointers_in(run_.program.launch.kernarg), *run_.options.search_overwritten, launch_with});
    if (!found) return found.error();
    if (!*found) return false;
    for (size_t t = 0; t < run_.targets.size(); ++t)
      emit_rows(ReplayEvent::overwritten, run_.targets[t], (**found)[t], run_.sink);
    return true;
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> search_overwritten_step(Run& run) {
  return std::make_unique<SearchOverwritten>(run);
}

}  // namespace kernloop::replay
