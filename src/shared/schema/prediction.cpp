// Answers as JSON, and back without trust.
#include "schema/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace transformeter {
namespace {

// The double whose shortest form is the float's shortest form: 0.1, not 0.10000000149011612.
double shortest(float value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double result = 0;
  std::from_chars(text, written.ptr, result);
  return result;
}

OrderedJson numbers(const std::vector<float>& values) {
  OrderedJson list = OrderedJson::array();
  for (const float value : values) list.push_back(shortest(value));
  return list;
}

std::vector<float> floats_from(const Json& json) {
  std::vector<float> values;
  for (const Json& number : json) {
    const auto value = number.get<double>();
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
      throw Error(ErrorKind::kProtocol, fmt::format("{} in a prediction is not a 32-bit number", value));
    }
    values.push_back(static_cast<float>(value));
  }
  return values;
}

std::int64_t whole(const Json& json, const char* key) {
  if (const auto number = whole_number<std::int64_t>(json.at(key))) return *number;
  throw Error(ErrorKind::kProtocol, fmt::format("field '{}' of a prediction is not a whole number", key));
}

void put(OrderedJson& json, CharacterRange place) {
  json["start"] = place.begin;
  json["end"] = place.end;
}

CharacterRange place_of(const Json& json) {
  return {whole(json, "start"), whole(json, "end")};
}

OrderedJson fields(const ClassPrediction& value) {
  OrderedJson json;
  json["label"] = value.label.empty() ? OrderedJson(value.label_id) : OrderedJson(value.label);
  json["score"] = value.score;
  json["logits"] = numbers(value.logits);
  return json;
}

OrderedJson fields(const LabelSetPrediction& value) {
  OrderedJson json = {{"labels", OrderedJson::array()}};
  for (const ScoredLabel& one : value.labels) {
    OrderedJson label = {{"id", one.id}};
    if (!one.label.empty()) label["label"] = one.label;
    label["score"] = one.score;
    json["labels"].push_back(std::move(label));
  }
  json["logits"] = numbers(value.logits);
  return json;
}

OrderedJson fields(const NumberPrediction& value) {
  OrderedJson json;
  json["values"] = numbers(value.values);
  return json;
}

OrderedJson fields(const EntityPrediction& value) {
  OrderedJson json = {{"entities", OrderedJson::array()}};
  for (const PredictedEntity& one : value.entities) {
    OrderedJson entity = {{"entity", one.entity}, {"text", one.text}};
    put(entity, one.place);
    entity["score"] = one.score;
    json["entities"].push_back(std::move(entity));
  }
  if (!value.tags.empty()) json["tags"] = value.tags;
  return json;
}

OrderedJson fields(const AnswerPrediction& value) {
  OrderedJson json = {{"answer", value.answer}};
  put(json, value.place);
  json["score"] = value.score;
  if (value.null_score) json["null_score"] = *value.null_score;
  return json;
}

OrderedJson fields(const EmbeddingPrediction& value) {
  OrderedJson json;
  json["embedding"] = numbers(value.embedding);
  return json;
}

OrderedJson fields(const MaskPrediction& value) {
  OrderedJson json = {{"masks", OrderedJson::array()}};
  for (const FilledMask& one : value.masks) {
    OrderedJson mask;
    put(mask, one.place);
    mask["fillings"] = OrderedJson::array();
    for (const Filling& filling : one.fillings) {
      mask["fillings"].push_back({{"token", filling.token}, {"id", filling.id}, {"score", filling.score}});
    }
    json["masks"].push_back(std::move(mask));
  }
  return json;
}

OrderedJson fields(const GeneratedText& value) {
  OrderedJson json = {{"generated_text", value.text}, {"generated_ids", value.ids}};
  if (value.score) json["score"] = *value.score;
  return json;
}

OrderedJson fields(const TranscriptPrediction& value) {
  return {{"transcript", value.text}};
}

ClassPrediction class_from(const Json& json) {
  ClassPrediction value;
  value.logits = floats_from(json.at("logits"));
  json.at("score").get_to(value.score);
  if (const Json& label = json.at("label"); label.is_string()) label.get_to(value.label);
  if (value.logits.empty()) throw Error(ErrorKind::kProtocol, "a prediction of a class has no logits");
  value.label_id = std::max_element(value.logits.begin(), value.logits.end()) - value.logits.begin();
  return value;
}

LabelSetPrediction labels_from(const Json& json) {
  LabelSetPrediction value;
  for (const Json& one : json.at("labels")) {
    value.labels.push_back({whole(one, "id"), one.value("label", std::string()), one.at("score").get<double>()});
  }
  value.logits = floats_from(json.at("logits"));
  if (value.logits.empty()) throw Error(ErrorKind::kProtocol, "a prediction of labels has no logits");
  const auto classes = static_cast<std::int64_t>(value.logits.size());
  for (const ScoredLabel& one : value.labels) {
    if (one.id < 0 || one.id >= classes) {
      throw Error(ErrorKind::kProtocol, fmt::format("label {} of a prediction has no logit", one.id));
    }
  }
  return value;
}

