// From the components tokenizer.json names to ours; whatever is not known is refused by name.
#include "tokenizers/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "tokenizers/make_fused_encoder.h"
#include "tokenizers/make_model.h"
#include "tokenizers/post_processor.h"

namespace transformeter {
namespace {

// Builds the parts of one file; `where_` names it in errors.
class Builder {
 public:
  Builder(TokenizerJson file, std::string where) : file_(std::move(file)), where_(std::move(where)) {}

  TokenizerParts build(const TokenizerConfig& config) {
    if (!file_.rest.is_object()) throw bad("the file must contain a JSON object");
    if (const Json* json = component("normalizer")) {
      parts_.normalizer = make_normalizer(*json, where_ + ": normalizer");
    }
    if (const Json* json = component("pre_tokenizer")) {
      parts_.pre_tokenizer = make_pre_tokenizer(*json, where_ + ": pre_tokenizer");
    }
    if (const Json* json = component("decoder")) parts_.decoder = make_decoder(*json, where_ + ": decoder");
    PostProcessing post;
    if (const Json* json = component("post_processor")) post = make_post_processing(*json, where_ + ": post_processor");
    parts_.model = make_model(file_, where_);
    read_added_tokens();
    TokenizerTraits& traits = parts_.traits;
    traits.arrangement = std::move(post.arrangement);
    traits.offset_trim = post.offset_trim;
    traits.truncation_side = config.truncation_side;
    traits.special = find_special_tokens(config, where_, [&](const std::string& token) { return find(token); });
    check_arrangement();
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
