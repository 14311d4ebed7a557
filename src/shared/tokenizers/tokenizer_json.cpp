// From the components tokenizer.json names to ours; whatever is not known is refused by name.
#include "tokenizers/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "tokenizers/join_added_tokens.h"
#include "tokenizers/make_fused_encoder.h"
#include "tokenizers/make_model.h"
#include "tokenizers/post_processor.h"
#include "tokenizers/tokenizer_class.h"

namespace transformeter {
namespace {

// Builds the parts of one file; `where_` names it in errors.
class Builder {
 public:
  Builder(TokenizerJson file, std::string where) : file_(std::move(file)), where_(std::move(where)) {}

  TokenizerParts build(const TokenizerConfig& config) {
    if (!file_.rest.is_object()) throw bad("the file must contain a JSON object");
    const TokenizerClass chosen = tokenizer_class_of(config, has_byte_level());
    check_tokenizer_class(chosen, where_);
    name_model();
    apply_tokenizer_class(chosen, config, where_, file_.rest);
    if (const Json* json = component("normalizer")) {
      parts_.normalizer = make_normalizer(*json, where_ + ": normalizer");
    }
    if (const Json* json = component("pre_tokenizer")) {
      parts_.pre_tokenizer = make_pre_tokenizer(*json, where_ + ": pre_tokenizer");
    }
    if (const Json* json = component("decoder")) parts_.decoder = make_decoder(*json, where_ + ": decoder");
    parts_.model = make_model(file_, where_);
    read_added_tokens();
    const TokenizerConfig named = join_tokens(config, chosen);
    TokenizerTraits& traits = parts_.traits;
    traits.truncation_side = config.truncation_side.value_or(side_of_file());
    traits.has_token_types = chosen.has_token_types;
    traits.max_length = config.model_max_length;
    traits.special = find_special_tokens(named, where_, [&](const std::string& token) { return find(token); });
    arrange(chosen, named);
    parts_.fused = make_fused_encoder(parts_);
    return std::move(parts_);
  }

 private:
  Error bad(const std::string& message) const {
    return Error(ErrorKind::kBadInput, fmt::format("{}: {}", where_, message));
  }

  const Json* component(const char* name) const {
    const auto found = file_.rest.find(name);
    return found == file_.rest.end() || found->is_null() ? nullptr : &*found;
  }

  void read_added_tokens() {
    const Json* found = component("added_tokens");
    if (found == nullptr) return;
    if (!found->is_array()) throw bad("'added_tokens' must be an array");
    for (const Json& object : *found) {
      AddedToken token = added_token(object, where_ + ": added_tokens");
      const auto id = object.find("id");
      token.id =
          token_id(id == object.end() ? Json() : *id, fmt::format("{}: added token '{}'", where_, token.content));
      parts_.added_tokens.push_back(std::move(token));
    }
    check_added_tokens(parts_.added_tokens, parts_.model->vocabulary(), where_);
  }

  // Files of the first versions do not say what kind the model is; Hugging Face takes the first that its members fit.
  void name_model() {
    const auto model = file_.rest.find("model");
    if (model == file_.rest.end() || !model->is_object() || model->contains("type")) return;
    const bool is_word_piece =
        model->contains("continuing_subword_prefix") && model->contains("max_input_chars_per_word");
    const bool is_scored = model->contains("vocab") && (*model)["vocab"].is_array();
    const char* other = is_word_piece ? "WordPiece" : is_scored ? "Unigram" : "WordLevel";
    (*model)["type"] = file_.merges.empty() ? other : "BPE";
  }

  bool has_byte_level() const {
    for (const char* name : {"normalizer", "pre_tokenizer", "decoder", "post_processor"}) {
      const Json* json = component(name);
      if (json != nullptr && json->dump().find("\"ByteLevel\"") != std::string::npos) return true;
    }
    return false;
  }

