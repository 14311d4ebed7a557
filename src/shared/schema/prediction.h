// Inputs and answers of `predict`, shared by both programs: one type of answer per task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "schema/beam_settings.h"

namespace transformeter {

/// Keeps members in insertion order, for people to read.
using OrderedJson = nlohmann::ordered_json;

/// A half-open range of a text in Unicode code points.
struct CharacterRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const CharacterRange&) const = default;
};

struct PredictionInput {
  std::string text;
  std::optional<std::string> text_pair;  // of question answering the context
  std::vector<CharacterRange> words;     // of `text`, ascending: token classification tags each of them too
};

struct PredictionOptions {
  std::optional<std::int64_t> max_length;  // tokens of a row, special ones included; nothing: what the model holds
  std::int64_t stride = 128;               // question answering: tokens of the context that two windows share
  std::int64_t top_k = 5;                  // masked language models: fillings of each mask
  bool allow_no_answer = false;            // question answering: as SQuAD v2.0, the empty answer is one
  std::int64_t max_new_tokens = 20;        // of a generated text
  GenerationOverrides generation = {};     // likewise
};

struct ClassPrediction {
  std::int64_t label_id = 0;  // of the largest logit
  std::string label;          // empty: the model names none
  double score = 0;           // softmax; of a model with one class the logistic function
  std::vector<float> logits;  // at least one
};

struct ScoredLabel {
  std::int64_t id = 0;
  std::string label;  // empty: the model names none
  double score = 0;   // logistic function of its logit
};
struct LabelSetPrediction {
  std::vector<ScoredLabel> labels;  // those with a score above 0.5, in the model's order
  std::vector<float> logits;        // of all classes, at least one
};

struct NumberPrediction {
  std::vector<float> values;  // at least one
};

struct PredictedEntity {
  std::string entity;  // the type, without B- or I-
  std::string text;
  CharacterRange place;
  double score = 0;  // mean over its words
};
struct EntityPrediction {
  std::vector<PredictedEntity> entities;
  std::vector<std::string> tags;  // of the input's words, that of each word's first token
};

struct AnswerPrediction {
  std::string answer;                // empty: none
  CharacterRange place;              // in the context
  double score = 0;                  // softmax over the best candidates
  std::optional<double> null_score;  // logits of "no answer"; where that is allowed
};

struct EmbeddingPrediction {
  std::vector<float> embedding;
};

struct Filling {
  std::int64_t id = 0;
  std::string token;
  double score = 0;
};
struct FilledMask {
  CharacterRange place;
  std::vector<Filling> fillings;  // best first
};
struct MaskPrediction {
  std::vector<FilledMask> masks;
};

struct GeneratedText {
  std::string text;                  // what follows the prompt
  std::vector<std::int64_t> ids;     // of its tokens, with the one that ended it
  std::optional<double> score = {};  // of the best of several beams
};

struct TranscriptPrediction {
  std::string text;  // of a sound
};

struct Prediction {
  std::variant<ClassPrediction, LabelSetPrediction, NumberPrediction, EntityPrediction, AnswerPrediction,
               EmbeddingPrediction, MaskPrediction, GeneratedText, TranscriptPrediction>
      value;
  bool truncated = false;  // the text was longer than the model, and its end not seen
};

/// The fields of docs/predict.md in the same order; which ones are present tells the type of answer.
OrderedJson to_json(const Prediction& prediction);
/// The reverse. Throws Json::exception or Error(kProtocol) for what to_json never writes.
Prediction prediction_from_json(const Json& json);

Json to_json(const PredictionInput& input);
PredictionInput prediction_input_from_json(const Json& json);
Json to_json(const PredictionOptions& options);
PredictionOptions prediction_options_from_json(const Json& json);

}  // namespace transformeter
