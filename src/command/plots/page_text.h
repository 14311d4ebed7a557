// How much room texts take on a page. gnuplot measures nothing before it draws, so that widths are estimates for a wide
// sans-serif font.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// Heights of letters, in pixels.
inline constexpr int kTitleFont = 17;
inline constexpr int kPanelFont = 13;
inline constexpr int kNoteFont = 12;

/// Pixels from one line of text to the next.
int line_height(int font);

int text_width(std::string_view text, int font);

/// The text as lines of at most `width` pixels, broken at blanks, or within words that are wider.
std::vector<std::string> text_lines(std::string_view text, int width, int font);

/// With an ellipsis in its middle where it is wider than `width` pixels: series often differ at the ends of their
/// names.
std::string text_within(std::string_view text, int width, int font);

}  // namespace transformeter