NumberPrediction numbers_from(const Json& json) {
  NumberPrediction value{floats_from(json.at("values"))};
  if (value.values.empty()) throw Error(ErrorKind::kProtocol, "a prediction of numbers has none");
  return value;
}

EntityPrediction entities_from(const Json& json) {
  EntityPrediction value;
  for (const Json& one : json.at("entities")) {
    value.entities.push_back({one.at("entity").get<std::string>(), one.at("text").get<std::string>(), place_of(one),
                              one.at("score").get<double>()});
  }
  if (json.contains("tags")) json.at("tags").get_to(value.tags);
  return value;
}

AnswerPrediction answer_from(const Json& json) {
  AnswerPrediction value{json.at("answer").get<std::string>(), place_of(json), json.at("score").get<double>(), {}};
  if (json.contains("null_score")) value.null_score = json.at("null_score").get<double>();
  return value;
}

MaskPrediction masks_from(const Json& json) {
  MaskPrediction value;
  for (const Json& one : json.at("masks")) {
    FilledMask mask{place_of(one), {}};
    for (const Json& filling : one.at("fillings")) {
      mask.fillings.push_back(
          {whole(filling, "id"), filling.at("token").get<std::string>(), filling.at("score").get<double>()});
    }
    value.masks.push_back(std::move(mask));
  }
  return value;
}

GeneratedText text_from(const Json& json) {
  GeneratedText value{json.at("generated_text").get<std::string>(), {}, {}};
  for (const Json& one : json.at("generated_ids")) {
    const auto id = whole_number<std::int64_t>(one);
    if (!id) throw Error(ErrorKind::kProtocol, "a token ID of a prediction is not a whole number");
    value.ids.push_back(*id);
  }
  if (json.contains("score")) value.score = json.at("score").get<double>();
  return value;
}

}  // namespace

OrderedJson to_json(const Prediction& prediction) {
  OrderedJson json = std::visit([](const auto& value) { return fields(value); }, prediction.value);
  if (prediction.truncated) json["truncated"] = true;
  return json;
}

Prediction prediction_from_json(const Json& json) {
  Prediction prediction;
  if (json.contains("labels")) {
    prediction.value = labels_from(json);
  } else if (json.contains("logits")) {
    prediction.value = class_from(json);
  } else if (json.contains("values")) {
    prediction.value = numbers_from(json);
  } else if (json.contains("entities")) {
    prediction.value = entities_from(json);
  } else if (json.contains("answer")) {
    prediction.value = answer_from(json);
  } else if (json.contains("embedding")) {
    prediction.value = EmbeddingPrediction{floats_from(json.at("embedding"))};
  } else if (json.contains("masks")) {
    prediction.value = masks_from(json);
  } else if (json.contains("generated_text")) {
    prediction.value = text_from(json);
  } else if (json.contains("transcript")) {
    prediction.value = TranscriptPrediction{json.at("transcript").get<std::string>()};
  } else {
    throw Error(ErrorKind::kProtocol, "a prediction has none of the known fields");
  }
  prediction.truncated = json.value("truncated", false);
  return prediction;
}

Json to_json(const PredictionInput& input) {
  Json json = {{"text", input.text}, {"words", Json::array()}};
  if (input.text_pair) json["text_pair"] = *input.text_pair;
  for (const CharacterRange& word : input.words) json["words"].push_back({word.begin, word.end});
  return json;
}

PredictionInput prediction_input_from_json(const Json& json) {
  PredictionInput input{json.at("text").get<std::string>(), {}, {}};
  if (json.contains("text_pair")) input.text_pair = json.at("text_pair").get<std::string>();
  for (const Json& word : json.at("words")) {
    const auto begin = whole_number<std::int64_t>(word.at(0));
    const auto end = whole_number<std::int64_t>(word.at(1));
    if (!begin || !end) throw Error(ErrorKind::kProtocol, "the position of a word is not a pair of whole numbers");
    input.words.push_back({*begin, *end});
  }
  return input;
}

Json to_json(const PredictionOptions& options) {
  return {{"max_length", options.max_length ? Json(*options.max_length) : Json()},
          {"stride", options.stride},
          {"top_k", options.top_k},
          {"allow_no_answer", options.allow_no_answer},
          {"max_new_tokens", options.max_new_tokens},
          {"generation", to_json(options.generation)}};
}

PredictionOptions prediction_options_from_json(const Json& json) {
  PredictionOptions options;
  if (!json.at("max_length").is_null()) options.max_length = whole(json, "max_length");
  options.stride = whole(json, "stride");
  options.top_k = whole(json, "top_k");
  json.at("allow_no_answer").get_to(options.allow_no_answer);
  options.max_new_tokens = whole(json, "max_new_tokens");
  options.generation = generation_overrides_from(json.at("generation"));
  return options;
}

}  // namespace transformeter
