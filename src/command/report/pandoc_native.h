// Slides in pandoc's own notation of documents, in which text is never markup.
#pragma once

#include <string>

#include "report/slides.h"

namespace transformeter {

/// Of the n-th slide with a figure, which the notation refers to: "figure-0.png".
using PictureName = std::string (*)(std::size_t n);

/// For `pandoc -f native`; of all its versions, since unlike JSON it names none. Slides begin at level 2. Figures are
/// left out without `picture_name`.
std::string pandoc_native(const Deck& deck, PictureName picture_name);

}  // namespace transformeter
