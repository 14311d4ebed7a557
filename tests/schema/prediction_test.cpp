// Answers of every kind survive the way through JSON; what to_json never writes is refused.
#include "schema/prediction.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

Prediction again(const Prediction& prediction) {
  return prediction_from_json(Json(to_json(prediction)));
}

TEST(PredictionJson, KeepsClassesWithTheShortestLogits) {
  const Prediction named{ClassPrediction{1, "good", 0.75, {-0.1F, 1e-30F}}, true};
  EXPECT_EQ(to_json(named).dump(), R"({"label":"good","score":0.75,"logits":[-0.1,1e-30],"truncated":true})");
  const auto value = std::get<ClassPrediction>(again(named).value);
  EXPECT_EQ(value.logits, (std::vector<float>{-0.1F, 1e-30F}));
  EXPECT_EQ(value.label, "good");
  EXPECT_EQ(value.label_id, 1);
  EXPECT_TRUE(again(named).truncated);

  const Prediction numbered{ClassPrediction{2, "", 0.5, {0, 0, 1}}, false};
  EXPECT_EQ(to_json(numbered).at("label"), 2);
  EXPECT_EQ(std::get<ClassPrediction>(again(numbered).value).label_id, 2);
  EXPECT_FALSE(again(numbered).truncated);
}

TEST(PredictionJson, KeepsEveryOtherKind) {
  const EntityPrediction entities{{{"person", "Ann", {0, 3}, 0.5}}, {"B-person", "O"}};
  const AnswerPrediction answer{"Ann", {4, 7}, 0.25, -1.5};
  const MaskPrediction masks{{{{4, 10}, {{7, "good", 0.5}, {8, "bad", 0.25}}}}};
  for (const Prediction& one :
       {Prediction{entities}, Prediction{answer}, Prediction{masks}, Prediction{EmbeddingPrediction{{0.5F, -2}}},
        Prediction{EntityPrediction{}}, Prediction{GeneratedText{" on", {5, 3}}},
        Prediction{GeneratedText{" on", {5, 3}, -0.25}}, Prediction{NumberPrediction{{0.1F, -2}}},
        Prediction{LabelSetPrediction{{{1, "joy", 0.75}, {2, "", 0.5}}, {-1, 1, 0.25F}}},
        Prediction{LabelSetPrediction{{}, {-1}}}}) {
    EXPECT_EQ(to_json(again(one)), to_json(one));
    EXPECT_EQ(again(one).value.index(), one.value.index());
  }
  EXPECT_EQ(to_json(Prediction{answer}).dump(), R"({"answer":"Ann","start":4,"end":7,"score":0.25,"null_score":-1.5})");
  EXPECT_EQ(to_json(Prediction{entities}).at("entities").at(0).dump(),
            R"({"entity":"person","text":"Ann","start":0,"end":3,"score":0.5})");
}

TEST(PredictionJson, RefusesWhatIsNoAnswer) {
  EXPECT_THROW(prediction_from_json(Json::object()), Error);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"logits": [], "label": 0, "score": 1})")), Error);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"answer": "a", "start": 0.5, "end": 1, "score": 1})")), Error);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"embedding": [1e300]})")), Error);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"embedding": ["x"]})")), Json::exception);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"values": []})")), Error);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"labels": [], "logits": []})")), Error);
  EXPECT_THROW(prediction_from_json(Json::parse(R"({"labels": [{"id": 2, "score": 1}], "logits": [1, 2]})")), Error);
}

TEST(PredictionJson, KeepsInputsAndOptions) {
  const PredictionInput input{"Ann ran", "who?", {{0, 3}, {4, 7}}};
  const PredictionInput same = prediction_input_from_json(to_json(input));
  EXPECT_EQ(same.text, input.text);
  EXPECT_EQ(same.text_pair, input.text_pair);
  EXPECT_EQ(same.words, input.words);
  EXPECT_EQ(prediction_input_from_json(to_json(PredictionInput{"x", {}, {}})).text_pair, std::nullopt);

  const PredictionOptions options{384, 64, 3, true, 7};
  const PredictionOptions back = prediction_options_from_json(to_json(options));
  EXPECT_EQ(back.max_length, 384);
  EXPECT_EQ(back.stride, 64);
  EXPECT_EQ(back.top_k, 3);
  EXPECT_TRUE(back.allow_no_answer);
  EXPECT_EQ(back.max_new_tokens, 7);
  EXPECT_EQ(back.generation.num_beams, std::nullopt) << "as the model's folder says";
  EXPECT_EQ(prediction_options_from_json(to_json(PredictionOptions{})).max_length, std::nullopt);
}

TEST(PredictionJson, KeepsHowTextIsSearchedFor) {
  PredictionOptions options;
  options.generation = {4, 0.6, EarlyStopping::kNever, 3};
  const Json json = to_json(options);
  const GenerationOverrides back = prediction_options_from_json(json).generation;
  EXPECT_EQ(back.num_beams, 4);
  EXPECT_EQ(back.length_penalty, 0.6);
  EXPECT_EQ(back.early_stopping, EarlyStopping::kNever);
  EXPECT_EQ(back.no_repeat_ngram_size, 3);
  Json wrong = json;
  wrong["generation"]["num_beams"] = 1.5;
  EXPECT_THROW(prediction_options_from_json(wrong), Error);
  wrong = json;
  wrong["generation"]["early_stopping"] = "soon";
  EXPECT_THROW(prediction_options_from_json(wrong), Error);
}

}  // namespace
}  // namespace transformeter
