// From a post-processor of tokenizer.json to an arrangement.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tokenizers/component_json.h"
#include "tokenizers/post_processor.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {
namespace {

using Kind = ArrangementPart::Kind;

// A special token written as ["[CLS]", 101].
std::int32_t id_of_pair(const ComponentJson& json, const char* name) {
  const Json& pair = json.array(name);
  if (pair.size() != 2) throw json.bad(fmt::format("'{}' must be an array of a token and its id", name));
  return token_id(pair[1], fmt::format("{}: {}", json.where(), name));
}

std::vector<ArrangementPart> special_parts(const ComponentJson& json, const std::string& id, std::int32_t type_id) {
  const Json& specials = json.member("special_tokens");
  const auto special = specials.is_object() ? specials.find(id) : specials.end();
  const bool has_ids = special != specials.end() && special->is_object() && special->contains("ids");
  if (!has_ids || !(*special)["ids"].is_array()) throw json.bad(fmt::format("special token '{}' has no ids", id));
  std::vector<ArrangementPart> parts;
  for (const Json& value : (*special)["ids"]) {
    parts.push_back({Kind::kSpecial, token_id(value, json.where() + ": " + id), type_id});
  }
  return parts;
}

// One piece of a template: {"SpecialToken": {"id", "type_id"}} or {"Sequence": {"id", "type_id"}}.
std::vector<ArrangementPart> read_piece(const ComponentJson& json, const Json& piece) {
  const bool is_sequence = piece.is_object() && piece.contains("Sequence");
  const bool is_special = piece.is_object() && piece.contains("SpecialToken");
  if (is_sequence == is_special) throw json.bad("a piece must be a SpecialToken or a Sequence");
  const Json& body = piece[is_sequence ? "Sequence" : "SpecialToken"];
  if (!body.is_object()) throw json.bad("a piece must contain an object");
  const std::string id = optional_string(body, "id", json.where()).value_or("");
  const std::int32_t type_id = token_id(body.value("type_id", Json()), json.where() + ": type_id");
  if (is_special) return special_parts(json, id, type_id);
  if (id != "A" && id != "B") throw unknown_value(json.where() + ": sequence", id, {"A", "B"});
  return {{id == "A" ? Kind::kFirstText : Kind::kSecondText, 0, type_id}};
}

std::vector<ArrangementPart> read_template(const ComponentJson& json, const char* name, bool has_second) {
  std::vector<ArrangementPart> parts;
  for (const Json& piece : json.array(name)) {
    const std::vector<ArrangementPart> read = read_piece(json, piece);
    parts.insert(parts.end(), read.begin(), read.end());
  }
  const auto count = [&](Kind kind) {
    return std::count_if(parts.begin(), parts.end(), [&](const ArrangementPart& part) { return part.kind == kind; });
  };
  if (count(Kind::kFirstText) != 1 || count(Kind::kSecondText) != (has_second ? 1 : 0)) {
    throw json.bad(fmt::format("'{}' must contain each of the sequences {} once", name, has_second ? "A and B" : "A"));
  }
  return parts;
}

PostProcessing make_bert(const ComponentJson& json) {
  json.allow({"sep", "cls"});
  return {bert_arrangement(id_of_pair(json, "cls"), id_of_pair(json, "sep")), {}};
}

std::optional<OffsetTrim> read_trim(const ComponentJson& json) {
  if (!json.boolean("trim_offsets", true)) return std::nullopt;
  return OffsetTrim{json.boolean("add_prefix_space", true)};
}

PostProcessing make_roberta(const ComponentJson& json) {
  json.allow({"sep", "cls", "trim_offsets", "add_prefix_space"});
  return {roberta_arrangement(id_of_pair(json, "cls"), id_of_pair(json, "sep")), read_trim(json)};
}

PostProcessing make_template(const ComponentJson& json) {
  json.allow({"single", "pair", "special_tokens"});
  return {{read_template(json, "single", false), read_template(json, "pair", true)}, {}};
}

PostProcessing make_byte_level(const ComponentJson& json) {
  json.allow({"add_prefix_space", "trim_offsets", "use_regex"});
  return {bare_arrangement(), read_trim(json)};
}

PostProcessing make_sequence(const ComponentJson& json) {
  json.allow({"processors"});
  PostProcessing whole;
  bool arranged = false;
  std::size_t index = 0;
  for (const Json& step : json.array("processors")) {
    const std::string where = fmt::format("{}: processors[{}]", json.where(), index++);
    const PostProcessing part = make_post_processing(step, where);
    if (part.offset_trim) whole.offset_trim = part.offset_trim;
    if (ComponentJson(step, where).type() == "ByteLevel") continue;
    if (arranged) throw json.bad("more than one processor adds special tokens; one is allowed");
    whole.arrangement = part.arrangement;
    arranged = true;
  }
  return whole;
}

}  // namespace

PostProcessing make_post_processing(const Json& json, const std::string& where) {
  const ComponentJson component(json, where);
  if (component.type() == "BertProcessing") return make_bert(component);
  if (component.type() == "ByteLevel") return make_byte_level(component);
  if (component.type() == "RobertaProcessing") return make_roberta(component);
  if (component.type() == "Sequence") return make_sequence(component);
  if (component.type() == "TemplateProcessing") return make_template(component);
  throw component.unknown_type({"BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing"});
}

}  // namespace transformeter
