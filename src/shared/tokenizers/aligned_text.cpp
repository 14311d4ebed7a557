// Origins are kept per byte, so that cutting a text is cutting two arrays.
#include "tokenizers/aligned_text.h"

#include "tokenizers/utf8.h"

namespace transformeter {

AlignedText make_aligned(std::string_view text, bool traced, std::size_t base) {
  AlignedText aligned{std::string(text), {}, base == 0};
  if (!traced) return aligned;
  aligned.origin.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    i += character_size(text, i);
    aligned.origin.resize(i, {base + begin, base + i});
  }
  return aligned;
}

AlignedText slice(const AlignedText& whole, TextSpan span) {
  AlignedText part;
  part.text = whole.text.substr(span.begin, span.end - span.begin);
  if (!whole.origin.empty()) {
    const auto at = [&](std::size_t i) { return whole.origin.begin() + static_cast<std::ptrdiff_t>(i); };
    part.origin.assign(at(span.begin), at(span.end));
  }
  part.at_start = whole.at_start && span.begin == 0;
  return part;
}

TextSpan origin_of(const AlignedText& text, TextSpan span) {
  return {text.origin[span.begin].begin, text.origin[span.end - 1].end};
}

AlignedText transform(const AlignedText& old, const std::vector<CharacterChange>& changes, std::size_t left_out) {
  AlignedText made;
  made.at_start = old.at_start && left_out == 0;
  made.text.reserve(old.text.size());
  std::size_t next = 0;  // the byte of `old` that is read next
  const auto pass = [&](std::size_t characters) {
    for (; characters > 0 && next < old.text.size(); --characters) next += character_size(old.text, next);
  };
  pass(left_out);
  const bool traced = !old.origin.empty();
  for (const CharacterChange& change : changes) {
    append_utf8(change.character, made.text);
    TextSpan place;
    if (change.change > 0) {
      if (traced && next > 0) place = old.origin[next - 1];
    } else {
      if (traced && next < old.text.size()) place = old.origin[next];
      pass(1 + static_cast<std::size_t>(-change.change));
    }
    if (traced) made.origin.resize(made.text.size(), place);
  }
  return made;
}

AlignedText prepend(const AlignedText& old, std::string_view inserted) {
  if (old.text.empty()) return old;
  AlignedText made{std::string(inserted) + old.text, old.origin, old.at_start};
  if (!old.origin.empty()) made.origin.insert(made.origin.begin(), inserted.size(), old.origin.front());
  return made;
}

}  // namespace transformeter
