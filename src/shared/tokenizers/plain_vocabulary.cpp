// A scanner for the vocabulary and the merges, which make up most of a tokenizer.json.
#include <vector>

#include "base/text.h"
#include "tokenizers/tokenizer_config.h"
#include "tokenizers/tokenizer_json.h"

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
  // True when only white space is left.
  bool ends() {
    skip_space();
    return at_end();
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

// What stands between the vocabulary and the merges, and around them.
struct Place {
  std::size_t begin = 0;  // behind the opening bracket
  std::size_t end = 0;    // before the closing one
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

// Moves behind the opening bracket of the next member "merges" of the model; false when it has none behind its
// vocabulary.
bool find_merges(Scanner& scanner) {
  int depth = 1;  // within the model
  while (!scanner.at_end() && depth > 0) {
    const char c = scanner.take();
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    std::string text;
    if (!scanner.append_string(text)) return false;
    if (depth == 1 && text == "merges" && scanner.accept(':')) return scanner.accept('[');
  }
  return false;
}

// A string into the words of the result.
bool read_text(Scanner& scanner, TokenizerJson& result, TokenizerJson::Text& text) {
  if (!scanner.accept('"')) return false;
  text.offset = result.words.size();
  if (!scanner.append_string(result.words)) return false;
  text.size = result.words.size() - text.offset;
  return true;
}

bool read_members(Scanner& scanner, TokenizerJson& result) {
  do {
    TokenizerJson::Word word;
    if (!read_text(scanner, result, word.text) || !scanner.accept(':') || !scanner.read_id(word.id)) return false;
    result.vocabulary.push_back(word);
  } while (scanner.accept(','));
  return scanner.accept('}');
}

bool read_merges(Scanner& scanner, TokenizerJson& result) {
  std::string text;
  do {
    if (scanner.accept('[')) {
      TokenizerJson::Merge merge;
      if (!read_text(scanner, result, merge.left) || !scanner.accept(',')) return false;
      if (!read_text(scanner, result, merge.right) || !scanner.accept(']')) return false;
      result.merges.push_back(merge);
    } else {
      text.clear();
      if (!scanner.accept('"') || !scanner.append_string(text) || !result.add_merge(text)) return false;
    }
  } while (scanner.accept(','));
  return scanner.accept(']');
}

// The text without the bytes of the places, which are in order.
std::string without(std::string_view text, const std::vector<Place>& places) {
  std::string rest;
  std::size_t done = 0;
  for (const Place& place : places) {
    rest += text.substr(done, place.begin - done);
    done = place.end;
  }
  rest += text.substr(done);
  return rest;
}

}  // namespace

std::optional<TokenizerJson> read_plain_tokenizer_json(std::string_view text) {
  Scanner scanner(text);
  if (!find_vocabulary(scanner)) return std::nullopt;
  std::vector<Place> places;
  const std::size_t vocabulary = scanner.position();
  TokenizerJson result;
  result.words.reserve(text.size() - vocabulary);
  if (!read_members(scanner, result)) return std::nullopt;
  places.push_back({vocabulary, scanner.position() - 1});
  if (find_merges(scanner)) {
    const std::size_t merges = scanner.position();
    if (!read_merges(scanner, result)) return std::nullopt;
    places.push_back({merges, scanner.position() - 1});
  }
  if (first_invalid_utf8(result.words)) return std::nullopt;
  const std::string rest = without(text, places);
  result.rest = json_or_discarded(rest);
  if (result.rest.is_discarded()) return std::nullopt;
  // Merges before the vocabulary, or another value of that name, are left to the general way.
  const auto model = result.rest.find("model");
  if (model == result.rest.end() || !model->is_object()) return std::nullopt;
  if (const auto left = model->find("merges"); left != model->end() && !left->empty()) return std::nullopt;
  return result;
}

std::optional<TokenizerJson> read_plain_vocabulary(std::string_view text) {
  Scanner scanner(text);
  TokenizerJson result;
  result.words.reserve(text.size());
  if (!scanner.accept('{') || !read_members(scanner, result) || !scanner.ends()) return std::nullopt;
  if (first_invalid_utf8(result.words)) return std::nullopt;
  return result;
}

}  // namespace transformeter
