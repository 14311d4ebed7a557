// One pass from left to right.
#include "tokenizers/jinja_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace transformeter::jinja {
namespace {

using Kind = Token::Kind;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& where) : text_(text), where_(where) {
    if (text_.ends_with('\n')) text_.remove_suffix(1);  // Jinja2 drops one line end at the end
  }

  std::vector<Token> cut() {
    while (position_ < text_.size()) {
      const std::size_t open = find_open(position_);
      add_data(open);
      if (open >= text_.size()) break;
      cut_tag(open);
    }
    add(Kind::kEndOfTemplate, "");
    return std::move(tokens_);
  }

 private:
  Error bad(const std::string& message) const {
    return Error(ErrorKind::kBadInput, fmt::format("{}: line {}: {}", where_, line_, message));
  }
  void add(Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
  bool stands(std::string_view part, std::size_t at) const { return text_.substr(at).starts_with(part); }

  std::size_t find_open(std::size_t from) const {
    for (std::size_t i = from; i + 1 < text_.size(); ++i) {
      if (text_[i] == '{' && (text_[i + 1] == '{' || text_[i + 1] == '%' || text_[i + 1] == '#')) return i;
    }
    return text_.size();
  }

  void skip_to(std::size_t position) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
    position_ = position;
  }

  // The text before the tag at `open`, less what its "-" or lstrip_blocks takes away.
  void add_data(std::size_t open) {
    std::string_view data = text_.substr(position_, open - position_);
    const bool at_line_start = position_ == 0 || text_[position_ - 1] == '\n';
    if (strip_left_) {
      while (!data.empty() && is_space(data.front())) data.remove_prefix(1);
    }
    if (open < text_.size()) {
      const char mode = open + 2 < text_.size() ? text_[open + 2] : ' ';
      std::string_view stripped = data;
      while (!stripped.empty() && is_space(stripped.back()) && (mode == '-' || stripped.back() != '\n')) {
        stripped.remove_suffix(1);
      }
      const bool line_is_blank = stripped.empty() ? at_line_start : stripped.back() == '\n';
      if (mode == '-' || (mode != '+' && text_[open + 1] != '{' && line_is_blank)) data = stripped;
    }
    if (!data.empty()) add(Kind::kData, std::string(data));
    strip_left_ = false;
    skip_to(open);
  }

  void cut_tag(std::size_t open) {
    const char kind = text_[open + 1];
    skip_to(open + 2);
    if (kind == '#') {
      const std::size_t close = text_.find("#}", position_);
      if (close == std::string_view::npos) throw bad("the comment is not closed with '#}'");
      strip_left_ = close > position_ && text_[close - 1] == '-';
      skip_to(close + 2);
      if (stands("\n", position_)) skip_to(position_ + 1);
      return;
    }
    add(kind == '{' ? Kind::kBeginOutput : Kind::kBeginStatement, "");
    if (stands("-", position_) || stands("+", position_)) ++position_;
    const std::string close = kind == '{' ? "}}" : "%}";
    int depth = 0;  // of brackets: "}}" may also end two of them
    while (true) {
      while (position_ < text_.size() && is_space(text_[position_])) skip_to(position_ + 1);
      if (position_ >= text_.size()) throw bad(fmt::format("'{}' is missing", close));
      const bool strips = stands("-" + close, position_);
      if (depth == 0 && (strips || stands(close, position_))) {
        add(Kind::kEnd, "");
        skip_to(position_ + close.size() + (strips ? 1 : 0));
        strip_left_ = strips;
        if (kind == '%' && stands("\n", position_)) skip_to(position_ + 1);
        return;
      }
      cut_token(depth);
    }
  }

  void cut_token(int& depth) {
    const char c = text_[position_];
    std::size_t end = position_ + 1;
    if (c == '\'' || c == '"') return cut_string(c);
    if (is_name_character(c)) {
      while (end < text_.size() && is_name_character(text_[end])) ++end;
      const std::string_view word = text_.substr(position_, end - position_);
      const bool is_integer = is_digit(c);
      if (is_integer && (!std::all_of(word.begin(), word.end(), is_digit) || word.size() > 9 || stands(".", end))) {
        throw bad(fmt::format("'{}' is not a number of up to 9 digits", word));
      }
      add(is_integer ? Kind::kInteger : Kind::kName, std::string(word));
      position_ = end;
      return;
    }
    constexpr std::array<std::string_view, 21> kOperators = {"==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "%", "~",
                                                             "|",  "(",  ")",  "[",  "]", "{", "}", ",", ".", ":"};
    for (const std::string_view op : kOperators) {
      if (!stands(op, position_)) continue;
      depth += op == "(" || op == "[" || op == "{" ? 1 : op == ")" || op == "]" || op == "}" ? -1 : 0;
      add(Kind::kOperator, std::string(op));
      position_ += op.size();
      return;
    }
    throw bad(fmt::format("unexpected '{}'", c));
  }

  void cut_string(char quote) {
    std::string value;
    const int line = line_;
    std::size_t i = position_ + 1;
    for (; i < text_.size() && text_[i] != quote; ++i) {
      if (text_[i] != '\\') {
        value += text_[i];
        continue;
      }
      if (++i == text_.size()) break;
      const std::size_t known = std::string_view("nrt\\'\"").find(text_[i]);
      if (known == std::string_view::npos) throw bad(fmt::format("the escape '\\{}' is not supported", text_[i]));
      value += "\n\r\t\\'\""[known];
    }
    if (i >= text_.size()) throw bad("a string is not closed");
    skip_to(i + 1);
    tokens_.push_back({Kind::kString, std::move(value), line});
  }

  std::string_view text_;
  const std::string& where_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool strip_left_ = false;  // the last tag ended with a "-"
};

}  // namespace

std::vector<Token> cut_template(std::string_view text, const std::string& where) {
  return Lexer(text, where).cut();
}

}  // namespace transformeter::jinja
