// Compiled by the JIT where the machine has one; a text that overflows its stack is matched again without.
#include "tokenizers/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

std::string message_of(int code) {
  PCRE2_UCHAR buffer[256];
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return reinterpret_cast<const char*>(buffer);
}

// What Oniguruma reads in another way than PCRE2, and no published tokenizer uses.
void check_syntax(const std::string& pattern, const std::string& where) {
  for (const char* construct : {"\\h", "\\H", "(?m", "(?-m", "(*"}) {
    if (pattern.find(construct) == std::string::npos) continue;
    throw bad_value(where + ": pattern", pattern, fmt::format("a pattern without {}", construct),
                    "Hugging Face's library and PCRE2 interpret it differently.");
  }
}

struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  std::string pattern;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }

  // The first match from `begin` on.
  std::optional<TextSpan> find(std::string_view text, std::size_t begin, pcre2_match_data* data) const {
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    int count = pcre2_match(code, subject, text.size(), begin, PCRE2_NO_UTF_CHECK, data, nullptr);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) {
      count = pcre2_match(code, subject, text.size(), begin, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, nullptr);
    }
    if (count == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (count < 0) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("cannot match the pattern '{}' in a text of {} bytes from byte {}: {}", pattern,
                              text.size(), begin, message_of(count)));
    }
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data);
    return TextSpan{offsets[0], offsets[1]};
  }
};

Regex::Regex(const std::string& pattern, const std::string& where) : compiled_(std::make_unique<Compiled>()) {
  check_syntax(pattern, where);
  int code = 0;
  PCRE2_SIZE place = 0;
  compiled_->pattern = pattern;
  // Ruby's syntax, which Oniguruma defaults to: ^ and $ hold at every line.
  const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  compiled_->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options, &code, &place, nullptr);
  if (compiled_->code == nullptr) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: invalid pattern '{}' at byte {}: {}", where, pattern, place, message_of(code)));
  }
  pcre2_jit_compile(compiled_->code, PCRE2_JIT_COMPLETE);  // without a JIT matching is slower, not wrong
}

Regex Regex::literal(std::string_view text, const std::string& where) {
  std::string pattern;
  for (const char c : text) {
    const bool plain = (static_cast<unsigned char>(c) & 0x80) != 0 || (c >= '0' && c <= '9') ||
                       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain) pattern += '\\';
    pattern += c;
  }
  return Regex(pattern, where);
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

std::vector<TextSpan> Regex::find_all(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, FreeMatchData> data(pcre2_match_data_create(1, nullptr));
  std::vector<TextSpan> matches;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto match = compiled_->find(text, begin, data.get());
    if (!match) break;
    const bool empty = match->begin >= match->end;
    if (empty && !matches.empty() && matches.back().end == match->begin) {  // an empty match right behind another
      if (match->begin >= text.size()) break;
      begin = match->begin + character_size(text, match->begin);
      continue;
    }
    matches.push_back({match->begin, std::max(match->begin, match->end)});
    begin = matches.back().end;
  }
  return matches;
}

}  // namespace transformeter
