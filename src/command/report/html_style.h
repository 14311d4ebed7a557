// The style sheet of the HTML report: light, dark and printed, from a phone's width up.
#pragma once

#include <string>

#include "report/medium.h"

namespace transformeter {

/// For a <style> element; holds no '<'. On paper it has no variables: WeasyPrint passes over shorthands with any, and
/// carries them along for each cell.
std::string html_style(Medium medium);

}  // namespace transformeter
