// What makes a flame graph answer to clicks.
#pragma once

#include <string_view>

namespace transformeter {

/// A <script> element for the end of the picture. It reads the attributes of frames: data-l and data-w, place and width
/// as shares of the pass, data-n, the label.
std::string_view flame_graph_script();

}  // namespace transformeter
