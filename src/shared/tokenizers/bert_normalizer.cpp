// Normalisation with a byte-table path for ASCII; utf8proc decomposes and lower-cases the rest.
#include "tokenizers/bert_normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "tokenizers/bert_characters.h"
#include "tokenizers/text_characters.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

// The steps below work on code points alone, or on code points that know where they come from.
struct TracedPoint {
  char32_t c;
  TextSpan origin;
  bool inserted = false;  // a further part of a decomposed character
};

char32_t code_of(char32_t point) {
  return point;
}
char32_t code_of(const TracedPoint& point) {
  return point.c;
}
char32_t with_code(char32_t, char32_t c) {
  return c;
}
TracedPoint with_code(const TracedPoint& point, char32_t c) {
  return {c, point.origin};
}
void mark_inserted(char32_t) {}
void mark_inserted(TracedPoint& point) {
  point.inserted = true;
}

// Marks after a base stand in the order of their combining classes (Unicode canonical ordering).
template <typename Point>
void order_marks(std::vector<Point>& points) {
  const auto combining_class = [](const Point& point) { return bert_combining_class(code_of(point)); };
  const auto at = [&](std::size_t i) { return points.begin() + static_cast<std::ptrdiff_t>(i); };
  std::size_t begin = 0;
  while (begin < points.size()) {
    std::size_t end = begin;
    while (end < points.size() && combining_class(points[end]) != 0) ++end;
    std::stable_sort(at(begin), at(end),
                     [&](const Point& a, const Point& b) { return combining_class(a) < combining_class(b); });
    begin = end + 1;
  }
}

void realign(const std::vector<char32_t>&, std::vector<char32_t>&) {}

// Hugging Face's transform: the first part of each character takes the origin that is next in the text before, a
// further part the one taken last, so that marks which changed places also change origins.
void realign(const std::vector<TracedPoint>& before, std::vector<TracedPoint>& after) {
  std::size_t next = 0;
  for (TracedPoint& point : after) {
    if (!point.inserted) {
      point.origin = before[next++].origin;
    } else {
      point.origin = next == 0 ? TextSpan{} : before[next - 1].origin;
    }
  }
}

// Canonical decomposition (NFD) without the characters of category Mn.
template <typename Point>
std::vector<Point> without_accents(const std::vector<Point>& points) {
  std::vector<Point> plain;
  plain.reserve(points.size() + 8);
  for (const Point& point : points) {
    const char32_t c = code_of(point);
    if (c < 0x80 || decomposes_only_lately(c)) {
      plain.push_back(point);
      continue;
    }
    utf8proc_int32_t parts[16];  // the longest canonical decomposition has four
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 16, UTF8PROC_DECOMPOSE, nullptr);
    if (count < 0 || count > 16) throw Error(ErrorKind::kInternal, "utf8proc could not decompose a code point");
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      plain.push_back(with_code(point, static_cast<char32_t>(parts[i])));
      if (i > 0) mark_inserted(plain.back());
    }
  }
  order_marks(plain);
  realign(points, plain);
  plain.erase(
      std::remove_if(plain.begin(), plain.end(),
                     [](const Point& point) { return code_of(point) >= 0x80 && is_nonspacing_mark(code_of(point)); }),
      plain.end());
  return plain;
}

void append_cased(char32_t c, bool lower, std::string& text) {
  if (!lower) return append_utf8(c, text);
  if (c == 0x130) {  // I with a dot above: the one character whose full lower case is two characters
    text += "i\xCC\x87";
    return;
  }
  append_utf8(lower_case(c), text);
}

template <typename Point>
Point make_point(char32_t c, TextSpan origin) {
  if constexpr (std::is_same_v<Point, TracedPoint>) {
    return {c, origin};
  } else {
    return c;
  }
}

// Everything but lower-casing, which can wait until the characters are written.
template <typename Point>
std::vector<Point> normalized_points(std::string_view text, const std::vector<TextSpan>& origin,
                                     const BertNormalizerOptions& options) {
  std::vector<Point> points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    char32_t c = next_code_point(text, i);
    if (options.clean_text) {
      if (is_bert_removed(c)) continue;
      if (is_bert_space(c)) c = U' ';
    }
    const TextSpan place = origin.empty() ? TextSpan{} : origin[begin];
    const bool spaced = options.handle_chinese_chars && is_bert_chinese(c);
    if (spaced) points.push_back(make_point<Point>(U' ', place));
    points.push_back(make_point<Point>(c, place));
    if (spaced) points.push_back(make_point<Point>(U' ', place));
  }
  if (options.strip_accents.value_or(options.lowercase)) points = without_accents(points);
  return points;
}

}  // namespace

BertNormalizer::BertNormalizer(const BertNormalizerOptions& options) : options_(options) {
  for (std::size_t i = 0; i < ascii_.size(); ++i) {
    auto c = static_cast<char>(i);
    if (options_.clean_text) {
      if (c == '\t' || c == '\n' || c == '\r') c = ' ';
      is_removed_[i] = c < ' ' || c == 0x7F;
    }
    if (options_.lowercase && c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    ascii_[i] = c;
  }
}

std::string BertNormalizer::normalize(std::string_view text) const {
  std::string plain;
  normalize(text, plain);
  return plain;
}

void BertNormalizer::normalize(std::string_view text, std::string& result) const {
  if (!is_ascii(text)) {
    result.clear();
    result.reserve(text.size() + 8);
    for (const char32_t c : normalized_points<char32_t>(text, {}, options_)) {
      append_cased(c, options_.lowercase, result);
    }
    return;
  }
  result.resize(text.size());
  std::size_t size = 0;
  for (const char c : text) {
    const auto i = static_cast<unsigned char>(c);
    result[size] = ascii_[i];
    size += is_removed_[i] ? 0 : 1;
  }
  result.resize(size);
}

AlignedText BertNormalizer::normalize_aligned(AlignedText text) const {
  if (text.origin.empty()) return {normalize(text.text), {}, text.at_start};
  AlignedText aligned;
  aligned.at_start = text.at_start;
  aligned.text.reserve(text.text.size() + 8);
  aligned.origin.reserve(text.text.size() + 8);
  for (const TracedPoint& point : normalized_points<TracedPoint>(text.text, text.origin, options_)) {
    append_cased(point.c, options_.lowercase, aligned.text);
    aligned.origin.resize(aligned.text.size(), point.origin);
  }
  return aligned;
}

}  // namespace transformeter
