// Stretches between matches are copied as they are.
#include "tokenizers/replace_normalizer.h"

#include "tokenizers/utf8.h"

namespace transformeter {

std::string ReplaceNormalizer::normalize(std::string_view text) const {
  return normalize_aligned({std::string(text), {}, false}).text;
}

AlignedText ReplaceNormalizer::normalize_aligned(AlignedText text) const {
  const std::vector<TextSpan> matches = text.text.empty() ? std::vector<TextSpan>() : pattern_.find_all(text.text);
  if (matches.empty()) return text;
  const bool traced = !text.origin.empty();
  AlignedText made;
  // The place of what replaces several characters is that of the last one, which is not the start of the text.
  const TextSpan first = matches.front();
  const bool start_is_gone = first.begin == 0 && first.end > (content_.empty() ? 0 : character_size(text.text, 0));
  made.at_start = text.at_start && !start_is_gone;
  const auto copy = [&](std::size_t begin, std::size_t end) {
    made.text.append(text.text, begin, end - begin);
    const auto at = [&](std::size_t i) { return text.origin.begin() + static_cast<std::ptrdiff_t>(i); };
    if (traced) made.origin.insert(made.origin.end(), at(begin), at(end));
  };
  std::size_t done = 0;
  for (const TextSpan match : matches) {
    copy(done, match.begin);
    made.text += content_;
    if (traced) made.origin.resize(made.text.size(), match.end == 0 ? TextSpan{} : text.origin[match.end - 1]);
    done = match.end;
  }
  copy(done, text.text.size());
  return made;
}

std::string PrependNormalizer::normalize(std::string_view text) const {
  return text.empty() ? std::string() : content_ + std::string(text);
}

AlignedText PrependNormalizer::normalize_aligned(AlignedText text) const {
  return prepend(text, content_);
}

}  // namespace transformeter
