// The style sheet of the HTML report: light, dark and printed, from a phone's width up.
#pragma once

#include <string>

namespace transformeter {

/// For a <style> element; holds no '<'.
std::string html_style();

}  // namespace transformeter
