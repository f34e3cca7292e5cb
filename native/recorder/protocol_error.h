// Error for a violation of the protocol by an agent.
#pragma once

#include <string>

#include "base/result.h"

namespace kernloop::recorder {

inline Error protocol_error(const std::string& what) {
  return {"AGENT_PROTOCOL", "the agent does not keep to the protocol: " + what,
          "use an agent and a recorder of the same version"};
}

}  // namespace kernloop::recorder
