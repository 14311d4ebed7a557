// read_tokenizer_json: the quick way, and the event parser for whatever it does not take.
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "tokenizers/tokenizer_json.h"

namespace transformeter {
namespace {

// Builds the tree, and diverts the members of the object model.vocab and of the array model.merges. The names of the
// events are the library's.
class Reader : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(std::size_t file_size) : size_(file_size) { result_.words.reserve(file_size); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (!in_vocabulary_ || value >= kTokenIdLimit) return add(value);
    result_.vocabulary.back().id = static_cast<std::int32_t>(value);
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return in_merges_ ? add_merge_text(value) : add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON text has none

  bool start_object(std::size_t) override {
    if (!in_vocabulary_ && !in_merges_ && open_.size() == 2 && model_is_open_ && key_ == "vocab") {
      in_vocabulary_ = true;
      return true;
    }
    return open(Json::object());
  }
  bool end_object() override {
    if (!in_vocabulary_) return close();
    in_vocabulary_ = false;
    return true;
  }
  bool start_array(std::size_t) override {
    if (in_merges_ && !in_pair_) {
      in_pair_ = true;
      pair_.clear();
      return true;
    }
    if (!in_vocabulary_ && !in_merges_ && open_.size() == 2 && model_is_open_ && key_ == "merges") {
      in_merges_ = true;
      return true;
    }
    return open(Json::array());
  }
  bool end_array() override {
    if (in_pair_) {
      in_pair_ = false;
      if (pair_.size() != 2) return refuse_merge(fmt::format("an array of {}", pair_.size()));
      result_.merges.push_back({pair_[0], pair_[1]});
      return true;
    }
    if (in_merges_) {
      in_merges_ = false;
      return true;
    }
    return close();
  }

  bool key(string_t& name) override {
    if (in_vocabulary_) {
      result_.vocabulary.push_back({result_.append(name), -1});
      return true;
    }
    if (open_.size() == 1) model_is_open_ = name == "model";
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    failure_ =
        fmt::format("not valid JSON (at byte {}): {}", position, json_fault(error)) + json_end_hint(position, size_);
    return false;
  }

  const std::string& failure() const { return failure_; }
  TokenizerJson take() { return std::move(result_); }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      result_.rest = std::move(value);
      return &result_.rest;
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool add_merge_text(const std::string& text) {
    if (in_pair_) {
      pair_.push_back(result_.append(text));
      return true;
    }
    return result_.add_merge(text) || refuse_merge(fmt::format("'{}'", text));
  }
  bool refuse_merge(const std::string& what) {
    failure_ =
        fmt::format("model.merges[{}] is {}, not two tokens: \"a b\" or [\"a\", \"b\"]", result_.merges.size(), what);
    return false;
  }
  bool add(Json value) {
    if (in_merges_) return refuse_merge(canonical_json(value));
    if (in_vocabulary_) {
      failure_ = fmt::format("model.vocab: the id of '{}' is {}, not an integer from 0 to {}", last_word(),
                             canonical_json(value), kTokenIdLimit - 1);
      return false;
    }
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (in_vocabulary_ || in_merges_) return add(std::move(value));
    if (open_.size() >= kMaxJsonDepth) {
      failure_ = fmt::format("nested deeper than {} arrays and objects", kMaxJsonDepth);
      return false;
    }
    // A pointer into an array stays good: nothing is pushed to it while the element is open.
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  std::string last_word() const { return std::string(result_.view(result_.vocabulary.back().text)); }

  std::size_t size_;  // of the text, in bytes
  TokenizerJson result_;
  std::vector<Json*> open_;
  std::string key_;
  std::string failure_;
  bool model_is_open_ = false;
  bool in_vocabulary_ = false;
  bool in_merges_ = false;
  bool in_pair_ = false;                   // an array in the array of merges
  std::vector<TokenizerJson::Text> pair_;  // its texts
};

}  // namespace

TokenizerJson::Text TokenizerJson::append(std::string_view text) {
  words += text;
  return {words.size() - text.size(), text.size()};
}

bool TokenizerJson::add_merge(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const bool is_pair = blank != std::string_view::npos && text.find(' ', blank + 1) == std::string_view::npos;
  if (!is_pair || blank == 0 || blank + 1 == text.size()) return false;
  const Text left = append(text.substr(0, blank));
  merges.push_back({left, append(text.substr(blank + 1))});
  return true;
}

TokenizerJson parse_tokenizer_json(const std::string& what, std::string_view text) {
  if (auto plain = read_plain_tokenizer_json(text)) return std::move(*plain);
  Reader reader(text.size());
  if (!Json::sax_parse(text, &reader)) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: {}", what, reader.failure()));
  }
  return reader.take();
}

TokenizerJson parse_vocabulary_json(const std::string& what, std::string_view text) {
  if (auto plain = read_plain_vocabulary(text)) return std::move(*plain);
  const Json json = parse_json(what, text);
  if (!json.is_object()) throw Error(ErrorKind::kBadInput, what + ": the file must contain a JSON object");
  TokenizerJson result;
  for (const auto& [token, id] : json.items()) {
    result.vocabulary.push_back({result.append(token), token_id(id, fmt::format("{}: '{}'", what, token))});
  }
  return result;
}

TokenizerJson read_tokenizer_json(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_tokenizer_json(path.string(), file.bytes());
}

}  // namespace transformeter
