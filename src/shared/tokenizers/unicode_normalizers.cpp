// utf8proc decomposes and composes single characters; order and blocking are done here, because Hugging Face needs to
// be told what became of each character, and by its library's combining classes.
#include "tokenizers/unicode_normalizers.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "tokenizers/bert_characters.h"
#include "tokenizers/character_ranges.h"
#include "tokenizers/text_characters.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

using Points = std::vector<CharacterChange>;

// Nothing in these ranges changes under NFC or composes with anything but a mark outside them.
constexpr CodePointRange kComposed[] = {{0x0000, 0x02FF}, {0x0388, 0x0482}, {0x048A, 0x052F}, {0x2010, 0x2027},
                                        {0x2030, 0x205E}, {0x3001, 0x3029}, {0x3030, 0x303F}, {0x3041, 0x3096},
                                        {0x309B, 0x30FF}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, {0xFF01, 0xFFEF}};

void decompose(char32_t c, bool compatible, Points& points) {
  utf8proc_int32_t parts[32];  // the longest decomposition has 18
  const int options = UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
  const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 32,
                                                         static_cast<utf8proc_option_t>(options), nullptr);
  if (count < 0 || count > 32) throw Error(ErrorKind::kInternal, "utf8proc could not decompose a code point");
  for (utf8proc_ssize_t i = 0; i < count; ++i) points.push_back({static_cast<char32_t>(parts[i]), i > 0 ? 1 : 0});
}

std::uint8_t class_of(const CharacterChange& point) {
  return bert_combining_class(point.character);
}

// Marks after a base stand in the order of their combining classes (Unicode canonical ordering).
void order_marks(Points& points) {
  for (auto begin = points.begin(); begin != points.end();) {
    const auto end =
        std::find_if(begin, points.end(), [](const CharacterChange& point) { return class_of(point) == 0; });
    std::stable_sort(begin, end, [](const auto& a, const auto& b) { return class_of(a) < class_of(b); });
    begin = end == points.end() ? end : std::next(end);
  }
}

std::optional<char32_t> composed(char32_t first, char32_t second) {
  if (second < 0x300) return std::nullopt;
  utf8proc_int32_t pair[] = {static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  if (utf8proc_normalize_utf32(pair, 2, options) != 1) return std::nullopt;
  const auto whole = static_cast<char32_t>(pair[0]);
  return decomposes_only_lately(whole) ? std::nullopt : std::optional(whole);
}

// Unicode's composition; a composed character stands for as many old ones as went into it.
Points compose(const Points& points) {
  Points made;
  made.reserve(points.size());
  std::optional<std::size_t> starter;  // place of the last base in `made`
  int last_class = -1;                 // of the last mark after it; -1: none
  for (const CharacterChange& point : points) {
    const int mark = class_of(point);
    if (starter && last_class < mark) {
      if (const auto whole = composed(made[*starter].character, point.character)) {
        made[*starter] = {*whole, made[*starter].change + point.change - 1};
        continue;
      }
    }
    if (mark == 0) {
      starter = made.size();
      last_class = -1;
    } else {
      last_class = mark;
    }
    made.push_back(point);
  }
  return made;
}

}  // namespace

bool UnicodeNormalizer::do_leaves(std::string_view text) const {
  if (is_ascii(text)) return true;
  if (form_ != NormalForm::kNfc) return false;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (c >= 0x300 && !within(kComposed, c)) return false;
  }
  return true;
}

CharacterNormalizer::Changes UnicodeNormalizer::do_changes(std::string_view text) const {
  const bool compatible = form_ == NormalForm::kNfkc || form_ == NormalForm::kNfkd;
  Points points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    const bool changes = c >= 0x80 && (compatible ? decomposes_compatibly(c) : !decomposes_only_lately(c));
    if (changes) {
      decompose(c, compatible, points);
    } else {
      points.push_back({c, 0});
    }
  }
  order_marks(points);
  if (form_ == NormalForm::kNfc || form_ == NormalForm::kNfkc) points = compose(points);
  return {std::move(points), 0};
}

CharacterNormalizer::Changes LowercaseNormalizer::do_changes(std::string_view text) const {
  Changes changes;
  changes.characters.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (c == 0x130) {  // I with a dot above: the one character whose full lower case is two characters
      changes.characters.insert(changes.characters.end(), {{U'i', 0}, {0x307, 1}});
    } else {
      changes.characters.push_back({lower_case(c), 0});
    }
  }
  return changes;
}

bool StripAccentsNormalizer::do_leaves(std::string_view text) const {
  return is_ascii(text);
}

CharacterNormalizer::Changes StripAccentsNormalizer::do_changes(std::string_view text) const {
  Changes changes;
  int dropped = 0;
  const auto end_dropped = [&] {
    if (changes.characters.empty()) {
      changes.left_out = static_cast<std::size_t>(dropped);
    } else {
      changes.characters.back().change = -dropped;
    }
    dropped = 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (is_combining_mark(c)) {
      ++dropped;
      continue;
    }
    end_dropped();
    changes.characters.push_back({c, 0});
  }
  return changes;
}

CharacterNormalizer::Changes StripNormalizer::do_changes(std::string_view text) const {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) points += next_code_point(text, i);
  std::size_t begin = 0;
  std::size_t end = points.size();
  while (left_ && begin < end && is_bert_space(points[begin])) ++begin;
  while (right_ && end > begin && is_bert_space(points[end - 1])) --end;
  Changes changes;
  changes.left_out = begin;
  for (std::size_t i = begin; i < end; ++i) changes.characters.push_back({points[i], 0});
  return changes;
}

}  // namespace transformeter
