// A profile as an interactive picture: each frame is as wide as its time, and stands on what called it.
#pragma once

#include <string>

#include "schema/profile.h"

namespace transformeter {

/// A whole SVG file: a click on a frame fills the width with it, a pointer over it names it. It needs nothing else, and
/// shows all frames where scripts do not run. `title`: what was profiled.
std::string flame_graph(const Profile& profile, const std::string& title);

}  // namespace transformeter
