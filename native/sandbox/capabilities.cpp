#include "sandbox/capabilities.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kernloop::sandbox {

Status drop_capabilities() {
  const Error kept{"SANDBOX_UNAVAILABLE", "the privileges of this user cannot be given up",
                   "run it as a user other than root"};
  // These calls fail for a user without privileges, who has none to lose; the end state is what counts.
  prctl(PR_SET_SECUREBITS, SECURE_ALL_BITS | SECURE_ALL_LOCKS, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) return kept;
  // A program that root starts gets its bounding set.
  if (getuid() != 0 && geteuid() != 0) return Unit{};
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) != 0) return kept;
  return Unit{};
}

}  // namespace kernloop::sandbox
