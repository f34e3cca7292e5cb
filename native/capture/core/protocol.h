// The agent speaks the protocol in its own words: names of kernloop::protocol are names here.
#pragma once

#include "protocol/messages.h"
#include "protocol/ring.h"

namespace kernloop::capture {

using namespace protocol;

}  // namespace kernloop::capture
