// A scanner for the one object that makes up most of a tokenizer.json.
#include <algorithm>

#include "base/text.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_json.h"

namespace transformeter {
namespace {

// Reads JSON text from left to right; every step says whether the text went on as expected.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t position() const { return position_; }
  bool at_end() const { return position_ >= text_.size(); }
  char take() { return text_[position_++]; }

  bool accept(char wanted) {
    skip_space();
    if (at_end() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  // Behind the opening quote: appends the string, of the escapes only \" and \\ being plain.
  bool append_string(std::string& value) {
    while (!at_end()) {
      const char c = take();
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        value += c;
        continue;
      }
      if (at_end()) return false;
      const char escaped = take();
      if (escaped != '"' && escaped != '\\') return false;
      value += escaped;
    }
    return false;
  }
  // An integer of at most seven digits below the limit of token ids.
  bool read_id(std::int32_t& id) {
    skip_space();
    const std::size_t begin = position_;
    id = 0;
    while (!at_end() && text_[position_] >= '0' && text_[position_] <= '9' && position_ - begin < 7) {
      id = id * 10 + (take() - '0');
    }
    const std::size_t digits = position_ - begin;
    return digits > 0 && (digits == 1 || text_[begin] != '0') && id < kTokenIdLimit;
  }

 private:
  void skip_space() {
    while (!at_end() && (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t' ||
                         text_[position_] == '\r')) {
      ++position_;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

// Moves behind the opening brace of model.vocab.
bool find_vocabulary(Scanner& scanner) {
  int depth = 0;
  bool in_model = false;
  while (!scanner.at_end()) {
    const char c = scanner.take();
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    std::string text;
    if (!scanner.append_string(text)) return false;
    if (!scanner.accept(':')) continue;
    if (depth == 1) in_model = text == "model";
    if (depth == 2 && in_model && text == "vocab") return scanner.accept('{');
  }
  return false;
}

bool read_members(Scanner& scanner, TokenizerJson& result) {
  do {
    if (!scanner.accept('"')) return false;
    TokenizerJson::Word word;
    word.text.offset = result.words.size();
    if (!scanner.append_string(result.words) || !scanner.accept(':') || !scanner.read_id(word.id)) return false;
    word.text.size = result.words.size() - word.text.offset;
    result.vocabulary.push_back(word);
  } while (scanner.accept(','));
  return scanner.accept('}');
}

}  // namespace

std::optional<TokenizerJson> read_plain_tokenizer_json(std::string_view text) {
  Scanner scanner(text);
  if (!find_vocabulary(scanner)) return std::nullopt;
  const std::size_t begin = scanner.position();
  TokenizerJson result;
  result.words.reserve(text.size() - begin);
  result.vocabulary.reserve(
      static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), ':')));
  if (!read_members(scanner, result) || first_invalid_utf8(result.words)) return std::nullopt;
  // The rest is the text with an empty object in this place.
  std::string rest(text.substr(0, begin));
  rest += text.substr(scanner.position() - 1);
  if (json_depth(rest) > kMaxJsonDepth) return std::nullopt;
  result.rest = Json::parse(rest, nullptr, false);
  if (result.rest.is_discarded()) return std::nullopt;
  return result;
}

}  // namespace transformeter