  // Puts what tokenizer_config.json lists and names into the added tokens; the names, with those of the class.
  TokenizerConfig join_tokens(const TokenizerConfig& config, const TokenizerClass& chosen) {
    std::vector<AddedToken> listed = config.added_tokens;
    if (!config.lists_added_tokens) {
      std::set<std::int32_t> own;
      for (const AddedToken& token : parts_.added_tokens) own.insert(token.id);
      const auto is_own = [&](const AddedToken& token) { return own.count(token.id) > 0; };
      listed.erase(std::remove_if(listed.begin(), listed.end(), is_own), listed.end());
      listed.insert(listed.end(), parts_.added_tokens.begin(), parts_.added_tokens.end());
      std::sort(listed.begin(), listed.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
    }
    TokenizerConfig named = with_class_tokens(config, chosen.kind, [&](const std::string& token) {
      return find_token(token, listed, parts_.model->vocabulary()).has_value();
    });
    // A name that is given must be of the vocabulary: a new token would have an id that the model does not know.
    find_special_tokens(named, where_, [&](const std::string& token) {
      const auto id = find(token);
      return id ? id : find_token(token, listed, parts_.model->vocabulary());
    });
    const bool keeps = chosen.kind == TokenizerClass::Kind::kFile;
    parts_.added_tokens = join_added_tokens(named, chosen.kind, listed,
                                            keeps ? std::move(parts_.added_tokens) : std::vector<AddedToken>(),
                                            parts_.model->vocabulary());
    check_added_tokens(parts_.added_tokens, parts_.model->vocabulary(), where_ + " and the files beside it");
    return named;
  }

  Side side_of_file() const {
    const Json* truncation = component("truncation");
    if (truncation == nullptr) return Side::kRight;
    const Json side = truncation->is_object() ? truncation->value("direction", Json("Right")) : Json();
    if (side != "Left" && side != "Right") {
      throw bad_value(where_ + ": truncation", canonical_json(*truncation), "an object with direction Left or Right");
    }
    return side == "Left" ? Side::kLeft : Side::kRight;
  }

  void arrange(const TokenizerClass& chosen, const TokenizerConfig& named) {
    TokenizerTraits& traits = parts_.traits;
    PostProcessing post;
    const Json* json = component("post_processor");
    if (auto of_class = class_arrangement(chosen, named, traits.special, where_, json == nullptr)) {
      post.arrangement = std::move(*of_class);
      post.offset_trim = class_offset_trim(chosen.kind, named);
    } else if (json != nullptr) {
      post = make_post_processing(*json, where_ + ": post_processor");
    }
    traits.arrangement =
        chosen.has_token_types ? std::move(post.arrangement) : without_types(std::move(post.arrangement));
    traits.offset_trim = post.offset_trim;
    check_arrangement();
  }

  std::optional<std::int32_t> find(const std::string& token) const {
    return find_token(token, parts_.added_tokens, parts_.model->vocabulary());
  }
  bool has_token(std::int32_t id) const {
    if (!parts_.model->vocabulary().token(id).empty()) return true;
    return std::any_of(parts_.added_tokens.begin(), parts_.added_tokens.end(),
                       [&](const AddedToken& token) { return token.id == id; });
  }
  void check_arrangement() const {
    for (const auto* list : {&parts_.traits.arrangement.single, &parts_.traits.arrangement.pair}) {
      for (const ArrangementPart& part : *list) {
        if (part.kind == ArrangementPart::Kind::kSpecial && !has_token(part.id)) {
          throw bad(fmt::format("post_processor: the vocabulary has no token with id {}", part.id));
        }
      }
    }
  }

  TokenizerParts parts_;
  TokenizerJson file_;
  std::string where_;
};

}  // namespace

TokenizerParts parts_from_json(const std::filesystem::path& path, const TokenizerConfig& config) {
  return Builder(read_tokenizer_json(path), path.string()).build(config);
}

}  // namespace transformeter
