// What an HTML report is shown on.
#pragma once

namespace transformeter {

/// Paper has nothing to click, scroll or read by a program: details are open, long lists of names cut and counted,
/// tables as wide as the page, figures plain text. All pages of A4 lie one way, since a change would leave one half
/// empty.
enum class Medium { kScreen, kPortraitPaper, kLandscapePaper };

inline bool is_paper(Medium medium) {
  return medium != Medium::kScreen;
}

}  // namespace transformeter
