// linux/kfd_ioctl.h includes drm/drm.h for types and the macros of ioctl numbers alone. Debian has that file in
// libdrm-dev, which nothing else here needs.
#pragma once

#include <asm/ioctl.h>
#include <linux/types.h>
