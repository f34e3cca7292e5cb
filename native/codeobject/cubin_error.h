// What the readers of cubins throw to parse_cubin, which turns it into an Error.
#pragma once

#include "codeobject/malformed.h"

namespace kernloop::codeobject::cubin {

using codeobject::Malformed;

}  // namespace kernloop::codeobject::cubin
