// glibc's look-ups, as the names dlsym and dlvsym are ours.
#pragma once

namespace kernloop::interpose {

using Dlsym = void* (*)(void* handle, const char* name);
using Dlvsym = void* (*)(void* handle, const char* name, const char* version);

Dlsym libc_dlsym();
Dlvsym libc_dlvsym();

}  // namespace kernloop::interpose
