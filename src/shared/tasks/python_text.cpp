// Categories and simple mappings by utf8proc; the two exceptions of lower case (SpecialCasing.txt) here.
#include "tasks/python_text.h"

#include <utf8proc.h>

#include <array>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr CodePoint kCapitalSigma = 0x3A3;
constexpr CodePoint kFinalSigma = 0x3C2;
constexpr CodePoint kSmallSigma = 0x3C3;
constexpr CodePoint kCapitalDottedI = 0x130;
constexpr CodePoint kCombiningDotAbove = 0x307;

utf8proc_category_t category_of(CodePoint c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_cased(CodePoint c) {
  const utf8proc_category_t category = category_of(c);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT;
}

// What stands between a sigma and the letter that decides its form: marks, modifiers, apostrophes and mid-word points.
bool is_case_ignorable(CodePoint c) {
  switch (category_of(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      constexpr std::u32string_view kInsideWords =
          U"'.:\u00B7\u0387\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E";
      return kInsideWords.find(c) != std::u32string_view::npos;
  }
}

// A sigma is final behind a letter when no letter follows (Unicode, Final_Sigma).
bool is_final_sigma(std::u32string_view text, std::size_t position) {
  std::size_t before = position;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = position + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    utf8proc_int32_t point = 0;
    const auto length = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(text.size() - i), &point);
    if (length <= 0) throw Error(ErrorKind::kBadInput, "an answer is not valid UTF-8");
    points.push_back(static_cast<CodePoint>(point));
    i += static_cast<std::size_t>(length);
  }
  return points;
}

std::string encode_utf8(std::u32string_view text) {
  std::string bytes;
  std::array<utf8proc_uint8_t, 4> buffer{};
  for (const CodePoint c : text) {
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), buffer.data());
    bytes.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(length));
  }
  return bytes;
}

std::u32string python_lower(std::u32string_view text) {
  std::u32string lower;
  lower.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const CodePoint c = text[i];
    if (c == kCapitalDottedI) {
      lower += {U'i', kCombiningDotAbove};
    } else if (c == kCapitalSigma) {
      lower += is_final_sigma(text, i) ? kFinalSigma : kSmallSigma;
    } else {
      lower += static_cast<CodePoint>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    }
  }
  return lower;
}

bool is_python_space(CodePoint c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_python_word(CodePoint c) {
  if (c == U'_') return true;
  switch (category_of(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

bool is_python_punctuation(CodePoint c) {
  return (c > 0x20 && c < 0x7F && !is_python_word(c)) || c == U'_';
}

}  // namespace transformeter
