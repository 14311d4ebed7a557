// From the components tokenizer.json names to ours; whatever is not known is refused by name.
#include "text/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

using Kind = ArrangementPart::Kind;

// Builds the parts of one file; `where_` names it in errors.
class Builder {
 public:
  Builder(TokenizerJson file, std::string where)
      : rest_(std::move(file.rest)), words_(std::move(file.vocabulary)), where_(std::move(where)) {
    parts_->bytes = std::move(file.words);
  }

  std::unique_ptr<const BertParts> build(const TokenizerConfig& config) {
    if (!rest_.is_object()) throw bad("the file must hold a JSON object");
    read_model();
    read_normalizer();
    component("pre_tokenizer", {"BertPreTokenizer"});
    read_added_tokens();
    read_post_processor();
    read_special_tokens(config);
    return std::move(parts_);
  }

 private:
  Error bad(const std::string& message) const {
    return Error(ErrorKind::kBadInput, fmt::format("{}: {}", where_, message));
  }

  // The component's object, its type being one of `allowed`.
  const Json& component(const char* name, const std::vector<std::string>& allowed) const {
    const auto found = rest_.find(name);
    if (found == rest_.end() || found->is_null()) {
      throw bad(fmt::format("'{}' is missing; allowed: {}", name, fmt::join(allowed, ", ")));
    }
    if (!found->is_object()) throw bad(fmt::format("'{}' must be an object", name));
    const std::string type = optional_string(*found, "type", where_ + ": " + name).value_or("");
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
      throw unknown_value(fmt::format("{}: {} type", where_, name), type, allowed);
    }
    return *found;
  }

  void read_model() {
    const Json& model = component("model", {"WordPiece"});
    const std::string where = where_ + ": model";
    WordPieceOptions& wordpiece = parts_->wordpiece;
    wordpiece.continuing_subword_prefix =
        optional_string(model, "continuing_subword_prefix", where).value_or(wordpiece.continuing_subword_prefix);
    if (const auto found = model.find("max_input_chars_per_word"); found != model.end()) {
      wordpiece.max_input_chars_per_word = token_id(*found, where + ": max_input_chars_per_word");
    }
    const std::string_view bytes = std::get<std::string>(parts_->bytes);
    parts_->vocabulary = Vocabulary(words_.size());
    for (const TokenizerJson::Word& word : words_) {
      const std::string_view text = bytes.substr(word.offset, word.size);
      if (!parts_->vocabulary.insert(text, word.id))
        throw bad(fmt::format("model.vocab: '{}' stands there twice", text));
    }
    const std::string unk = optional_string(model, "unk_token", where).value_or("[UNK]");
    parts_->special.unk = parts_->vocabulary.find(unk);
    if (!parts_->special.unk) throw bad(fmt::format("model.vocab lacks the unknown token '{}'", unk));
  }

  void read_normalizer() {
    const Json& json = component("normalizer", {"BertNormalizer"});
    const std::string where = where_ + ": normalizer";
    BertNormalizerOptions& options = parts_->normalizer;
    options.clean_text = optional_bool(json, "clean_text", where).value_or(true);
    options.handle_chinese_chars = optional_bool(json, "handle_chinese_chars", where).value_or(true);
    options.strip_accents = optional_bool(json, "strip_accents", where);
    options.lowercase = optional_bool(json, "lowercase", where).value_or(true);
  }

  void read_added_tokens() {
    const auto found = rest_.find("added_tokens");
    if (found == rest_.end() || found->is_null()) return;
    if (!found->is_array()) throw bad("'added_tokens' must be an array");
    for (const Json& object : *found) {
      AddedToken token = added_token(object, where_ + ": added_tokens");
      const auto id = object.find("id");
      token.id =
          token_id(id == object.end() ? Json() : *id, fmt::format("{}: added token '{}'", where_, token.content));
      const auto known = parts_->vocabulary.find(token.content);
      if (known && *known != token.id) {
        throw bad(fmt::format("added token '{}' has id {}, but {} in model.vocab", token.content, token.id, *known));
      }
      parts_->added_tokens.push_back(std::move(token));
    }
    for (const AddedToken& token : parts_->added_tokens) {
      if (!parts_->vocabulary.find(token.content)) parts_->beyond_model.insert(token.content, token.id);
    }
  }

  void read_post_processor() {
    const auto found = rest_.find("post_processor");
    if (found == rest_.end() || found->is_null()) {
      parts_->arrangement = {{{Kind::kFirstText, 0, 0}}, {{Kind::kFirstText, 0, 0}, {Kind::kSecondText, 0, 1}}};
      return;
    }
    const Json& processor = component("post_processor", {"TemplateProcessing", "BertProcessing"});
    if (processor["type"] == "BertProcessing") {
      parts_->arrangement = bert_arrangement(id_of_pair(processor, "cls"), id_of_pair(processor, "sep"));
      return;
    }
    parts_->arrangement.single = read_template(processor, "single", {"A"});
    parts_->arrangement.pair = read_template(processor, "pair", {"A", "B"});
  }

  // BertProcessing writes a special token as ["[CLS]", 101].
  std::int32_t id_of_pair(const Json& processor, const char* key) const {
    const auto found = processor.find(key);
    if (found == processor.end() || !found->is_array() || found->size() != 2) {
      throw bad(fmt::format("post_processor: '{}' must be an array of a token and its id", key));
    }
    return token_id((*found)[1], fmt::format("{}: post_processor: {}", where_, key));
  }

  std::vector<ArrangementPart> read_template(const Json& processor, const char* key,
                                             const std::vector<std::string>& sequences) const {
    const auto found = processor.find(key);
    if (found == processor.end() || !found->is_array()) {
      throw bad(fmt::format("post_processor: '{}' must be an array", key));
    }
    std::vector<ArrangementPart> parts;
    std::vector<std::string> seen;
    for (const Json& piece : *found) read_piece(processor, piece, parts, seen);
    std::sort(seen.begin(), seen.end());
    if (seen != sequences) {
      throw bad(fmt::format("post_processor: '{}' must hold each of the sequences {} once", key,
                            fmt::join(sequences, " and ")));
    }
    return parts;
  }

  // One piece of a template: {"SpecialToken": {"id", "type_id"}} or {"Sequence": {"id", "type_id"}}.
  void read_piece(const Json& processor, const Json& piece, std::vector<ArrangementPart>& parts,
                  std::vector<std::string>& sequences) const {
    const std::string where = where_ + ": post_processor";
    const bool is_sequence = piece.is_object() && piece.contains("Sequence");
    const bool is_special = piece.is_object() && piece.contains("SpecialToken");
    if (is_sequence == is_special) throw bad("post_processor: a piece must be a SpecialToken or a Sequence");
    const Json& body = piece[is_sequence ? "Sequence" : "SpecialToken"];
    if (!body.is_object()) throw bad("post_processor: a piece must hold an object");
    const std::string id = optional_string(body, "id", where).value_or("");
    const std::int32_t type_id = token_id(body.value("type_id", Json()), where + ": type_id");
    if (is_sequence) {
      if (id != "A" && id != "B") throw unknown_value(where + ": sequence", id, {"A", "B"});
      sequences.push_back(id);
      parts.push_back({id == "A" ? Kind::kFirstText : Kind::kSecondText, 0, type_id});
      return;
    }
    const Json* ids = nullptr;
    if (const auto specials = processor.find("special_tokens"); specials != processor.end() && specials->is_object()) {
      const auto special = specials->find(id);
      if (special != specials->end() && special->is_object() && special->contains("ids")) ids = &(*special)["ids"];
    }
    if (ids == nullptr || !ids->is_array()) throw bad(fmt::format("post_processor: special token '{}' has no ids", id));
    for (const Json& value : *ids) parts.push_back({Kind::kSpecial, token_id(value, where + ": " + id), type_id});
  }

  std::optional<std::int32_t> find(const std::string& token) const {
    const auto id = parts_->vocabulary.find(token);
    return id ? id : parts_->beyond_model.find(token);
  }
  std::int32_t require(const std::string& token) const {
    const auto id = find(token);
    if (!id) throw bad(fmt::format("the vocabulary lacks the special token '{}'", token));
    return *id;
  }
  void read_special_tokens(const TokenizerConfig& config) {
    parts_->special.pad = require(config.pad_token);
    parts_->special.cls = require(config.cls_token);
    parts_->special.sep = require(config.sep_token);
    parts_->special.mask = find(config.mask_token);
    const std::int64_t size = std::max(parts_->vocabulary.size(), parts_->beyond_model.size());
    for (const auto* parts : {&parts_->arrangement.single, &parts_->arrangement.pair}) {
      for (const ArrangementPart& part : *parts) {
        if (part.id >= size) throw bad(fmt::format("post_processor: id {} is beyond the {} tokens", part.id, size));
      }
    }
  }

  std::unique_ptr<BertParts> parts_ = std::make_unique<BertParts>();
  Json rest_;
  std::vector<TokenizerJson::Word> words_;
  std::string where_;
};

}  // namespace

std::unique_ptr<const BertParts> bert_parts_from_json(const std::filesystem::path& path,
                                                      const TokenizerConfig& config) {
  return Builder(read_tokenizer_json(path), path.string()).build(config);
}

}  // namespace transformeter
