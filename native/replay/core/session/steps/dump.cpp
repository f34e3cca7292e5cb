#include "replay/core/lenses/dump.h"

#include "replay/core/session/replaying.h"
#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

namespace {

class Dump final : public Step {
 public:
  explicit Dump(Run& run) : run_(run), request_(*run.options.dump) {}

  Status prepare() override { return check_dump(request_, run_.targets); }
  Status before_launches() override { return request_.time == DumpTime::kPre ? dump() : Unit{}; }
  Status report() override { return request_.time == DumpTime::kPost ? dump() : Unit{}; }

 private:
  Status dump() const {
    return dump_targets(request_, run_.device, run_.targets,
                        dump_facts(run_.options, run_.reader.manifest(), run_.program));
  }

  Run& run_;
  const DumpRequest& request_;
};

}  // namespace

std::unique_ptr<Step> dump_step(Run& run) {
  return std::make_unique<Dump>(run);
}

}  // namespace kernloop::replay
