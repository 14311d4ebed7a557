// Which LibTorch a fake plug-in says it was built for: FAKE_LIBTORCH where that is defined, else this one.
#include <torch/headeronly/version.h>

#include "device/plugin.h"

#ifndef FAKE_LIBTORCH
#define FAKE_LIBTORCH TORCH_VERSION
#endif

extern "C" {
extern const char kTransformeterPluginMark[];
const char kTransformeterPluginMark[] = TRANSFORMETER_PLUGIN_MARK FAKE_LIBTORCH;
}
