// Memory over one profiled pass.
#pragma once

#include <string>

#include "plots/picture.h"
#include "schema/profile.h"

namespace transformeter {

/// Areas of what was there before the pass and of what it allocated, by stage where there are stages; a line at the
/// peak, and in words what holds it. `profile` has memory.
Picture memory_picture(const Profile& profile, const std::string& label);

}  // namespace transformeter
