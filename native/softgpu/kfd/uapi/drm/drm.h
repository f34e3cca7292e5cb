// linux/kfd_ioctl.h includes drm/drm.h only for types and the macros of ioctl numbers. Debian has that file in
// libdrm-dev, which nothing else here needs.
#pragma once

#include <asm/ioctl.h>
#include <linux/types.h>
